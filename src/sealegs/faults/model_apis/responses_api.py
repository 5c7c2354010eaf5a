"""OpenAI responses: `POST /v1/responses`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from sealegs.faults.call import Failure
from sealegs.faults.model_apis.api_paths import RESPONSES
from sealegs.faults.model_apis.model_api import (
    Answer,
    ApiError,
    Problem,
    Reply,
    ReplyCall,
    text_chunks,
    written_event,
)
from sealegs.faults.model_apis.openai_errors import OPENAI_PROBLEMS, OpenAIErrors

CUT = {"length": "max_output_tokens", "filtered": "content_filter"}
TOO_LONG = ApiError(
    400,
    "invalid_request_error",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    code="context_length_exceeded",
    param="input",
)


class ResponsesApi(OpenAIErrors):
    """Responses."""

    name = "openai-responses"
    path = RESPONSES
    problems: ClassVar[Mapping[Problem, ApiError]] = {**OPENAI_PROBLEMS, "context_length": TOO_LONG}

    def read(self, answer: Answer) -> Reply:
        """The reply in a whole answer."""
        texts = [
            part.get("text", "")
            for item in answer["output"]
            if item.get("type") == "message"
            for part in item.get("content") or ()
            if part.get("type") == "output_text"
        ]
        calls = [
            ReplyCall(item["call_id"], item["name"], item["arguments"])
            for item in answer["output"]
            if item.get("type") == "function_call"
        ]
        return Reply("".join(texts) if texts else None, tuple(calls))

    def write(self, answer: Answer, reply: Reply) -> dict[str, Any]:
        """The answer with this reply in it."""
        reason = CUT.get(reply.stop)
        status = "incomplete" if reason else "completed"
        items = [item for item in answer["output"] if item.get("type") not in ("message", "function_call")]
        if reply.say is not None:
            words = (
                {"type": "refusal", "refusal": reply.say}
                if reply.stop == "refused"
                else {"type": "output_text", "text": reply.say, "annotations": [], "logprobs": []}
            )
            mark = str(answer["id"]).removeprefix("resp_")
            message = {"id": f"msg_{mark}", "type": "message", "role": "assistant", "status": status}
            items.append({**message, "content": [words]})
        for call in reply.calls:
            named = {"id": f"fc_{call.id.removeprefix('call_')}", "type": "function_call", "call_id": call.id}
            items.append({**named, "name": call.tool, "arguments": call.arguments, "status": status})
        details = {"reason": reason} if reason else None
        return {**answer, "status": status, "output": items, "incomplete_details": details}

    def without_reply(self, answer: Answer) -> dict[str, Any]:
        """The answer with no output."""
        return {**answer, "output": []}

    def stream(self, answer: Answer, usage: bool = True) -> Iterator[str]:
        """A whole answer as server-sent events."""
        for number, event in enumerate(_events(answer)):
            yield written_event({**event, "sequence_number": number}, event["type"])

    def gather(self, events: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any] | None:
        """The whole answer that events bring: it is in the last of them."""
        ends = ("response.completed", "response.incomplete")
        return next((data["response"] for name, data in events if name in ends), None)

    def call_id(self, seed: str) -> str:
        """The id of a call that a fault makes up."""
        return f"call_{seed}"

    def last_calls(self, request: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The tools that the model called last in the conversation of a request."""
        given = request.get("input")
        found: list[tuple[str, str]] = []
        for item in [] if isinstance(given, str) else given or []:
            if item.get("type") == "function_call":
                found.append((item["name"], item["arguments"]))
            elif item.get("role") == "assistant":
                found = []
        return found

    def offered(self, request: Mapping[str, Any]) -> set[str]:
        """The names of the tools that a request offers."""
        return {str(tool.get("name")) for tool in request.get("tools") or ()}

    def error_event(self, failure: Failure) -> str:
        """An error in the middle of a stream."""
        detail = self.detail(failure)
        event = {"type": "error", "code": detail["code"] or detail["type"], "message": failure.message}
        return written_event({**event, "param": detail["param"], "sequence_number": 0}, "error")


def _events(answer: Answer) -> Iterator[dict[str, Any]]:
    begun = {**answer, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for at, item in enumerate(answer["output"]):
        place = {"item_id": item.get("id"), "output_index": at}
        is_call, is_message = item["type"] == "function_call", item["type"] == "message"
        empty: dict[str, Any] = {"arguments": ""} if is_call else {"content": []} if is_message else {}
        started = {**item, "status": "in_progress", **empty}
        yield {"type": "response.output_item.added", "output_index": at, "item": started}
        if is_call:
            for chunk in text_chunks(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", **place, "delta": chunk}
            yield {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]}
        elif is_message:
            for index, part in enumerate(item["content"]):
                yield from _text_events({**place, "content_index": index}, part)
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
    yield {"type": f"response.{answer['status']}", "response": answer}


def _text_events(place: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    refused = part["type"] == "refusal"
    field, name = ("refusal", "refusal") if refused else ("text", "output_text")
    more: dict[str, Any] = {} if refused else {"logprobs": []}
    yield {"type": "response.content_part.added", **place, "part": {**part, field: ""}}
    for chunk in text_chunks(part[field]):
        yield {"type": f"response.{name}.delta", **place, "delta": chunk, **more}
    yield {"type": f"response.{name}.done", **place, field: part[field], **more}
    yield {"type": "response.content_part.done", **place, "part": part}
