"""What Inspect finds by the entry point: the suites as tasks, the scripted agents as models."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from sealegs.suites.highwater.inspect_task import code_loop, highwater, rows_verdict
from sealegs.suites.maze.inspect_task import maze, tool_loop, verdict
from sealegs.suites.paladin.inspect_task import paladin, played_arm, recovery


@modelapi(name="sealegs")
def scripted() -> type[ModelAPI]:
    """`sealegs/oracle`, `sealegs/planner`, `sealegs/naive`, and `sealegs/retrier` on maze."""
    from sealegs.suites.running.scripted_model import ScriptedModel

    return ScriptedModel


@modelapi(name="sealegs-backbone")
def backbone() -> type[ModelAPI]:
    """`sealegs-backbone/follower` and the other scripted backbones of the arms of `paladin`."""
    from sealegs.suites.paladin.provider import BackboneModel

    return BackboneModel


__all__ = [
    "backbone",
    "code_loop",
    "highwater",
    "maze",
    "paladin",
    "played_arm",
    "recovery",
    "rows_verdict",
    "scripted",
    "tool_loop",
    "verdict",
]
