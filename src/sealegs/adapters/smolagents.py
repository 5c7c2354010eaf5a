"""smolagents: tools through a session, for tool-calling agents and for code agents.

`CodeAgent(tools=wrap(tools, session), ...)`. Faults happen inside `forward`, so that smolagents shows them as it shows
the tool's own errors, and code that a model writes can catch them. Tools that are called from code in a remote executor
(E2B, Docker, ...) are out of reach: smolagents sends the tool's source there, and nothing of ours.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from smolagents import Tool

from sealegs.adapters.bridge import ToolCallBridge
from sealegs.adapters.marks import spec_from_tool
from sealegs.inject import Session

T = TypeVar("T", bound=Tool)


@overload
def wrap(tools: Sequence[Tool], session: Session | None = None) -> list[Tool]: ...
@overload
def wrap(tools: T, session: Session | None = None) -> T: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    copied, forward, names = copy.copy(tools), tools.forward, tuple(tools.inputs)
    bridge = ToolCallBridge(session, spec=spec_from_tool(tools.name, lambda: dict.fromkeys(names)))

    @functools.wraps(forward)
    def in_session(*args: Any, **kwargs: Any) -> Any:
        model_arguments = {**dict(zip(names, args)), **kwargs}

        def running(given: Mapping[str, Any]) -> Any:
            return forward(*args, **kwargs) if given is model_arguments else forward(**given)

        return bridge.call(tools.name, model_arguments, running)

    copied.forward = in_session
    return copied
