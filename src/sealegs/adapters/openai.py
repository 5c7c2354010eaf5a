"""Hand-written loops on OpenAI's interfaces: from the model's tool calls to the messages that answer them.

    messages.append(message)
    messages += tool_messages(message.tool_calls, wrap(TOOLS, session))      # chat completions
    given += call_outputs(response.output, wrap(TOOLS, session))             # responses

An error stands in the message's text: these interfaces have no other place for it. Objects of the `openai` package and
the same as plain data are read alike; the package itself is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sealegs.adapters.dispatch import (
    ErrorText,
    RequestedToolCall,
    ToolReply,
    Tools,
    call_tools,
    call_tools_async,
    error_as_json,
    read_field,
)


def tool_messages(
    calls: Iterable[Any] | None, tools: Tools, error_text: ErrorText = error_as_json
) -> list[dict[str, Any]]:
    """The messages that answer the tool calls of a chat completion.

    Args:
        calls: `message.tool_calls`; None where the model called none.
        tools: functions and generators by name, or a list of them.
        error_text: the text for what a tool raises; by default its JSON.
    """
    return [_message(reply) for reply in call_tools(_calls(calls), tools, error_text)]


async def tool_messages_async(
    calls: Iterable[Any] | None, tools: Tools, error_text: ErrorText = error_as_json
) -> list[dict[str, Any]]:
    """The same where tools may be async: those run side by side."""
    return [_message(reply) for reply in await call_tools_async(_calls(calls), tools, error_text)]


def call_outputs(output: Iterable[Any], tools: Tools, error_text: ErrorText = error_as_json) -> list[dict[str, Any]]:
    """The items that answer the function calls of a response; for the arguments see `tool_messages`.

    Args:
        output: `response.output`; items that are not function calls are left out.
        tools: functions and generators by name, or a list of them.
        error_text: the text for what a tool raises; by default its JSON.
    """
    return [_output(reply) for reply in call_tools(_items(output), tools, error_text)]


async def call_outputs_async(
    output: Iterable[Any], tools: Tools, error_text: ErrorText = error_as_json
) -> list[dict[str, Any]]:
    """The same where tools may be async: those run side by side."""
    return [_output(reply) for reply in await call_tools_async(_items(output), tools, error_text)]


def _calls(calls: Iterable[Any] | None) -> Iterator[RequestedToolCall]:
    for call in calls or ():
        function = read_field(call, "function")
        yield RequestedToolCall(read_field(call, "id"), read_field(function, "name"), read_field(function, "arguments"))


def _items(output: Iterable[Any]) -> Iterator[RequestedToolCall]:
    for item in output:
        if read_field(item, "type") == "function_call":
            yield RequestedToolCall(
                read_field(item, "call_id"), read_field(item, "name"), read_field(item, "arguments")
            )


def _message(reply: ToolReply) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": reply.id, "content": reply.text}


def _output(reply: ToolReply) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": reply.id, "output": reply.text}
