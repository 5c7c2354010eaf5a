"""OpenAI responses: `POST /v1/responses`. An answer's id says which turn it was, for `previous_response_id`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.adapters.mock_model.script import PlayedTurn
from sealegs.adapters.mock_model.turn_counting import CREATED, ConversationState, Counter, played_reply, tokens
from sealegs.faults.model_apis import MODEL_APIS

API = MODEL_APIS["openai-responses"]


def responses_state(body: Mapping[str, Any]) -> ConversationState:
    """The state of the conversation of a request."""
    counter = Counter(body.get("previous_response_id"))
    given = body.get("input")
    for item in [given] if isinstance(given, str) else given or ():
        if isinstance(item, str):
            counter.note_input(item)
        elif item.get("type") == "function_call":
            counter.note_turn(str(item.get("call_id") or ""))
        elif item.get("role") == "assistant":
            counter.note_turn(str(item.get("id") or ""))
        # Instructions and the model's own reasoning are sent along each time and begin no new turn of the user's.
        elif item.get("role") not in ("system", "developer") and item.get("type") != "reasoning":
            counter.note_input(item)
    return counter.heard()


def responses_answer(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer."""
    answer = API.write(_begun(played, body), played_reply(played, "call"))
    prompted, completed = tokens(body.get("input")), tokens(answer["output"])
    usage = {
        "input_tokens": prompted,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": completed,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompted + completed,
    }
    return {**answer, "usage": usage}


def _begun(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"resp_{played.number}",
        "object": "response",
        "created_at": CREATED,
        "status": "in_progress",
        "model": body.get("model") or "scripted",
        "output": [],
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "parallel_tool_calls": True,
        "previous_response_id": body.get("previous_response_id"),
        "temperature": 1.0,
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
    }
