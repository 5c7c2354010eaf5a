"""The heart of a hand-written loop: a model's tool call, the tool that does it, and a text for the model.

`openai` and `anthropic` beside this file read and write each provider's messages. The tools are any callables, wrapped
or marked; what they raise is reported to the model, as such loops do.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.faults.call import Value, render
from sealegs.inject import ModelTurn

Tools = Mapping[str, Callable[..., Any]] | Sequence[Callable[..., Any]]
ErrorText = Callable[[Exception], str]


@dataclass(frozen=True, slots=True)
class RequestedToolCall:
    """A tool call that a model asked for. `arguments`: data, or the text that the model wrote."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The text that answers it, and whether it tells of an error."""

    id: str
    text: str
    failed: bool


class Refused(Exception):
    """A request of the model's that cannot be called at all."""


def read_field(thing: Any, name: str, default: Any = None) -> Any:
    """A field of a provider's object, or of the same as plain data."""
    return thing.get(name, default) if isinstance(thing, Mapping) else getattr(thing, name, default)


def tools_by_name(tools: Tools) -> dict[str, Callable[..., Any]]:
    """The tools by name."""
    if isinstance(tools, Mapping):
        return dict(tools)
    return {str(getattr(tool, "__name__", type(tool).__name__)): tool for tool in tools}


def call_tools(requests: Iterable[RequestedToolCall], tools: Tools, error_text: ErrorText) -> list[ToolReply]:
    """Call the tools, one after the other.

    Args:
        requests: the calls that the model requested.
        tools: sync functions and generators.
        error_text: the text for what a tool raises.
    """
    known = tools_by_name(tools)
    found = []
    for request in requests:
        try:
            call = _ready(request, known)
            if isinstance(call, Refused):
                raise call
            value = call()
            value = list(value) if inspect.isgenerator(value) else value
        except Exception as error:
            found.append(ToolReply(request.id, error_text(error), failed=True))
        else:
            found.append(ToolReply(request.id, answer_text(value), failed=False))
    return found


async def call_tools_async(
    requests: Iterable[RequestedToolCall], tools: Tools, error_text: ErrorText
) -> list[ToolReply]:
    """Call the tools, side by side where they are async; see `call_tools`.

    To faults that count calls, they come in the order in which the model asked for them.
    """
    known = tools_by_name(tools)
    # All are made ready before the first begins: faults that count calls need the order of the whole turn.
    ready = [(request, _ready(request, known)) for request in requests]
    # A call that is refused keeps its place in the turn, and counts for no tool.
    turn = ModelTurn("" if isinstance(call, Refused) else request.tool for request, call in ready)

    async def reply(index: int, request: RequestedToolCall, call: Callable[[], Any] | Refused) -> ToolReply:
        if isinstance(call, Refused):
            return ToolReply(request.id, error_text(call), failed=True)
        try:
            with turn.call(index):
                value = await _awaited(call())
        except Exception as error:
            return ToolReply(request.id, error_text(error), failed=True)
        return ToolReply(request.id, answer_text(value), failed=False)

    return list(await asyncio.gather(*(reply(index, *one) for index, one in enumerate(ready))))


async def _awaited(value: Any) -> Any:
    """The final value of a tool of any form: awaited, or the list of its chunks."""
    if inspect.isasyncgen(value):
        return [chunk async for chunk in value]
    if inspect.isgenerator(value):
        return list(value)
    return await value if inspect.isawaitable(value) else value


def answer_text(value: Any) -> str:
    """A tool's answer as text; the chunks of a text are put together."""
    if isinstance(value, list) and value and all(isinstance(chunk, str) for chunk in value):
        return "".join(value)
    return render(Value(value))


def error_as_json(error: Exception) -> str:
    """A tool's exception as the JSON of an error."""
    return render(failure_from_exception(error))


def error_as_sentence(error: Exception) -> str:
    """A tool's exception in a line: the error's name and words, or its JSON where there is more to say."""
    failure = failure_from_exception(error)
    if failure.status is not None or failure.retry_after is not None or failure.body:
        return render(failure)
    return f"{failure.type}: {failure.message}"


def _ready(request: RequestedToolCall, tools: Mapping[str, Callable[..., Any]]) -> Callable[[], Any] | Refused:
    """The requested call, yet to be made; or why it cannot be."""
    tool = tools.get(request.tool)
    if tool is None:
        return Refused(f"There is no tool named {request.tool}; there are {', '.join(tools)}.")
    arguments = request.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            return Refused(f"The arguments are not valid JSON: {error}.")
    if not isinstance(arguments, Mapping):
        return Refused("The arguments are no JSON object.")
    # Only bound here: arguments that do not fit are an error of the call, and reach the model as one.
    return functools.partial(tool, **arguments)
