"""Events for which a recorder has no room in memory: in a temporary file without a name, in the order they came in.

Notes of events are written as they are, and become events when they are read. The file goes with the process. Secrets
are taken out where a record is written, so this file holds them as the memory does; nobody else can open it.
"""

from __future__ import annotations

import os
import pickle
import weakref
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from sealegs.traces.event_notes import EventNote, Note, answer_event, events_of_all
from sealegs.traces.events import Event, event_of_values, event_values

Values = tuple[int, tuple[Any, ...]]  # of an event or a note: what it is, and what it holds
MOST = 100  # different things that notes have in common; a tool may be wrapped anew for every few calls
ANSWERS = -MOST - 1  # the number of notes of answers, below those of all others


class EventBlock(NamedTuple):
    """The bytes of the file that hold some events."""

    place: int
    size: int


class EventOverflow:
    """A file of events, in parts. Other threads, and a signal's handler in the midst of it, may read meanwhile.

    Raises:
        OSError: there is no room for it.
    """

    def __init__(self) -> None:
        # By its number: a file object has a buffer and a position, which a failure or a reader would leave astray.
        with TemporaryFile(prefix="sealegs-", buffering=0) as file:
            self._file = os.dup(file.fileno())
        # Not at the interpreter's end: what runs then may still read, and the system closes it.
        weakref.finalize(self, os.close, self._file).atexit = False
        self._process = os.getpid()
        self._end = 0
        # What notes have in common, each with its kind of note: it may be no data, and stays in memory.
        self._common: list[tuple[type[EventNote], Any]] = []
        self._places: dict[tuple[type[EventNote], Hashable], int] = {}

    def add(self, events: Sequence[Event | Note]) -> EventBlock:
        """Put these after the others.

        Raises:
            OSError: they could not be written; what was there before is as it was.
        """
        if os.getpid() != self._process:
            raise OSError("a forked process would write where the one that opened the file writes")
        try:
            written = _pickled(values for one in events for values in self._values(one))
        except (pickle.PicklingError, AttributeError, TypeError):  # a name of an argument is of a class of the caller's
            written = _pickled(map(event_values, events_of_all(events)))
        data = memoryview(written)
        part = EventBlock(self._end, len(data))
        done = 0
        while done < part.size:
            done += _write_at(self._file, data[done:], part.place + done)
        self._end += part.size
        return part

    def read(self, part: EventBlock) -> list[Event]:
        """The events of a part.

        Raises:
            OSError: they can no longer be read.
        """
        data = bytearray()
        while len(data) < part.size:
            block = _read_at(self._file, part.size - len(data), part.place + len(data))
            if not block:  # somebody has cut the file off, and reading on would never end
                raise OSError("the temporary file of a record is shorter than it was written")
            data += block
        return [event for one in pickle.loads(data) for event in self._events(one)]

    def _values(self, one: Event | Note) -> tuple[Values, ...]:
        """The event or note as plain data; a note with a number below zero."""
        if isinstance(one, tuple):
            return ((ANSWERS, one),)
        if not isinstance(one, EventNote):
            return (event_values(one),)
        common, rest = one.parts()
        place = self._places.get(key := (type(one), common))
        if place is None:
            if len(self._common) >= MOST:
                return tuple(map(event_values, one.events()))
            self._common.append(key)  # first, so that no place is ever of nothing
            place = self._places[key] = -len(self._common)
        return ((place, rest),)

    def _events(self, values: Values) -> tuple[Event, ...]:
        place, rest = values
        if place >= 0:
            return (event_of_values(values),)
        if place == ANSWERS:
            return (answer_event(rest),)
        kind, common = self._common[~place]
        return kind.events_of(common, rest)


def _pickled(values: Iterable[Values]) -> bytes:
    return pickle.dumps(list(values), pickle.HIGHEST_PROTOCOL)


@dataclass(frozen=True, slots=True)
class Moved:
    """An episode's first event, on which facts may still be noted, with those after it that are in a file."""

    first: Event
    file: EventOverflow
    parts: tuple[EventBlock, ...] = ()

    def __iter__(self) -> Iterator[Event]:
        yield self.first
        for part in self.parts:
            yield from self.file.read(part)


def _write_at(file: int, data: memoryview, place: int) -> int:
    if hasattr(os, "pwrite"):
        return os.pwrite(file, data, place)
    os.lseek(file, place, os.SEEK_SET)
    return os.write(file, data)


def _read_at(file: int, size: int, place: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(file, size, place)
    os.lseek(file, place, os.SEEK_SET)
    return os.read(file, size)
