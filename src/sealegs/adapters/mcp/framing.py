"""Messages on the wire: one JSON object a line over pipes, one event of a stream over HTTP.

Bytes are cut, never made anew: what is not read stays what it was.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

from pydantic_core import from_json, to_json

from sealegs.faults.nesting import exceeds_depth

RequestId = int | str
Message = dict[str, Any]
CANCEL = "notifications/cancelled"

# Where an answer says first or last whose it is, its id is found without reading the rest (which may be 10 MB).
_FIRST = re.compile(rb'\s*\{"jsonrpc":\s?"2\.0",\s?"id":\s?(-?\d+|"[^"\\]*"),')
_LAST = re.compile(rb'[,{]\s?"id":\s?(-?\d+|"[^"\\]*")\}\s*\Z')
TAIL = 200  # bytes at the end that are searched for it


class LineBuffer(asyncio.Protocol):
    """A reader of a pipe that cuts its bytes after line ends.

    Args:
        take: given one or more whole lines at a time, line ends included.
        ended: called when nothing more comes.
    """

    def __init__(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._take = take
        self._ended = ended
        self._parts: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        """Hand on what is whole, keep the rest."""
        cut = data.rfind(b"\n") + 1
        if not cut:
            self._parts.append(data)
            return
        whole, rest = (data, b"") if cut == len(data) else (data[:cut], data[cut:])
        if self._parts:
            whole = b"".join((*self._parts, whole))
            self._parts = []
        if rest:
            self._parts.append(rest)
        self._take(whole)

    def connection_lost(self, error: Exception | None) -> None:
        """The last line may lack its end."""
        if self._parts:
            self._take(b"".join(self._parts))
        self._ended()


def split_lines(block: bytes) -> list[bytes]:
    """The lines of a block, each with its end."""
    found = [line + b"\n" for line in block.split(b"\n")]
    last = found.pop()[:-1]
    return [*found, last] if last else found


def parse_message(text: bytes) -> Message | None:
    """The message on a line; None if it is not a message, or is nested too deeply to be encoded again."""
    try:
        data = from_json(text)
    except ValueError:
        try:
            data = json.loads(text)  # takes what the fast reader does not: half of a surrogate pair
        except (ValueError, RecursionError):
            return None
        if exceeds_depth(data):
            return None
    return data if isinstance(data, dict) else None


def encode_message(message: Message) -> bytes:
    """The message as JSON on one line, without its end."""
    try:
        return to_json(message)
    except ValueError:  # half of a surrogate pair
        return json.dumps(message, default=str).encode()


def id_of(message: Message) -> RequestId | None:
    """The id of a request or an answer; None where there is none that the protocol allows."""
    return _id(message.get("id"))


def cancelled_id(message: Message) -> RequestId | None:
    """The id of the request that a cancel is about; None where it is about none."""
    params = message.get("params")
    return _id(params.get("requestId")) if isinstance(params, dict) else None


def _id(found: Any) -> RequestId | None:
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None


def is_answer(message: Message) -> bool:
    """Return whether the message answers a request."""
    return "method" not in message and ("result" in message or "error" in message)


def glimpsed_id(line: bytes) -> tuple[bool, Any]:
    """Return whether the line's id can be found without reading it, and the id."""
    found = _FIRST.match(line) or _LAST.search(line, max(0, len(line) - TAIL))
    if found is None:
        return False, None
    try:
        return True, from_json(found[1])
    except ValueError:  # it looks like an id and is not JSON, as 02
        return False, None


class Events:
    """A reader of a stream of server-sent events that cuts its bytes after each event."""

    def __init__(self) -> None:
        self._left = bytearray()

    def fed(self, data: bytes) -> list[bytes]:
        """The events that are whole now, each with its end."""
        left = self._left
        seen = max(0, len(left) - 3)  # no event ends before
        left += data
        found = []
        start = 0
        for end in [match.end() for match in _EVENT_END.finditer(left, seen)]:
            found.append(bytes(left[start:end]))
            start = end
        del left[:start]
        return found

    @property
    def rest(self) -> bytes:
        """The bytes after the last whole event."""
        return bytes(self._left)


_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\n|\r")


def stream_event_data(event: bytes) -> bytes:
    """The data of an event: what its data lines hold."""
    found = [line[5:] for line in _LINE_END.split(event) if line.startswith(b"data:")]
    return b"\n".join(line.removeprefix(b" ") for line in found)


def stream_event_id(event: bytes) -> str:
    """The id of an event; empty where it has none."""
    found = [line[3:] for line in _LINE_END.split(event) if line.startswith(b"id:")]
    return found[-1].removeprefix(b" ").decode(errors="replace") if found else ""


def with_data(event: bytes, data: bytes) -> bytes:
    """The event with other data, its name and id as they were."""
    kept = [line for line in _LINE_END.split(event) if line and not line.startswith(b"data:")]
    return b"\r\n".join((*kept, b"data: " + data, b"", b""))
