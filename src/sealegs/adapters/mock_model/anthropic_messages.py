"""Anthropic messages: `POST /v1/messages`. An answer's id says which turn it was, for threads that continue from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sealegs.adapters.mock_model.script import PlayedTurn, ToolUse
from sealegs.adapters.mock_model.turn_counting import ConversationState, Counter, played_reply, tokens, turn_tokens
from sealegs.faults.model_apis import MODEL_APIS

API = MODEL_APIS["anthropic-messages"]


def messages_state(body: Mapping[str, Any]) -> ConversationState:
    """The state of the conversation of a request."""
    counter = Counter((body.get("thread") or {}).get("previous_message_id"))
    for message in body.get("messages") or ():
        content = message.get("content")
        if message.get("role") == "assistant":
            parts = content if isinstance(content, list) else []
            counter.note_turn(next((str(part.get("id")) for part in parts if part.get("type") == "tool_use"), ""))
        else:
            counter.note_input(content)
    return counter.heard()


def messages_answer(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer. Arguments that are a text are its `text`: this interface has them as data."""
    usage = {"input_tokens": tokens(body.get("messages")), "output_tokens": turn_tokens(played)}
    reply = played_reply(replace(played, uses=tuple(map(_as_data, played.uses))), "toolu")
    return {**API.write(_head(played, body), reply), "usage": usage}


def _as_data(use: ToolUse) -> ToolUse:
    return use if isinstance(use.arguments, dict) else use.model_copy(update={"arguments": {"text": use.arguments}})


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
