"""Hand-written loops on Anthropic's messages: from the model's tool uses to the message that answers them.

    messages.append({"role": "assistant", "content": message.content})
    messages.append(tool_results(message.content, wrap(TOOLS, session)))

An error is a tool result with `is_error`. Objects of the `anthropic` package and the same as plain data are read alike;
the package itself is not needed. Its own tool runner takes functions: give it wrapped ones.
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
    error_as_sentence,
    read_field,
)


def tool_results(content: Iterable[Any], tools: Tools, error_text: ErrorText = error_as_sentence) -> dict[str, Any]:
    """The message that answers the tool uses of a message.

    Args:
        content: `message.content`; blocks that are not tool use are left out.
        tools: functions and generators by name, or a list of them.
        error_text: the text for what a tool raises; by default its name and words.
    """
    return _message(call_tools(_uses(content), tools, error_text))


async def tool_results_async(
    content: Iterable[Any], tools: Tools, error_text: ErrorText = error_as_sentence
) -> dict[str, Any]:
    """The same where tools may be async: those run side by side."""
    return _message(await call_tools_async(_uses(content), tools, error_text))


def _uses(content: Iterable[Any]) -> Iterator[RequestedToolCall]:
    for block in content:
        if read_field(block, "type") == "tool_use":
            yield RequestedToolCall(read_field(block, "id"), read_field(block, "name"), read_field(block, "input"))


def _message(found: Iterable[ToolReply]) -> dict[str, Any]:
    return {"role": "user", "content": [_result(reply) for reply in found]}


def _result(reply: ToolReply) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": reply.id, "content": reply.text}
    return {**result, "is_error": True} if reply.failed else result
