"""Agents that ship with Sealegs: scripted references that need no model."""

from collections.abc import Mapping

from sealegs.agents.coders import Coder, CoderTask, Earlier, NaiveCoder, OracleCoder
from sealegs.agents.path_walkers import Naive, Retrier
from sealegs.agents.planners import Oracle, Planner, Verifier
from sealegs.agents.scripted_agent import Briefing, Say, ScriptedAgent, UseTool
from sealegs.agents.seekers import Seeker

SCRIPTED: Mapping[str, type[ScriptedAgent]] = {
    "oracle": Oracle,
    "verifier": Verifier,
    "planner": Planner,
    "retrier": Retrier,
    "naive": Naive,
}
CODERS: Mapping[str, type[Coder]] = {"oracle": OracleCoder, "planner": Seeker, "naive": NaiveCoder}

__all__ = [
    "CODERS",
    "SCRIPTED",
    "Briefing",
    "Coder",
    "CoderTask",
    "Earlier",
    "Naive",
    "NaiveCoder",
    "Oracle",
    "OracleCoder",
    "Planner",
    "Retrier",
    "Say",
    "ScriptedAgent",
    "Seeker",
    "UseTool",
    "Verifier",
]
