"""Anthropic messages: `POST /v1/messages`.

Source: https://docs.claude.com/en/api/errors, .../api/rate-limits and .../build-with-claude/streaming.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sealegs.faults.call import Failure
from sealegs.faults.model_apis.api_paths import MESSAGES
from sealegs.faults.model_apis.model_api import (
    Answer,
    ApiError,
    Headers,
    ModelApi,
    Reply,
    ReplyCall,
    text_chunks,
    written_event,
)

STOPS = {"length": "max_tokens", "filtered": "refusal", "refused": "refusal"}
MORE = "For details, refer to: https://docs.claude.com/en/api/rate-limits."
LEFT = {
    "requests": {"requests": (50, 0), "input-tokens": (30000, 28000), "output-tokens": (8000, 8000)},
    "tokens": {"requests": (50, 49), "input-tokens": (30000, 0), "output-tokens": (8000, 8000)},
}


class AnthropicApi(ModelApi):
    """Messages. A whole answer has the arguments of a call as data, so only a stream can bring broken ones."""

    name = "anthropic-messages"
    path = MESSAGES
    streams_broken = True
    problems = {
        "request_limit": ApiError(
            429,
            "rate_limit_error",
            f"This request would exceed your organization's rate limit of 50 requests per minute. {MORE}",
            limit="requests",
        ),
        "token_limit": ApiError(
            429,
            "rate_limit_error",
            f"This request would exceed your organization's rate limit of 30,000 input tokens per minute. {MORE}",
            limit="tokens",
        ),
        "quota": ApiError(
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or "
            "purchase credits.",
        ),
        "overloaded": ApiError(529, "overloaded_error", "Overloaded"),
        "server_error": ApiError(500, "api_error", "Internal server error"),
        "unavailable": ApiError(503, "api_error", "Service Unavailable"),
        "context_length": ApiError(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
        "content_filter": ApiError(400, "invalid_request_error", "Output blocked by content filtering policy"),
    }
    types = {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        500: "api_error",
        504: "timeout_error",
        529: "overloaded_error",
    }
    own_type = re.compile("[a-z_]+_error|request_too_large")

    def read(self, answer: Answer) -> Reply:
        """The reply in a whole answer."""
        texts = [block["text"] for block in answer["content"] if block["type"] == "text"]
        calls = [
            ReplyCall(block["id"], block["name"], _text(block["input"]))
            for block in answer["content"]
            if block["type"] == "tool_use"
        ]
        return Reply("".join(texts) if texts else None, tuple(calls))

    def write(self, answer: Answer, reply: Reply) -> dict[str, Any]:
        """The answer with this reply in it; arguments that do not parse stay text, for a stream."""
        content = [block for block in answer["content"] if block["type"] not in ("text", "tool_use")]
        if reply.say and reply.stop not in ("refused", "filtered"):  # a refusal has no words here
            content.append({"type": "text", "text": reply.say, "citations": None})
        content += [
            {"type": "tool_use", "id": call.id, "name": call.tool, "input": _data(call.arguments)}
            for call in reply.calls
        ]
        stop = STOPS.get(reply.stop) or ("tool_use" if reply.calls else "end_turn")
        return {**answer, "content": content, "stop_reason": stop}

    def without_reply(self, answer: Answer) -> dict[str, Any]:
        """The answer with no content."""
        return {**answer, "content": [], "stop_reason": "end_turn"}

    def stream(self, answer: Answer, usage: bool = True) -> Iterator[str]:
        """A whole answer as server-sent events."""
        for event in _events(answer):
            yield written_event(event, event["type"])

    def gather(self, events: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any] | None:
        """The whole answer that events bring."""
        answer: dict[str, Any] = {}
        blocks: dict[int, dict[str, Any]] = {}
        chunks: dict[int, list[str]] = {}
        for name, data in events:
            if name == "message_start":
                answer = dict(data["message"])
            elif name == "content_block_start":
                blocks[data["index"]] = dict(data["content_block"])
            elif name == "content_block_delta":
                _add(blocks[data["index"]], chunks.setdefault(data["index"], []), data["delta"])
            elif name == "message_delta":
                answer.update(data["delta"])
                answer["usage"] = {**answer.get("usage", {}), **data.get("usage", {})}
        # A stream without a stop reason broke off: what has arrived is not an answer.
        if not answer or answer.get("stop_reason") is None:
            return None
        for at, texts in chunks.items():
            # A tool's input comes as chunks of JSON text that are JSON only together.
            blocks[at]["input"] = _data("".join(texts)) if texts else blocks[at].get("input")
        kept = [block if block["type"] == "tool_use" else _without_input(block) for _, block in sorted(blocks.items())]
        return {**answer, "content": kept}

    def call_id(self, seed: str) -> str:
        """The id of a call that a fault makes up."""
        return f"toolu_{seed}"

    def last_calls(self, request: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The tools that the model called last in the conversation of a request."""
        for message in reversed(request.get("messages") or []):
            if message.get("role") == "assistant":
                content = message.get("content")
                blocks = content if isinstance(content, list) else []
                return [(block["name"], _text(block["input"])) for block in blocks if block.get("type") == "tool_use"]
        return []

    def offered(self, request: Mapping[str, Any]) -> set[str]:
        """The names of the tools that a request offers."""
        return {str(tool.get("name")) for tool in request.get("tools") or ()}

    def error(self, failure: Failure) -> dict[str, Any]:
        """The body of an error."""
        detail = {"type": self.error_type(failure), "message": failure.message}
        return {"type": "error", "error": detail, "request_id": self.request_id(failure)}

    def error_event(self, failure: Failure) -> str:
        """An error in the middle of a stream."""
        return written_event(self.error(failure), "error")

    def headers(self, failure: Failure, now: datetime) -> Headers:
        """Its request's id, and for a limit what is left of it and how long to wait."""
        found = [("request-id", self.request_id(failure))]
        wait = failure.retry_after
        if wait is not None:
            found.append(("retry-after", str(math.ceil(wait))))
        if self.error_type(failure) == "rate_limit_error":
            limit = str((failure.body or {}).get("limit") or "requests")
            for name, (most, left) in LEFT[limit].items():
                used_up = left == 0 and most > 0
                reset = now + timedelta(seconds=(wait or 1.0) if used_up else 0)
                found += [
                    (f"anthropic-ratelimit-{name}-limit", str(most)),
                    (f"anthropic-ratelimit-{name}-remaining", str(left)),
                    (f"anthropic-ratelimit-{name}-reset", f"{reset:%Y-%m-%dT%H:%M:%SZ}"),
                ]
        return found


def _events(answer: Answer) -> Iterator[dict[str, Any]]:
    usage = answer.get("usage") or {}
    # As the service does: the first event counts one token, and `message_delta` has the true number.
    begun = {**answer, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    for at, block in enumerate(answer["content"]):
        is_call = block["type"] == "tool_use"
        empty: dict[str, Any] = {"input": {}} if is_call else {"text": ""} if block["type"] == "text" else {}
        yield {"type": "content_block_start", "index": at, "content_block": {**block, **empty}}
        for chunk in text_chunks(_text(block["input"]) if is_call else block.get("text", "")):
            delta = (
                {"type": "input_json_delta", "partial_json": chunk}
                if is_call
                else {"type": "text_delta", "text": chunk}
            )
            yield {"type": "content_block_delta", "index": at, "delta": delta}
        yield {"type": "content_block_stop", "index": at}
    ended = {"stop_reason": answer["stop_reason"], "stop_sequence": answer.get("stop_sequence")}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage.get("output_tokens", 1)}}
    yield {"type": "message_stop"}


def _add(block: dict[str, Any], chunks: list[str], delta: Mapping[str, Any]) -> None:
    """Add a chunk's delta to a block."""
    kind = delta["type"]
    if kind == "input_json_delta":
        chunks.append(delta["partial_json"])
    for name in ("text", "thinking", "signature"):
        if kind == f"{name}_delta":
            block[name] = block.get(name, "") + delta[name]


def _without_input(block: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "input"}


def _text(given: Any) -> str:
    """The arguments of a call as the model wrote them."""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _data(text: str) -> Any:
    """The arguments as data where they are an object, else the text."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return data if isinstance(data, dict) else text
