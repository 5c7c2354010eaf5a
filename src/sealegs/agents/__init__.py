"""Agents that ship with Sealegs: scripted references that need no model."""

from collections.abc import Mapping

from sealegs.agents.path_walkers import Naive, Retrier
from sealegs.agents.planners import Oracle, Planner
from sealegs.agents.scripted import Briefing, Say, ScriptedAgent, Use

SCRIPTED: Mapping[str, type[ScriptedAgent]] = {
    "oracle": Oracle,
    "planner": Planner,
    "retrier": Retrier,
    "naive": Naive,
}

__all__ = ["SCRIPTED", "Briefing", "Naive", "Oracle", "Planner", "Retrier", "Say", "ScriptedAgent", "Use"]
