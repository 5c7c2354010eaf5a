"""AutoGen AgentChat: tools and workbenches through a session.

`AssistantAgent(tools=wrap(tools, session), ...)` or `AssistantAgent(workbench=wrap(workbench, session), ...)`. A tool's
`run_json` is what goes through the session, inside the handling of errors that AutoGen has. A workbench of another kind
(an MCP server's) is wrapped as a whole: it must never raise, or the agent waits for ever, so a failure is part of the
result.

Of a tool or workbench that streams, the last chunk is the answer, which the model reads, and what faults work on. What
comes before is for whoever watches the agent, and passes as it comes; a chunk that could be the last is held back until
the next one is there, as AutoGen itself does.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, overload

from autogen_core import CancellationToken
from autogen_core.tools import (
    BaseStreamTool,
    BaseTool,
    FunctionTool,
    StaticWorkbench,
    StreamTool,
    TextResultContent,
    ToolResult,
    Workbench,
)
from pydantic import BaseModel

from sealegs.adapters.bridge import (
    ResultCodec,
    ToolCallBridge,
    chunks_before_answer,
    data_of,
    exception_text,
    result_text,
)
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.inject import Session

AnyTool = BaseTool[Any, Any] | Callable[..., Any]


@overload
def wrap(tools: Workbench, session: Session | None = None) -> Workbench: ...
@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None) -> list[BaseTool[Any, Any]]: ...
@overload
def wrap(tools: AnyTool, session: Session | None = None) -> BaseTool[Any, Any]: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool of AutoGen, a function, a sequence of them, or a workbench.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Workbench):
        return _workbench(tools, session)
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    tool = copy.copy(tools) if isinstance(tools, BaseTool) else FunctionTool(tools, description=tools.__doc__ or "")
    bridge, run, in_words = _bridge(tool, session), tool.run_json, tool.return_value_as_string

    async def run_json(args: Mapping[str, Any], token: CancellationToken, call_id: str | None = None) -> Any:
        async def running(given: Mapping[str, Any]) -> Any:
            return await run(given, token, call_id)

        return await bridge.call_async(tool.name, args, running)

    def return_value_as_string(value: Any) -> str:
        # The tool can word only objects of its class, and an answer that a fault has changed is none.
        return str(value) if type(value) is _Words else in_words(value)

    tool.run_json = run_json  # type: ignore[method-assign, assignment]
    tool.return_value_as_string = return_value_as_string  # type: ignore[method-assign]
    if isinstance(tool, StreamTool):
        tool.run_json_stream = _streaming(bridge, tool)  # type: ignore[method-assign]
    return tool


class _Words(str):
    """The text of an answer that a fault has changed, for a tool that words its answers itself."""


def _bridge(tool: BaseTool[Any, Any], session: Session | None) -> ToolCallBridge:
    """The bridge of a tool's calls. An answer that is an object of a class is to faults what the model reads of it."""
    answer, in_words = tool.return_type(), tool.return_value_as_string
    is_object = isinstance(answer, type) and issubclass(answer, BaseModel)

    def read(result: Any) -> Outcome:
        return Value(data_of(in_words(result)) if isinstance(result, BaseModel) else result)

    def written(value: Any, result: Any) -> Any:
        return _Words(result_text(value)) if is_object or isinstance(result, BaseModel) else value

    spec = spec_from_tool(tool.name, lambda: tool.schema["parameters"])
    return ToolCallBridge(session, ResultCodec(read, written), spec=spec)


def _streaming(bridge: ToolCallBridge, tool: Any) -> Callable[..., AsyncGenerator[Any, None]]:
    """The tool's `run_json_stream` through a session."""
    stream = tool.run_json_stream
    answer = tool.return_type() if isinstance(tool, BaseStreamTool) else object  # which sees to it that the last is one

    async def run_json_stream(
        args: Mapping[str, Any], cancellation_token: CancellationToken, call_id: str | None = None
    ) -> AsyncGenerator[Any, None]:
        bridged = bridge.intercept(tool.name, args)
        chunks = (
            stream(args, cancellation_token, call_id)
            if bridged is None
            else chunks_before_answer(
                bridged.call_async,
                lambda given: stream(given, cancellation_token, call_id),
                lambda chunk: isinstance(chunk, answer),
            )
        )
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk

    return run_json_stream


def _workbench(bench: Workbench, session: Session | None) -> Workbench:
    copied = copy.copy(bench)
    # Its tools can be wrapped one by one, so that faults see their data; other workbenches only show the texts.
    if isinstance(copied, StaticWorkbench):
        copied._tools = wrap(copied._tools, session)
        return copied

    def bridge_of(name: str) -> ToolCallBridge:
        def result(text: str, *, is_error: bool) -> ToolResult:
            return ToolResult(name=name, result=[TextResultContent(content=text)], is_error=is_error)

        form = ResultCodec(
            _read,
            lambda value, _: result(result_text(value), is_error=False),
            lambda failure: result(exception_text(failure), is_error=True),
        )
        return ToolCallBridge(session, form)

    async def call_tool(
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        async def running(given: Mapping[str, Any]) -> ToolResult:
            return await bench.call_tool(name, given, cancellation_token, call_id)

        found: ToolResult = await bridge_of(name).call_async(name, arguments or {}, running)
        return found

    def call_tool_stream(
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[Any, None]:
        return chunks_before_answer(
            lambda running: bridge_of(name).call_async(name, arguments or {}, running),
            lambda given: bench.call_tool_stream(name, given, cancellation_token, call_id),  # type: ignore[attr-defined]
            lambda chunk: isinstance(chunk, ToolResult),
        )

    copied.call_tool = call_tool  # type: ignore[method-assign]
    if hasattr(bench, "call_tool_stream"):
        copied.call_tool_stream = call_tool_stream  # type: ignore[attr-defined]
    return copied


def _read(result: ToolResult) -> Outcome:
    text = result.to_text()
    return Failure(text) if result.is_error else Value(data_of(text))


async def forget_conversation(agent: Any) -> None:
    """Put an agent or a team back to where it has heard nothing."""
    await (agent.reset() if hasattr(agent, "reset") else agent.on_reset(CancellationToken()))
