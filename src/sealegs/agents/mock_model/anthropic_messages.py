"""Anthropic messages: `POST /v1/messages`. An answer's id says which turn it was, for threads that continue from it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sealegs.agents.mock_model.script import PlayedTurn
from sealegs.agents.mock_model.turn_counting import ConversationState, Counter, arguments_text, text_pieces, tokens


def messages_state(body: Mapping[str, Any]) -> ConversationState:
    """How far the conversation of a request is."""
    counter = Counter((body.get("thread") or {}).get("previous_message_id"))
    for message in body.get("messages") or ():
        content = message.get("content")
        if message.get("role") == "assistant":
            parts = content if isinstance(content, list) else []
            counter.said(next((str(part.get("id")) for part in parts if part.get("type") == "tool_use"), ""))
        else:
            counter.told(content)
    return counter.heard()


def messages_answer(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer."""
    return {
        **_head(played, body),
        "content": [block for block, _ in _blocks(played)],
        "stop_reason": _reason(played),
        "usage": {"input_tokens": tokens(body.get("messages")), "output_tokens": _said(played)},
    }


def messages_stream(played: PlayedTurn, body: Mapping[str, Any]) -> Iterator[str]:
    """The answer as server-sent events."""
    for event in _events(played, body):
        yield f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"


def _events(played: PlayedTurn, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": tokens(body.get("messages")), "output_tokens": 1}
    yield {"type": "message_start", "message": {**_head(played, body), "usage": usage}}
    for at, (block, text) in enumerate(_blocks(played)):
        begun = {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}
        yield {"type": "content_block_start", "index": at, "content_block": begun}
        for piece in text_pieces(text):
            is_call = block["type"] == "tool_use"
            delta = (
                {"type": "input_json_delta", "partial_json": piece}
                if is_call
                else {"type": "text_delta", "text": piece}
            )
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
    ended = {"stop_reason": _reason(played), "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": _said(played)}}
    yield {"type": "message_stop"}


def _blocks(played: PlayedTurn) -> Iterator[tuple[dict[str, Any], str]]:
    """The blocks of the content, each with its text."""
    if played.say:
        yield {"type": "text", "text": played.say, "citations": None}, played.say
    for at, use in enumerate(played.uses):
        given = use.arguments if isinstance(use.arguments, dict) else {"text": use.arguments}
        block = {"type": "tool_use", "id": f"toolu_{played.number}_{at}", "name": use.tool, "input": given}
        yield block, json.dumps(given, ensure_ascii=False)


def _reason(played: PlayedTurn) -> str:
    return "tool_use" if played.uses else "end_turn"


def _said(played: PlayedTurn) -> int:
    return tokens([played.say, [arguments_text(use) for use in played.uses]])


def _head(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{played.number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model") or "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
