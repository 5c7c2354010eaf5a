"""Strands Agents: the tools of an agent through a session.

`Agent(tools=wrap(tools, session), ...)`. Faults happen inside the function that `@tool` decorates, so that Strands
shows a failure as it shows the tool's own, and hooks and middlewares meet it as they meet any. Strands' own hooks are
not enough for this: `BeforeToolCallEvent` can cancel a call with a text, which reads unlike a tool that raises, and
`AfterToolCallEvent` comes after the work. Of a tool that streams (an async generator), the last chunk is the answer,
which the model reads, and what faults work on. Any chunk could be the last, so each is held back until the next is
there.

Not wrapped are tools of MCP servers (`MCPClient`), for which `sealegs proxy` stands before the server; tools that are
modules, or classes of one's own below `AgentTool`; and agents as tools, whose own tools are to be wrapped.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, overload

from pydantic import BaseModel
from strands.interrupt import InterruptException
from strands.tools.decorator import DecoratedFunctionTool, tool

from sealegs.adapters.bridge import (
    ResultCodec,
    ToolCallBridge,
    chunks_before_answer,
    data_of,
    result_text,
)
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.inject import Session

AnyTool = DecoratedFunctionTool[..., Any] | Callable[..., Any]


@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None) -> list[DecoratedFunctionTool[..., Any]]: ...
@overload
def wrap(tools: AnyTool, session: Session | None = None) -> DecoratedFunctionTool[..., Any]: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool made by `@tool`, a function, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.

    Raises:
        TypeError: one of them is something else, whose calls could not be sent through a session.
    """
    if isinstance(tools, Sequence) and not isinstance(tools, str):
        return [wrap(one, session) for one in tools]
    if not isinstance(tools, DecoratedFunctionTool):
        if not inspect.isroutine(tools):
            raise TypeError(
                f"{tools!r:.80} is neither a tool made by @tool nor a function; give it to the agent beside "
                "wrap(tools), and for an MCP server put `sealegs proxy` before it"
            )
        tools = tool(tools)
    return _wrapped(tools, session)


def _wrapped(given: DecoratedFunctionTool[..., Any], session: Session | None) -> DecoratedFunctionTool[..., Any]:
    """Two copies in one: what the framework streams, and what is called directly, as `wrapped(city="Oslo")`."""
    spec = spec_from_tool(given.tool_name, lambda: given.tool_spec["inputSchema"], given.tool_spec)
    bridge = ToolCallBridge(session, ResultCodec(_read, _written, passing=(InterruptException,)), spec=spec)
    function, name, split = given._tool_func, given.tool_name, _splitter(given)
    streamed, called = copy.copy(given), copy.copy(given)

    @functools.wraps(function)
    def in_thread(*args: Any, **kwargs: Any) -> Any:
        arguments, hidden = split(args, kwargs)
        return bridge.call(name, arguments, lambda known: function(**known, **hidden))

    @functools.wraps(function)
    async def in_task(*args: Any, **kwargs: Any) -> Any:
        arguments, hidden = split(args, kwargs)

        async def running(known: Mapping[str, Any]) -> Any:
            if inspect.iscoroutinefunction(function):
                return await function(**known, **hidden)
            return await asyncio.to_thread(function, **known, **hidden)

        return await bridge.call_async(name, arguments, running)

    @functools.wraps(function)
    async def in_chunks(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        arguments, hidden = split(args, kwargs)
        bridged = bridge.intercept(name, arguments)
        chunks = (
            function(**arguments, **hidden)
            if bridged is None
            else chunks_before_answer(
                bridged.call_async,
                lambda known: function(**known, **hidden),
                lambda chunk: True,
            )
        )
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk

    if inspect.isasyncgenfunction(function):
        streamed._tool_func = called._tool_func = in_chunks
    else:
        # Strands would run a plain function in a thread as a whole, waits included; a thread cannot be cancelled.
        streamed._tool_func = in_task
        called._tool_func = in_task if inspect.iscoroutinefunction(function) else in_thread
    called.stream = streamed.stream  # type: ignore[method-assign]
    return called


def _splitter(
    given: DecoratedFunctionTool[..., Any],
) -> Callable[[tuple[Any, ...], Mapping[str, Any]], tuple[dict[str, Any], dict[str, Any]]]:
    """A function that parts the arguments that the model gives from those of the framework (the agent, the context)."""
    signature = inspect.signature(given._tool_func)
    hidden = [name for name in signature.parameters if given._metadata._is_special_parameter(name)]
    more = next((name for name, one in signature.parameters.items() if one.kind is one.VAR_KEYWORD), "")

    def split(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        arguments = dict(signature.bind(*args, **kwargs).arguments)
        arguments |= arguments.pop(more, {})
        return arguments, {name: arguments.pop(name) for name in hidden if name in arguments}

    return split


def _is_result(value: Any) -> bool:
    """Return whether a tool returns Strands' own form of a result, as Strands itself decides."""
    return isinstance(value, dict) and "status" in value and "content" in value


def _texts(result: Mapping[str, Any]) -> list[str] | None:
    """The texts of a result; None where it holds something else, such as an image, which no fault works on."""
    parts = result["content"]
    all_texts = isinstance(parts, list) and all(isinstance(part, dict) and set(part) == {"text"} for part in parts)
    return [part["text"] for part in parts] if all_texts else None


def _read(result: Any) -> Outcome:
    if isinstance(result, BaseModel):
        return Value(data_of(result.model_dump_json()))
    if not _is_result(result):
        return Value(result)
    texts = _texts(result)
    text = "\n".join(texts) if texts is not None else str(result["content"])
    if result["status"] == "error":
        return Failure(text)
    return Value(result if texts is None else data_of(text))


def _written(value: Any, result: Any) -> Any:
    """The value as the tool would have returned it; for an object of a class, the text that Strands makes of it."""
    if _is_result(result) and not _is_result(value):
        return {"status": "success", "content": [{"text": result_text(value)}]}
    if not isinstance(result, BaseModel) or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str, separators=(",", ":"))
