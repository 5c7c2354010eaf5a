"""AutoGen AgentChat: tools and workbenches through a session.

`AssistantAgent(tools=wrap(tools, session), ...)` or `AssistantAgent(workbench=wrap(workbench, session), ...)`. A tool's
`run_json` is what goes through the session, inside the handling of errors that AutoGen has. A workbench of another kind
(an MCP server's) is wrapped as a whole: it must never raise, or the agent waits for ever, so a failure is told in the
result. What it does not cover: tools that stream; they are refused.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, overload

from autogen_core import CancellationToken
from autogen_core.tools import (
    BaseTool,
    FunctionTool,
    StaticWorkbench,
    StreamTool,
    TextResultContent,
    ToolResult,
    Workbench,
)

from sealegs.adapters.crossing import Crossing, Form, data_of, text_of, told
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

    Raises:
        TypeError: a tool streams.
    """
    if isinstance(tools, Workbench):
        return _workbench(tools, session)
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    if isinstance(tools, StreamTool):
        raise TypeError(f"{tools.name} is a tool that streams; give one that returns its whole answer")
    tool = copy.copy(tools) if isinstance(tools, BaseTool) else FunctionTool(tools, description=tools.__doc__ or "")
    crossing, run = Crossing(session), tool.run_json

    async def run_json(args: Mapping[str, Any], token: CancellationToken, call_id: str | None = None) -> Any:
        async def running(given: Mapping[str, Any]) -> Any:
            return await run(given, token, call_id)

        return await crossing.call_async(tool.name, args, running)

    tool.run_json = run_json  # type: ignore[method-assign, assignment]
    return tool


def _workbench(bench: Workbench, session: Session | None) -> Workbench:
    copied = copy.copy(bench)
    if isinstance(copied, StaticWorkbench):
        copied._tools = wrap(copied._tools, session)
        return copied
    call_tool = bench.call_tool

    async def call(
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        async def running(given: Mapping[str, Any]) -> ToolResult:
            return await call_tool(name, given, cancellation_token, call_id)

        def result(text: str, *, is_error: bool) -> ToolResult:
            return ToolResult(name=name, result=[TextResultContent(content=text)], is_error=is_error)

        form = Form(
            _read,
            lambda value, _: result(text_of(value), is_error=False),
            lambda failure: result(told(failure), is_error=True),
        )
        found: ToolResult = await Crossing(session, form).call_async(name, arguments or {}, running)
        return found

    async def streamed(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        yield await call(*args, **kwargs)

    copied.call_tool = call  # type: ignore[method-assign]
    if hasattr(copied, "call_tool_stream"):
        copied.call_tool_stream = streamed
    return copied


def _read(result: ToolResult) -> Outcome:
    text = result.to_text()
    return Failure(text) if result.is_error else Value(data_of(text))
