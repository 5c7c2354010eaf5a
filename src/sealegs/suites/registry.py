"""Objects that Inspect finds by the entry point: the suites as tasks, the scripted agents as models."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from sealegs.suites.highwater.inspect_task import code_loop, highwater, rows_verdict
from sealegs.suites.maze.inspect_task import maze, tool_loop, verdict
from sealegs.suites.paladin.inspect_task import paladin, played_arm, recovery


@modelapi(name="sealegs")
def scripted_model_provider() -> type[ModelAPI]:
    """`sealegs/planner` and the other scripted agents, and on paladin `sealegs/follower` and the other backbones."""
    from sealegs.suites.scripted_provider import ScriptedModel

    return ScriptedModel


__all__ = [
    "code_loop",
    "highwater",
    "maze",
    "paladin",
    "played_arm",
    "recovery",
    "rows_verdict",
    "scripted_model_provider",
    "tool_loop",
    "verdict",
]
