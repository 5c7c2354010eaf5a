"""OpenAI chat completions: `POST /v1/chat/completions`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sealegs.agents.mock_model.script import PlayedTurn, ToolUse
from sealegs.agents.mock_model.turn_counting import (
    CREATED,
    ConversationState,
    Counter,
    arguments_text,
    text_pieces,
    tokens,
)


def chat_state(body: Mapping[str, Any]) -> ConversationState:
    """How far the conversation of a request is."""
    counter = Counter()
    for message in body.get("messages") or ():
        if message.get("role") == "assistant":
            calls = message.get("tool_calls") or ()
            counter.said(str(calls[0].get("id")) if calls else "")
        elif message.get("role") not in ("system", "developer"):
            counter.told(message.get("content"))
    return counter.heard()


def chat_answer(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": played.say, "refusal": None}
    if played.uses:
        message["tool_calls"] = [_call(played, at, use) for at, use in enumerate(played.uses)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _reason(played)}
    return {**_head(played, body, "chat.completion"), "choices": [choice], "usage": _usage(played, body)}


def chat_stream(played: PlayedTurn, body: Mapping[str, Any]) -> Iterator[str]:
    """The answer as server-sent events."""
    head = _head(played, body, "chat.completion.chunk")
    for delta in _deltas(played):
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": _reason(played)}
    yield _event({**head, "choices": [last]})
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _event({**head, "choices": [], "usage": _usage(played, body)})
    yield "data: [DONE]\n\n"


def _deltas(played: PlayedTurn) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if played.say is not None else None}
    for piece in text_pieces(played.say or ""):
        yield {"content": piece}
    for at, use in enumerate(played.uses):
        call = _call(played, at, use)
        yield {"tool_calls": [{**call, "index": at, "function": {"name": use.tool, "arguments": ""}}]}
        for piece in text_pieces(arguments_text(use)):
            yield {"tool_calls": [{"index": at, "function": {"arguments": piece}}]}


def _call(played: PlayedTurn, at: int, use: ToolUse) -> dict[str, Any]:
    function = {"name": use.tool, "arguments": arguments_text(use)}
    return {"id": f"call_{played.number}_{at}", "type": "function", "function": function}


def _reason(played: PlayedTurn) -> str:
    return "tool_calls" if played.uses else "stop"


def _head(played: PlayedTurn, body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    id = f"chatcmpl-{played.number}"
    return {"id": id, "object": kind, "created": CREATED, "model": body.get("model") or "scripted"}


def _usage(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    asked, said = tokens(body.get("messages")), tokens([played.say, [arguments_text(use) for use in played.uses]])
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _event(data: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
