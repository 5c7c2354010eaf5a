"""Skiff: tools through a session. `sail(model, wrap(tools, session))`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from skiff import Tool

from sealegs.adapters.bridge import ToolCallBridge
from sealegs.inject import Session


def wrap(tools: Sequence[Tool], session: Session | None = None) -> list[Tool]:
    """Copies of the tools with every call going through the session.

    Args:
        tools: of an agent.
        session: the episode; None takes the session that is active when a call is made.
    """
    return [_wrapped(tool, ToolCallBridge(session)) for tool in tools]


def _wrapped(tool: Tool, bridge: ToolCallBridge) -> Tool:
    def running(given: Mapping[str, Any]) -> Any:
        return tool.run(**given)

    def in_session(**arguments: Any) -> Any:
        return bridge.call(tool.name, arguments, running)

    return replace(tool, run=in_session)
