"""DSPy: tools of `ReAct` and other modules through a session.

`dspy.ReAct(signature, tools=wrap(tools, session))`. DSPy shows the model the whole traceback of a tool that fails, so
the function inside is wrapped as plain Python is, with frames that read as the tool's own. One limit: DSPy's async way
runs a sync tool in the event loop itself, so a delay or a hang holds the loop up as a slow tool would. Make such tools
`async def`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import dspy

from sealegs.adapters import python
from sealegs.inject import Session

AnyTool = dspy.Tool | Callable[..., Any]


@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None) -> list[dspy.Tool]: ...
@overload
def wrap(tools: AnyTool, session: Session | None = None) -> dspy.Tool: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """The tool or tools as `dspy.Tool`s with every call going through the session.

    Args:
        tools: a `dspy.Tool`, a function, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    tool = tools if isinstance(tools, dspy.Tool) else dspy.Tool(tools)
    function, name = tool.func, str(tool.name)
    wrapped = python.tool(name=name)(function) if session is None else python.wrap(function, session, name=name)
    return tool.model_copy(update={"func": wrapped})


def call_module(module: Any, inputs: Mapping[str, Any]) -> Any:
    """The prediction of a module in DSPy's sync way, with async tools too."""
    with dspy.context(allow_tool_async_sync_conversion=True):
        return module(**inputs)
