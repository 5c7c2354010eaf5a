"""What Inspect finds by the entry point: the suites as tasks, the scripted agents as models."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from sealegs.suites.maze.inspect_task import maze, tool_loop, verdict


@modelapi(name="sealegs")
def scripted() -> type[ModelAPI]:
    """`sealegs/oracle`, `sealegs/planner`, `sealegs/retrier`, `sealegs/naive`."""
    from sealegs.suites.maze.provider import ScriptedModel

    return ScriptedModel


__all__ = ["maze", "scripted", "tool_loop", "verdict"]
