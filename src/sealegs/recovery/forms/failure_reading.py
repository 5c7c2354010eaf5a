"""A failure as people meet it (text, JSON, the record of an episode) as a call and an outcome.

JSON is read by its fields: JSON-RPC, MCP results, tool messages of model APIs, error bodies of clouds and web
frameworks, outcomes as records hold them. Text is read by its shape (`data/shapes.yaml`): error lines and stack traces
of Python, Java and JavaScript, HTTP, databases, shells. What has no known shape is an error without a name.
`data/forms.yaml` shows how more than eighty of them are read. It does not run anything, and does not judge (`classes`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.equal import arguments_key
from sealegs.faults.user_error import UserError
from sealegs.recovery.causes import cause, read_shipped_yaml
from sealegs.recovery.completeness import is_partial
from sealegs.recovery.forms import bodies
from sealegs.recovery.signature import Signature, signature
from sealegs.traces.events import EpisodeStarted, Event, decode_event
from sealegs.traces.record import Turn, build_record

UNNAMED = bodies.UNNAMED
PARTIAL = Signature(message="partial: the answer says that it is a part")
LONGEST = 8000  # characters of a text that are looked at: its beginning and, for stack traces, its end
DEPTH = 4  # an error in an error in an error


@dataclass(frozen=True, slots=True)
class FailureReading:
    """A failure as it was read.

    Attributes:
        outcome: what came of the call.
        call: the call; without a tool's name where the text does not tell.
        shape: the shape by which it was read.
        given: what is known to be wrong with the answer, where whoever reports it says so.
    """

    outcome: Outcome
    call: Call = bodies.NO_CALL
    shape: str = ""
    given: Signature | None = None

    @property
    def signature(self) -> Signature | None:
        """The failure's signature; None where nothing is wrong as far as call and answer can tell."""
        if self.given is not None:
            return self.given
        if isinstance(self.outcome, Value) and is_part(self.outcome.value):
            return PARTIAL
        return signature(self.call, self.outcome)


@dataclass(frozen=True, slots=True)
class FailureShape:
    """One way in which text reports a failure."""

    name: str
    pattern: re.Pattern[str]
    type: str
    inner: bool


def is_part(value: Any) -> bool:
    """Return whether an answer says in any usual way that it is a part."""
    if is_partial(value):
        return True
    if not isinstance(value, Mapping):
        return False
    state, shards = value.get("status", value.get("state")), value.get("_shards")
    if isinstance(shards, Mapping) and (value.get("timed_out") is True or shards.get("failed")):
        return True  # a search of which some parts did not answer
    return (
        value.get("has_more") is True or value.get("hasMore") is True or str(state).lower() in ("partial", "incomplete")
    )


def read_failure(text: str) -> FailureReading:
    """The failure that a text reports: a record, JSON, or text as tools and frameworks print it.

    Raises:
        UserError: the text is empty, or a record in which nothing failed.
    """
    text = text.strip().removeprefix("\ufeff")
    if not text:
        raise UserError("there is no failure to read: the text is empty; give the tool's message")
    if text.startswith('{"') and '"started"' in text.partition("\n")[0]:
        return _of_record(text)
    if text[0] in "{[":
        try:
            return read_json_failure(json.loads(text))
        except (ValueError, RecursionError):
            pass  # text that begins like JSON
    return read_text_failure(text)


def read_text_failure(text: str, depth: int = 0) -> FailureReading:
    """The failure that an error's text reports."""
    text = text.strip()
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    for shape in shapes():
        match = shape.pattern.search(text)
        if match is not None:
            return _of_match(shape, match, text, depth)
    return FailureReading(Failure(text, UNNAMED), shape="text")


def read_json_failure(data: Any, depth: int = 0) -> FailureReading:
    """The failure that JSON data reports; data that reports none is a tool's answer."""
    found = bodies.read_json_body(data)
    if found is None:
        return FailureReading(Value(data), shape="answer")
    reading, shape = FailureReading(found.outcome, found.call, found.shape, found.given), "text"
    outcome = found.outcome
    if found.inner and isinstance(outcome, Failure) and depth < DEPTH:
        inner = _again(outcome.message, depth)
        reading, shape = _named(inner, reading), inner.shape
    if found.sure or shape != "text" or _tells_of_failure(reading):
        return reading
    return FailureReading(Value(data), shape="answer")


def _tells_of_failure(reading: FailureReading) -> bool:
    """Return whether a rule knows the words for those of a failure."""
    signature = reading.signature
    return signature is not None and cause(signature) is not None


def _again(message: str, depth: int) -> FailureReading:
    """The failure inside a failure's message."""
    text = message.strip()
    if text[:1] in ("{", "["):
        # Python programs print dicts in their own way, which is not JSON.
        for parse in (json.loads, ast.literal_eval):
            try:
                inner = parse(text)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            reading = read_json_failure(inner, depth + 1)
            if reading.shape != "answer":
                return reading
    return read_text_failure(text, depth + 1)


def _named(inner: FailureReading, outer: FailureReading) -> FailureReading:
    """The inner reading, completed by what only the outer one gives."""
    call = inner.call if inner.call.tool and not outer.call.tool else outer.call
    if not isinstance(inner.outcome, Failure) or not isinstance(outer.outcome, Failure):
        return replace(inner, call=call, shape=outer.shape)
    mine, theirs = inner.outcome, outer.outcome
    named = replace(
        mine,
        type=mine.type if mine.type != UNNAMED else theirs.type,
        status=mine.status if mine.status is not None else theirs.status,
        retry_after=mine.retry_after if mine.retry_after is not None else theirs.retry_after,
    )
    return FailureReading(named, call, outer.shape)


def _of_match(shape: FailureShape, match: re.Match[str], text: str, depth: int) -> FailureReading:
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    type = shape.type.format_map(parts) if shape.type else parts.get("type", UNNAMED)
    if "rpc" in parts:
        type = bodies.rpc_name(int(parts["rpc"]))
    if "grpc" in parts:
        type = bodies.grpc_name(parts["grpc"])
    message = (parts.get("message") or parts.get("message2") or "").strip()
    # These begin with their own names: an exception without words has none, and the traceback is not its message.
    if not message and shape.name not in ("python-traceback", "named-error", "java-exception"):
        message = text
    failure = Failure(
        message,
        type,
        int(parts["status"]) if "status" in parts else None,
        float(parts["retry_after"]) if "retry_after" in parts else None,
    )
    reading = FailureReading(failure, Call(parts.get("tool", parts.get("tool2", "")), {}), shape.name)
    # A message can quote a message, and a crafted one can do so without end.
    if depth < DEPTH and "body" in parts:
        return _named(_again(parts["body"], depth), reading)
    if depth < DEPTH and shape.inner:
        return _named(_again(message, depth), reading)
    return reading


def _of_record(text: str) -> FailureReading:
    """The last failure of the last episode that has one."""
    episodes: list[list[Event]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            event = decode_event(json.loads(line))
        except (ValueError, ValidationError) as error:
            raise UserError(
                f"line {number} is not an event of a record; give a whole file that a recorder wrote"
            ) from error
        # A record may have been cut at its beginning: what comes before a start is an episode as well.
        if isinstance(event, EpisodeStarted) or not episodes:
            episodes.append([])
        episodes[-1].append(event)
    for episode in reversed(episodes):
        try:
            turns = build_record(episode).turns
        except ValueError as error:
            raise UserError(f"the record cannot be read: {error}") from error
        for place, turn in reversed(tuple(enumerate(turns))):
            if turn.shown is None:
                continue
            reading = FailureReading(turn.shown, turn.call, "record")
            found = reading.signature
            if found is not None:
                return replace(reading, given=replace(found, repeated=_before(turns[:place], turn)))
    raise UserError("no call of this record failed; give a record with a failure, or the failure's text")


def _before(turns: Sequence[Turn], last: Turn) -> int:
    """The number of times that the same call came to the same failure before."""
    return sum(
        turn.call.tool == last.call.tool
        and arguments_key(turn.call.arguments) == arguments_key(last.call.arguments)
        and isinstance(turn.shown, Failure)
        and isinstance(last.shown, Failure)
        and turn.shown.type == last.shown.type
        for turn in turns
    )


@cache
def shapes() -> tuple[FailureShape, ...]:
    """All shapes of text, in the order in which they are tried."""
    return tuple(
        FailureShape(
            entry["shape"], re.compile(entry["pattern"], re.MULTILINE), entry.get("type", ""), entry.get("inner", False)
        )
        for entry in read_shipped_yaml("shapes.yaml")
    )
