"""The events that a recorder keeps: the latest in memory, those before in a temporary file.

Of most calls, only what they were given and answered is noted, where nobody can change that any more. Notes become
events when somebody reads the events.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

from sealegs.traces.event_notes import Note, events_of, events_of_all
from sealegs.traces.event_overflow import EventOverflow, Moved
from sealegs.traces.events import Event


class KeptEvents:
    """Events and notes of them, in the order in which they came. Several threads may add some.

    Args:
        most: those in memory when `make_room` is worth while.

    Attributes:
        append: adds an event or a note, until it is closed.
        recent: those in memory; only read it. Where others are in a file, they come first.
    """

    def __init__(self, most: int) -> None:
        self.recent: list[Event | Note | Moved] = []
        self.append: Callable[[Event | Note], None] = self.recent.append
        self.most = most
        self._changing = threading.Lock()
        self._written = 0  # so many of the recent ones are no notes, the first one aside

    def close(self) -> None:
        """Keep nothing that comes from now on."""
        self.append = _forget

    def events(self) -> list[Event]:
        """All events so far, in a list of its own."""
        alone = self._changing.acquire(blocking=False)
        try:
            held = self.recent.copy()  # others may add some meanwhile
            # The first stays where it is, since others may replace it meanwhile.
            noted = cast(list[Event | Note], held[1:])
            known = max(self._written - 1, 0) if alone else 0
            later = [*cast(list[Event], noted[:known]), *events_of_all(noted[known:])]
            if alone:  # nobody moves them, so each note becomes events once
                self.recent[1 + known : len(held)] = later[known:]
                self._written = 1 + len(later)
        finally:
            if alone:
                self._changing.release()
        return [event for one in held[:1] for event in _events(one)] + later

    @property
    def first(self) -> Event | None:
        """The first event; None where there is none."""
        return _first(self.recent[0]) if self.recent else None

    def replace_first(self, event: Event) -> None:
        """Put another event in the place of the first."""
        head = self.recent[0]
        self.recent[0] = replace(head, first=event) if isinstance(head, Moved) else event

    def make_room(self) -> None:
        """Move events to a temporary file; where there is no room for it either, they stay in memory."""
        if not self._changing.acquire(blocking=False):  # another thread does, or this one, whom a signal interrupted
            return
        try:
            moved = self.recent.copy()
            head = moved[0]
            before = head if isinstance(head, Moved) else Moved(_first(head), EventOverflow())
            more = () if isinstance(head, Moved) else events_of(head)[1:]
            part = before.file.add([*more, *cast(list[Event | Note], moved[1:])])
            # In one step: an interrupt must find them in one place. What was noted meanwhile stays.
            self._written = 0
            self.recent[: len(moved)] = [replace(before, first=_first(self.recent[0]), parts=(*before.parts, part))]
        except Exception:  # a full disk, a forked process, or what cannot be written
            self.most = sys.maxsize
        finally:
            self._changing.release()


def _forget(_: Event | Note) -> None:
    """Do not keep it."""


def _events(one: Event | Note | Moved) -> Iterable[Event]:
    """The events that are meant."""
    if isinstance(one, Moved):
        return one
    return events_of(one)


def _first(one: Event | Note | Moved) -> Event:
    """The first of them; no file is read for it."""
    return next(iter(_events(one)))
