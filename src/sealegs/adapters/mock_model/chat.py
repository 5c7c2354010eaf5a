"""OpenAI chat completions: `POST /v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.adapters.mock_model.script import PlayedTurn
from sealegs.adapters.mock_model.turn_counting import (
    CREATED,
    ConversationState,
    Counter,
    played_reply,
    tokens,
    turn_tokens,
)
from sealegs.faults.model_apis import MODEL_APIS

API = MODEL_APIS["openai-chat"]


def chat_state(body: Mapping[str, Any]) -> ConversationState:
    """The state of the conversation of a request."""
    counter = Counter()
    for message in body.get("messages") or ():
        if message.get("role") == "assistant":
            calls = message.get("tool_calls") or ()
            counter.note_turn(str(calls[0].get("id")) if calls else "")
        elif message.get("role") not in ("system", "developer"):
            counter.note_input(message.get("content"))
    return counter.heard()


def chat_answer(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer."""
    prompted, completed = tokens(body.get("messages")), turn_tokens(played)
    usage = {"prompt_tokens": prompted, "completion_tokens": completed, "total_tokens": prompted + completed}
    head = {"id": f"chatcmpl-{played.number}", "object": "chat.completion", "created": CREATED}
    return API.write({**head, "model": body.get("model") or "scripted", "usage": usage}, played_reply(played, "call"))
