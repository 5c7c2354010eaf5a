"""LlamaIndex: tools of its agents and workflows through a session.

`FunctionAgent(tools=wrap(tools, session), ...)`. Faults happen inside the function of a tool; a tool of another kind (a
query engine) is wrapped as a whole, and its text is what faults work on. Tools that an agent gets from a
`tool_retriever` are not wrapped.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, overload

from llama_index.core.tools import BaseTool, FunctionTool, ToolOutput
from workflows.runtime.types.results import WaitingForEvent

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge, data_of, result_text
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.inject import Session

AnyTool = BaseTool | Callable[..., Any]
Call = Callable[..., Any]
STEERING = (WaitingForEvent,)


@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None) -> list[BaseTool]: ...
@overload
def wrap(tools: AnyTool, session: Session | None = None) -> BaseTool: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool of LlamaIndex, a function, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    tool = copy.copy(tools if isinstance(tools, BaseTool) else FunctionTool.from_defaults(tools))
    name = tool.metadata.get_name()
    spec = spec_from_tool(name, tool.metadata.get_parameters_dict)
    if isinstance(tool, FunctionTool):
        bridge, hidden = ToolCallBridge(session, ResultCodec(passing=STEERING), spec=spec), tool.ctx_param_name
        tool._fn = _in_session(bridge, name, tool._fn, hidden)
        tool._async_fn = _in_session_async(bridge, name, tool._async_fn, hidden)
        return tool
    bridge = ToolCallBridge(session, ResultCodec(_read, _written, passing=STEERING), spec=spec)
    for attribute, in_session in (("call", _in_session), ("acall", _in_session_async)):
        if hasattr(tool, attribute):
            setattr(tool, attribute, in_session(bridge, name, getattr(tool, attribute), None))
    return tool


def _in_session(bridge: ToolCallBridge, name: str, function: Call, hidden: str | None) -> Call:
    """The function through the bridge. `hidden`: the parameter that LlamaIndex fills, not the model."""

    def in_session(*args: Any, **kwargs: Any) -> Any:
        model_arguments = _model_arguments(args, kwargs, hidden)
        return bridge.call(
            name, model_arguments, lambda given: function(*args, **_given(kwargs, model_arguments, given))
        )

    return in_session


def _in_session_async(
    bridge: ToolCallBridge, name: str, function: Callable[..., Awaitable[Any]], hidden: str | None
) -> Call:
    async def in_session(*args: Any, **kwargs: Any) -> Any:
        model_arguments = _model_arguments(args, kwargs, hidden)

        async def running(given: Mapping[str, Any]) -> Any:
            return await function(*args, **_given(kwargs, model_arguments, given))

        return await bridge.call_async(name, model_arguments, running)

    return in_session


def _model_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any], hidden: str | None) -> dict[str, Any]:
    named = {key: value for key, value in kwargs.items() if key != hidden}
    return {"args": list(args), **named} if args else named


def _given(kwargs: Mapping[str, Any], model_arguments: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    if given is model_arguments:
        return dict(kwargs)
    return {**kwargs, **{key: value for key, value in given.items() if key != "args" or key in kwargs}}


def _read(result: ToolOutput) -> Outcome:
    return Failure(result.content) if result.is_error else Value(data_of(result.content))


def _written(value: Any, result: ToolOutput | None) -> ToolOutput:
    text = result_text(value)
    if result is None:
        return ToolOutput(content=text, tool_name="", raw_input={}, raw_output=value)
    return ToolOutput(content=text, tool_name=result.tool_name, raw_input=result.raw_input, raw_output=value)
