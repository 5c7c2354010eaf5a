"""What clients of models make of each fault: one table, for every client that is tried.

The bodies are those of https://platform.openai.com/docs/guides/error-codes and https://docs.claude.com/en/api/errors;
the reasons to stop those of the clients' own types.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WORDS = "It is sunny in Oslo and 21 degrees warm."
CITY = {"city": "Oslo"}
SCRIPT = {"turns": [{"say": "Let me look.", "call": {"tool": "weather", "arguments": CITY}}, {"say": WORDS}]}
APIS = ("chat", "responses", "messages")
QUESTION: list[Any] = [{"role": "user", "content": "Weather?"}]
TOOLS: dict[str, list[Any]] = {
    "chat": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}],
    "responses": [{"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": False}],
    "messages": [{"name": "weather", "input_schema": {"type": "object"}}],
}
CALLED: dict[str, list[Any]] = {  # a conversation in which the model has called the tool once
    "chat": [
        *QUESTION,
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": json.dumps(CITY)}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ],
    "responses": [
        *QUESTION,
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": json.dumps(CITY)},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    ],
    "messages": [
        *QUESTION,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": CITY}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "sunny"}]},
    ],
}

# Each error, and what is raised: exception, status, type, code (OpenAI's alone), the seconds of `Retry-After`.
DOCUMENTED = """
request_limit | RateLimitError 429 requests rate_limit_exceeded 1 | RateLimitError 429 rate_limit_error 1
token_limit | RateLimitError 429 tokens rate_limit_exceeded 1 | RateLimitError 429 rate_limit_error 1
quota | RateLimitError 429 insufficient_quota insufficient_quota | BadRequestError 400 invalid_request_error
overloaded | InternalServerError 503 server_error | OverloadedError 529 overloaded_error
server_error | InternalServerError 500 server_error | InternalServerError 500 api_error
unavailable | InternalServerError 503 server_error | ServiceUnavailableError 503 api_error
context_length | BadRequestError 400 invalid_request_error TOO_LONG | BadRequestError 400 invalid_request_error
content_filter | BadRequestError 400 invalid_request_error content_filter | BadRequestError 400 invalid_request_error
""".replace("TOO_LONG", "context_length_exceeded")
OF_TOOLS = """
{"kind": "error", "status": 401} | AuthenticationError 401 invalid_request_error invalid_api_key \
| AuthenticationError 401 authentication_error
{"kind": "error", "status": 404} | NotFoundError 404 invalid_request_error | NotFoundError 404 not_found_error
{"kind": "error", "status": 500} | InternalServerError 500 server_error | InternalServerError 500 api_error
{"kind": "error", "status": 504} | InternalServerError 504 server_error | GatewayTimeoutError 504 timeout_error
{"kind": "error", "status": 529} | InternalServerError 529 server_error | OverloadedError 529 overloaded_error
{"kind": "rate_limit", "retry_after": 1} | RateLimitError 429 requests rate_limit_exceeded 1 \
| RateLimitError 429 rate_limit_error 1
{"kind": "connection", "mode": "reset"} | APIConnectionError | APIConnectionError
{"kind": "connection", "mode": "refused"} | APIConnectionError | APIConnectionError
{"kind": "hang"} | APITimeoutError | APITimeoutError
{"kind": "timeout"} | APITimeoutError | APITimeoutError
"""
# Each altered turn, and how it ended, its words, its refusal and its calls. The first calls a tool or says WORDS.
ALTERED = """
refusal, words | stop none refused | completed none refused | refusal none
length, words | length part | max_output_tokens part | max_tokens part
content_filter, words | content_filter part | content_filter part | refusal none
empty, words | stop none | completed none | end_turn none
no_choices, words | none none | completed none | end_turn none
length, call | length said broken | max_output_tokens said broken | max_tokens said
invented_tool, call | tool_calls said invented | completed said invented | tool_use said invented
repeated_call, words | tool_calls none asked | completed none asked | tool_use none asked
broken_arguments, call | tool_calls said broken | completed said broken | tool_use said asked, tool_use said broken
no_choices, call | none none | completed none | end_turn none
"""
# Each stream that fails after eight events, and what Python's and Node's clients raise; nothing where they wait on.
BROKEN = """
{"kind": "model_error", "error": "overloaded"} | APIError server_error, APIError server_error \
| error server_error | APIStatusError 200 overloaded_error, APIError overloaded_error
{"kind": "interrupted", "mode": "reset"} | APIConnectionError, TypeError | APIConnectionError, TypeError \
| ReadError, TypeError
{"kind": "interrupted", "mode": "closed"} | APIConnectionError, TypeError | APIConnectionError, TypeError \
| RemoteProtocolError, TypeError
{"kind": "interrupted", "mode": "hang"} | APITimeoutError, waits | APITimeoutError, waits | ReadTimeout, waits
"""
NAMES = {"node": {"APITimeoutError": "APIConnectionTimeoutError"}}  # what a client names otherwise than Python's
PATIENCE = 2  # seconds until a client gives up on what hangs


def rows(table: str) -> list[list[str]]:
    """The cells of a table."""
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


@dataclass(frozen=True)
class Case:
    """A fault, the request that it strikes, and what is expected of the client in each language.

    Attributes:
        tries: how often the client asks, if it may try once more.
    """

    name: str
    api: str
    fault: dict[str, Any]
    body: dict[str, Any]
    patience: float
    expected: dict[str, str]
    tries: int


def cases() -> list[Case]:
    """All of them, for each interface, whole and streamed."""
    found = []
    for error, *outcomes in rows(DOCUMENTED):
        wait = {"retry_after": 1} if outcomes[0].endswith(" 1") else {}
        found += _failing({"kind": "model_error", "error": error, **wait}, outcomes)
    for fault, *outcomes in rows(OF_TOOLS):
        found += _failing(json.loads(fault), outcomes)
    for form, *outcomes in rows(ALTERED):
        kind, turn = form.split(", ")
        for api, outcome in zip(APIS, outcomes, strict=True):
            plain, *streamed = outcome.split(", ")
            for stream, text in ((False, plain), (True, (streamed or [plain])[0])):
                found.append(_case(api, {"kind": "altered_reply", "form": kind}, turn, stream, (text, text)))
    for fault, *outcomes in rows(BROKEN):
        for api, outcome in zip(APIS, outcomes, strict=True):
            python, *node = outcome.split(", ")
            found.append(_case(api, {**json.loads(fault), "after": 8}, "words", True, (python, (node or [python])[0])))
    return found


def _failing(fault: dict[str, Any], outcomes: list[str]) -> list[Case]:
    """A request that fails before anything is answered."""
    by_api = zip(APIS, (outcomes[0], *outcomes), strict=True)
    return [_case(api, fault, "call", stream, (text, text)) for api, text in by_api for stream in (False, True)]


def _case(api: str, fault: dict[str, Any], turn: str, stream: bool, texts: tuple[str, str]) -> Case:
    name = f"{api} {'stream' if stream else 'whole'} {turn} {json.dumps(fault)}"
    body: dict[str, Any] = {"model": name, "tools": TOOLS[api], "stream": stream}
    body["input" if api == "responses" else "messages"] = QUESTION if turn == "call" else CALLED[api]
    if api == "messages":
        body["max_tokens"] = 99
    raised, status, *_ = [*texts[0].split(), ""]
    before = "after" not in fault and raised.endswith("Error")
    again = before and (not status or int(status) in (408, 409, 429) or int(status) >= 500)
    hangs = fault["kind"] in ("hang", "timeout") or fault.get("mode") == "hang"
    expected = {"python": texts[0], "node": NAMES["node"].get(texts[1], texts[1])}
    return Case(name, api, fault, body, PATIENCE if hangs else 60, expected, 2 if again else 1)


def outcome(api: str, seen: dict[str, Any]) -> str:
    """What a client saw, in the words of the tables: the error that it raised, the answer, or its events."""
    if error := seen.get("error"):
        body = error.get("body") or {}
        inner = body.get("error", body)
        parts = [error["raised"], error.get("status"), inner.get("type"), inner.get("code"), error.get("wait")]
        return " ".join(str(part) for part in parts if part)
    if seen.get("waits"):
        return "waits"
    answer = seen["answer"] if "answer" in seen else GATHERED[api](seen["events"])
    return TOLD[api](answer)


def _told(ended: str | None, words: str | None, refused: bool, calls: list[tuple[str, str]]) -> str:
    kinds = []
    for name, arguments in calls:
        try:
            same = json.loads(arguments) == CITY
        except ValueError:
            kinds.append("broken" if name == "weather" else "other")
        else:
            kinds.append(("asked" if name == "weather" else "invented") if same else "other")
    found = words or ""
    if found in ("", WORDS, "Let me look."):
        said = {"": "none", WORDS: "whole"}.get(found, "said")
    else:
        said = "part" if WORDS.startswith(found) else "other"
    return " ".join([str(ended).lower(), said, *(["refused"] if refused else []), *kinds])


def _told_by_chat(answer: dict[str, Any]) -> str:
    choice: dict[str, Any] = next(iter(answer["choices"]), {"message": {}})
    message: dict[str, Any] = choice["message"]
    calls = [(one["function"]["name"], one["function"]["arguments"]) for one in message.get("tool_calls") or ()]
    return _told(choice.get("finish_reason"), message.get("content"), bool(message.get("refusal")), calls)


def _told_by_responses(answer: dict[str, Any]) -> str:
    if "code" in answer:
        return f"error {answer['code']}"
    parts = [part for item in answer["output"] if item["type"] == "message" for part in item["content"]]
    words = "".join(part.get("text", "") for part in parts)
    calls = [(item["name"], item["arguments"]) for item in answer["output"] if item["type"] == "function_call"]
    refused = any(part["type"] == "refusal" for part in parts)
    return _told((answer.get("incomplete_details") or {}).get("reason") or answer["status"], words, refused, calls)


def _told_by_messages(answer: dict[str, Any]) -> str:
    words = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
    calls = [
        (block["name"], block.get("partial") or json.dumps(block["input"]))
        for block in answer["content"]
        if block["type"] == "tool_use"
    ]
    return _told(answer["stop_reason"], words, False, calls)


def _gathered_chat(events: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"content": "", "refusal": "", "tool_calls": []}
    ended = None
    for choice in (choice for event in events for choice in event["choices"]):
        delta = choice["delta"]
        for name in ("content", "refusal"):
            message[name] += delta.get(name) or ""
        for call in delta.get("tool_calls") or ():
            if call["index"] == len(message["tool_calls"]):
                message["tool_calls"].append({"function": {"name": "", "arguments": ""}})
            for name in ("name", "arguments"):
                message["tool_calls"][call["index"]]["function"][name] += call["function"].get(name) or ""
        ended = choice.get("finish_reason") or ended
    return {"choices": [{"message": message, "finish_reason": ended}]}


def _gathered_responses(events: list[dict[str, Any]]) -> dict[str, Any]:
    last: dict[str, Any] = events[-1]
    return last if last["type"] == "error" else last["response"]


def _gathered_messages(events: list[dict[str, Any]]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    ended = None
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "partial": ""})
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            name = "text" if delta["type"] == "text_delta" else "partial"
            blocks[event["index"]][name] += delta["text"] if name == "text" else delta["partial_json"]
        elif event["type"] == "message_delta":
            ended = event["delta"]["stop_reason"]
    return {"content": blocks, "stop_reason": ended}


TOLD: dict[str, Callable[[dict[str, Any]], str]] = {
    "chat": _told_by_chat,
    "responses": _told_by_responses,
    "messages": _told_by_messages,
}
GATHERED: dict[str, Callable[[list[dict[str, Any]]], dict[str, Any]]] = {
    "chat": _gathered_chat,
    "responses": _gathered_responses,
    "messages": _gathered_messages,
}
