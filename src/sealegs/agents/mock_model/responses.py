"""OpenAI responses: `POST /v1/responses`. An answer's id says which turn it was, for `previous_response_id`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sealegs.agents.mock_model.script import PlayedTurn
from sealegs.agents.mock_model.turn_counting import (
    CREATED,
    ConversationState,
    Counter,
    arguments_text,
    text_pieces,
    tokens,
)


def responses_state(body: Mapping[str, Any]) -> ConversationState:
    """How far the conversation of a request is."""
    counter = Counter(body.get("previous_response_id"))
    given = body.get("input")
    for item in [given] if isinstance(given, str) else given or ():
        if isinstance(item, str):
            counter.told(item)
        elif item.get("type") == "function_call":
            counter.said(str(item.get("call_id") or ""))
        elif item.get("role") == "assistant":
            counter.said(str(item.get("id") or ""))
        elif item.get("role") not in ("system", "developer") and item.get("type") != "reasoning":
            counter.told(item)
    return counter.heard()


def responses_answer(played: PlayedTurn, body: Mapping[str, Any]) -> dict[str, Any]:
    """The whole answer."""
    return _response(played, body, "completed", [item for item, _ in _items(played)])


def responses_stream(played: PlayedTurn, body: Mapping[str, Any]) -> Iterator[str]:
    """The answer as server-sent events."""
    for number, event in enumerate(_events(played, body)):
        data = json.dumps({**event, "sequence_number": number}, ensure_ascii=False)
        yield f"event: {event['type']}\ndata: {data}\n\n"


def _events(played: PlayedTurn, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = _response(played, body, "in_progress", [])
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    items = list(_items(played))
    for at, (item, text) in enumerate(items):
        place = {"item_id": item["id"], "output_index": at}
        is_call = item["type"] == "function_call"
        empty: dict[str, Any] = {"arguments": ""} if is_call else {"content": []}
        yield {
            "type": "response.output_item.added",
            "output_index": at,
            "item": {**item, "status": "in_progress", **empty},
        }
        yield from _called(place, text) if is_call else _said(place, text)
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
    done = _response(played, body, "completed", [item for item, _ in items])
    yield {"type": "response.completed", "response": done}


def _said(place: Mapping[str, Any], text: str) -> Iterator[dict[str, Any]]:
    place = {**place, "content_index": 0}
    yield {"type": "response.content_part.added", **place, "part": _part("")}
    for piece in text_pieces(text):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": _part(text)}


def _called(place: Mapping[str, Any], text: str) -> Iterator[dict[str, Any]]:
    for piece in text_pieces(text):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    yield {"type": "response.function_call_arguments.done", **place, "arguments": text}


def _items(played: PlayedTurn) -> Iterator[tuple[dict[str, Any], str]]:
    """The items of the output, each with its text."""
    mark = played.number
    if played.say is not None:
        content = [_part(played.say)]
        message = {"id": f"msg_{mark}", "type": "message", "role": "assistant", "status": "completed"}
        yield {**message, "content": content}, played.say
    for at, use in enumerate(played.uses):
        text = arguments_text(use)
        call = {"id": f"fc_{mark}_{at}", "type": "function_call", "call_id": f"call_{mark}_{at}"}
        yield {**call, "name": use.tool, "arguments": text, "status": "completed"}, text


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response(played: PlayedTurn, body: Mapping[str, Any], status: str, output: list[Any]) -> dict[str, Any]:
    asked, said = tokens(body.get("input")), tokens(output)
    usage = {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": asked + said,
    }
    return {
        "id": f"resp_{played.number}",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "model": body.get("model") or "scripted",
        "output": output,
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
        "usage": usage if status == "completed" else None,
    }
