"""Common parts of the interfaces of models: a reply that is free of their forms, and the errors that they give."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal

from sealegs.faults.call import Failure

Answer = Mapping[str, Any]
Headers = list[tuple[str, str]]
Stop = Literal["end", "length", "filtered", "refused"]
Problem = Literal[
    "request_limit",
    "token_limit",
    "quota",
    "overloaded",
    "server_error",
    "unavailable",
    "context_length",
    "content_filter",
]
PIECES = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class ReplyCall:
    """A call of a tool in a model's reply; the arguments are text, as the model wrote them."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's text and its calls.

    Attributes:
        say: its words; None where there are none.
        calls: the tools that it calls.
        stop: why it ended. `end`: it was done, be it with words or with calls.
    """

    say: str | None
    calls: tuple[ReplyCall, ...] = ()
    stop: Stop = "end"


@dataclass(frozen=True, slots=True)
class ApiError:
    """An error of an interface. `limit` names what there was too much of, in the headers of a rate limit."""

    status: int
    type: str
    message: str
    code: str | None = None
    param: str | None = None
    limit: Literal["", "requests", "tokens"] = ""


class ModelApi(ABC):
    """An HTTP interface of a model.

    `streams_broken` tells whether only a stream can bring arguments that do not parse. `types` are the error types by
    status, for failures that are not of this interface's own making.
    """

    name: ClassVar[str]
    path: ClassVar[str]
    problems: ClassVar[Mapping[Problem, ApiError]]
    types: ClassVar[Mapping[int, str]]
    own_type: ClassVar[re.Pattern[str]]
    streams_broken: ClassVar[bool] = False

    @abstractmethod
    def read(self, answer: Answer) -> Reply:
        """The reply in a whole answer."""

    @abstractmethod
    def write(self, answer: Answer, reply: Reply) -> dict[str, Any]:
        """The answer with this reply in it."""

    @abstractmethod
    def without_reply(self, answer: Answer) -> dict[str, Any]:
        """The answer with nothing where a reply should be."""

    @abstractmethod
    def stream(self, answer: Answer, usage: bool = True) -> Iterator[str]:
        """A whole answer as server-sent events. `usage`: whether the request asked for the tokens at the end."""

    @abstractmethod
    def gather(self, events: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any] | None:
        """The whole answer that events bring, each its name and its data; None where they bring none."""

    @abstractmethod
    def call_id(self, seed: str) -> str:
        """The id of a call that a fault makes up."""

    @abstractmethod
    def last_calls(self, request: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The tools that the model called last in the conversation of a request, each with its arguments."""

    @abstractmethod
    def offered(self, request: Mapping[str, Any]) -> set[str]:
        """The names of the tools that a request offers."""

    @abstractmethod
    def error(self, failure: Failure) -> dict[str, Any]:
        """The body of an error."""

    @abstractmethod
    def error_event(self, failure: Failure) -> str:
        """The same error in the middle of a stream."""

    @abstractmethod
    def headers(self, failure: Failure, now: datetime) -> Headers:
        """The headers that come with an error, besides those of its body."""

    def failure(self, problem: Problem, model: str, retry_after: float | None) -> Failure:
        """A problem of the model as a failure of this interface."""
        known = self.problems[problem]
        message = known.message.format(model=model or "the model", wait=duration(retry_after or 1.0))
        body = {"code": known.code, "param": known.param, "limit": known.limit}
        # To wait does not fill a quota that is used up, and the services send no time for it.
        waits = retry_after if known.status in (429, 503, 529) and problem != "quota" else None
        given = {name: value for name, value in body.items() if value}
        return Failure(message, type=known.type, status=known.status, retry_after=waits, body=given or None)

    def error_type(self, failure: Failure) -> str:
        """The type of the error that a failure becomes."""
        if self.own_type.fullmatch(failure.type):
            return failure.type
        status = failure.status or 500
        return self.types.get(status) or self.types[500 if status >= 500 else 400]

    def request_id(self, failure: Failure) -> str:
        """The id of a request that failed; the same for the same failure."""
        identity = repr((self.name, failure.status, failure.type, failure.message))
        return f"req_{hashlib.sha256(identity.encode()).hexdigest()[:24]}"


def parsed_events(texts: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
    """Server-sent events as their names and their data; those without a JSON object are left out."""
    found = []
    for text in texts:
        name, lines = "", []
        for line in text.splitlines():
            field, _, value = line.partition(":")
            if field == "event":
                name = value.strip()
            elif field == "data":
                # One space behind the colon is not part of the value, by the standard; further ones are.
                lines.append(value.removeprefix(" "))
        try:
            data = json.loads("\n".join(lines))
        # Such as `[DONE]`, with which OpenAI's streams end.
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            found.append((name or str(data.get("type", "")), data))
    return found


def written_event(data: Mapping[str, Any], name: str = "") -> str:
    """A server-sent event."""
    text = f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
    return f"event: {name}\n{text}" if name else text


def text_chunks(text: str) -> Iterator[str]:
    """The chunks in which a stream brings a text."""
    yield from PIECES.findall(text)


def duration(seconds: float) -> str:
    """Seconds as OpenAI writes them: `120ms`, `2s`, `6m0s`."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{rest:g}s" if minutes else f"{rest:g}s"
