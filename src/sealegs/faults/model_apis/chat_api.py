"""OpenAI chat completions: `POST /v1/chat/completions`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sealegs.faults.call import Failure
from sealegs.faults.model_apis.api_paths import CHAT
from sealegs.faults.model_apis.model_api import Answer, Reply, ReplyCall, text_chunks, written_event
from sealegs.faults.model_apis.openai_errors import OpenAIErrors

STOPS = {"length": "length", "filtered": "content_filter"}


class ChatApi(OpenAIErrors):
    """Chat completions. Of several choices, the first is the reply."""

    name = "openai-chat"
    path = CHAT

    def read(self, answer: Answer) -> Reply:
        """The reply in a whole answer."""
        message = answer["choices"][0]["message"]
        calls = [
            ReplyCall(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls") or ()
        ]
        return Reply(message.get("content"), tuple(calls))

    def write(self, answer: Answer, reply: Reply) -> dict[str, Any]:
        """The answer with this reply in it."""
        refused = reply.stop == "refused"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": None if refused else reply.say,
            "refusal": reply.say if refused else None,
        }
        if reply.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
                for call in reply.calls
            ]
        # Some clients decide by this reason, and not by the calls, whether tools are to be called.
        stop = STOPS.get(reply.stop) or ("tool_calls" if reply.calls else "stop")
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": stop}
        usage = {"usage": answer["usage"]} if "usage" in answer else {}
        head = {name: value for name, value in answer.items() if name not in ("choices", "usage")}
        return {**head, "choices": [choice], **usage}

    def without_reply(self, answer: Answer) -> dict[str, Any]:
        """The answer with no choices."""
        return {**answer, "choices": []}

    def stream(self, answer: Answer, usage: bool = True) -> Iterator[str]:
        """A whole answer as server-sent events."""
        head = {name: value for name, value in answer.items() if name not in ("choices", "usage")}
        head["object"] = "chat.completion.chunk"
        for choice in answer["choices"][:1]:
            for delta in _deltas(choice["message"]):
                yield written_event(
                    {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]}
                )
            last = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": choice["finish_reason"]}
            yield written_event({**head, "choices": [last]})
        if usage and answer.get("usage"):
            yield written_event({**head, "choices": [], "usage": answer["usage"]})
        yield "data: [DONE]\n\n"

    def gather(self, events: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any] | None:
        """The whole answer that events bring."""
        head: dict[str, Any] = {}
        message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
        calls: dict[int, dict[str, Any]] = {}
        stop = None
        for _, data in events:
            head.update({name: value for name, value in data.items() if name != "choices" and value is not None})
            for choice in data.get("choices") or ():
                delta = choice.get("delta") or {}
                for name in ("content", "refusal"):
                    if delta.get(name) is not None:
                        message[name] = (message[name] or "") + delta[name]
                for part in delta.get("tool_calls") or ():
                    # Only a call's first part brings its id and name; the index alone identifies later ones.
                    _add(calls.setdefault(part["index"], {"type": "function"}), part)
                stop = choice.get("finish_reason") or stop
        # Without a finish reason the stream broke off: what has arrived is not an answer.
        if stop is None:
            return None
        if calls:
            message["tool_calls"] = [calls[at] for at in sorted(calls)]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": stop}
        return {**head, "object": "chat.completion", "choices": [choice]}

    def call_id(self, seed: str) -> str:
        """The id of a call that a fault makes up."""
        return f"call_{seed}"

    def last_calls(self, request: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The tools that the model called last in the conversation of a request."""
        for message in reversed(request.get("messages") or []):
            if message.get("role") == "assistant":
                found = [call["function"] for call in message.get("tool_calls") or ()]
                return [(one["name"], one["arguments"]) for one in found]
        return []

    def offered(self, request: Mapping[str, Any]) -> set[str]:
        """The names of the tools that a request offers."""
        return {str((tool.get("function") or {}).get("name")) for tool in request.get("tools") or ()}

    def error_event(self, failure: Failure) -> str:
        """An error in the middle of a stream."""
        return written_event(self.error(failure))


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    content, refusal = message.get("content"), message.get("refusal")
    yield {"role": "assistant", "content": "" if content is not None else None}
    for chunk in text_chunks(content or ""):
        yield {"content": chunk}
    for chunk in text_chunks(refusal or ""):
        yield {"refusal": chunk}
    for at, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": at, "function": {"name": function["name"], "arguments": ""}}]}
        for chunk in text_chunks(function["arguments"]):
            yield {"tool_calls": [{"index": at, "function": {"arguments": chunk}}]}


def _add(call: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Add a chunk's part of a call to that call."""
    function = part.get("function") or {}
    before = call.get("function") or {"name": "", "arguments": ""}
    call["id"] = part.get("id") or call.get("id", "")
    call["function"] = {
        "name": before["name"] + (function.get("name") or ""),
        "arguments": before["arguments"] + (function.get("arguments") or ""),
    }
