"""Microsoft Agent Framework, the successor of AutoGen: function tools through a session.

`Agent(client, tools=wrap(tools, session))`. Faults happen inside the function, so that function middleware, the
framework's counting of failures and its way of showing them (a fixed sentence, unless `include_detailed_errors` is set)
meet them as they meet the tool's own. Tools that the provider runs are out of reach, and so are MCP tools, which the
framework lists anew for every run: put the proxy before these servers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from agent_framework import FunctionTool, tool
from agent_framework.exceptions import UserInputRequiredException

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge
from sealegs.adapters.marks import spec_from_tool
from sealegs.inject import Session

AnyTool = FunctionTool | Callable[..., Any]


@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None) -> list[FunctionTool]: ...
@overload
def wrap(tools: AnyTool, session: Session | None = None) -> FunctionTool: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a `FunctionTool`, a function, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(one, session) for one in tools]
    copied = copy.copy(tools if isinstance(tools, FunctionTool) else tool(tools))
    form, spec = ResultCodec(passing=(UserInputRequiredException,)), spec_from_tool(copied.name, copied.parameters)
    bridge, hidden = ToolCallBridge(session, form, spec=spec), copied._context_parameter_name
    invoke = copied._invoke_function

    async def invoked(call_kwargs: Mapping[str, Any]) -> Any:
        model_arguments = {name: value for name, value in call_kwargs.items() if name != hidden}

        async def running(given: Mapping[str, Any]) -> Any:
            return await invoke(call_kwargs if given is model_arguments else {**call_kwargs, **given})

        return await bridge.call_async(copied.name, model_arguments, running)

    copied._invoke_function = invoked  # type: ignore[method-assign]
    return copied
