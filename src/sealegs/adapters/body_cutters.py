"""Head and body of an HTTP answer; the body in chunks: its events if it is a stream of events, else its eighths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import ALL, Call

Headers = Sequence[tuple[str, str]]
EVENTS = ("text/event-stream", "application/x-ndjson", "application/jsonl")
EIGHTH = 8


@dataclass(frozen=True, slots=True)
class Head:
    """The first chunk of an answer: status and headers. `original`: the library's own answer, where there is one."""

    status: int
    headers: Headers
    original: Any = None

    def header(self, name: str) -> str:
        """The value of a header; empty where it is not there."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def has_events(self) -> bool:
        """Whether the body is a stream of events that can be separated."""
        kind = self.header("content-type").partition(";")[0].strip().lower()
        return kind in EVENTS and self.header("content-encoding") in ("", "identity")


def split_body(head: Head, raw: bytes) -> list[bytes]:
    """A whole body in chunks: its events, else its eighths."""
    if head.has_events:
        return list(events([raw]))
    size = _eighth(len(raw))
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def events(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks cut anew after each event: at an empty line, or at each line where lines hold objects of their own."""
    return cut_by(EventCutter(), blocks)


def cut_by(cutter: Cutter, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks of a body, each as soon as it has come."""
    for block in blocks:
        yield from cutter.cut(block)
    yield from cutter.rest()


def cutter(head: Head, call: Call) -> Cutter:
    """The cutter that splits the body of an answer to this call into the chunks that are wanted."""
    if call.chunks in (None, ALL) and not call.buffered:
        return Cutter()
    if head.has_events:
        return EventCutter()
    length = head.header("content-length")
    if length.isdigit():
        return EighthCutter(int(length))
    return Cutter() if call.buffered else WholeCutter(head)


class Cutter:
    """Leaves a stream in the blocks that it comes in."""

    def cut(self, block: bytes) -> Iterable[bytes]:
        """The chunks that this block completes."""
        return (block,)

    def rest(self) -> Iterable[bytes]:
        """The bytes that are left at the end."""
        return ()


class EighthCutter(Cutter):
    """Cuts a body of known length into eighths, as they come."""

    def __init__(self, length: int) -> None:
        self._size = _eighth(length)
        self._buffered = b""

    def cut(self, block: bytes) -> Iterator[bytes]:
        """The eighths that this block completes."""
        self._buffered += block
        while len(self._buffered) >= self._size:
            yield self._buffered[: self._size]
            self._buffered = self._buffered[self._size :]

    def rest(self) -> Iterator[bytes]:
        """The bytes that are left at the end."""
        if self._buffered:
            yield self._buffered


class WholeCutter(Cutter):
    """Cuts a body into eighths once it is known how long it is."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._blocks: list[bytes] = []

    def cut(self, block: bytes) -> Iterable[bytes]:
        """Keep the block, and give nothing yet."""
        self._blocks.append(block)
        return ()

    def rest(self) -> Iterable[bytes]:
        """All of it."""
        return split_body(self._head, b"".join(self._blocks))


class EventCutter(Cutter):
    """Cuts a stream into its events, as they come."""

    def __init__(self) -> None:
        self._buffered = b""

    def cut(self, block: bytes) -> Iterator[bytes]:
        """The events that this block completes."""
        buffered, start = self._buffered + block, 0
        while (end := _end(buffered, start)) > 0:
            yield buffered[start:end]
            start = end
        self._buffered = buffered[start:]

    def rest(self) -> Iterator[bytes]:
        """The bytes that are left at the end."""
        if self._buffered:
            yield self._buffered


def _eighth(length: int) -> int:
    return max(1, math.ceil(length / EIGHTH))


def _end(buffered: bytes, start: int) -> int:
    """The index at which the event that begins at `start` ends; 0 where that is not known yet."""
    if buffered[start : start + 1] in (b"{", b"["):  # a line of JSON
        return buffered.find(b"\n", start) + 1
    marks = (b"\n\n", b"\r\n\r\n", b"\r\r")
    return min((at + len(mark) for mark in marks if (at := buffered.find(mark, start)) >= 0), default=0)
