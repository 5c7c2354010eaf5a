"""The events that a recorder keeps: the latest in memory, those before in a temporary file.

Of a call that passes as it is, only what it was given and answered is noted, where nobody can change that any more. A
note becomes an event when somebody reads the events.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from sealegs.traces.event_notes import EventNote
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
        self.recent: list[Event | EventNote | Moved] = []
        self.append: Callable[[Event | EventNote], None] = self.recent.append
        self.most = most
        self._changing = threading.Lock()
        self._written = 0  # so many of the recent ones are no notes

    def close(self) -> None:
        """Keep nothing that comes from now on."""
        self.append = _forget

    def events(self) -> list[Event]:
        """All events so far, in a list of its own."""
        alone = self._changing.acquire(blocking=False)
        try:
            held = self.recent.copy()  # others may add some meanwhile
            for place in range(self._written if alone else 0, len(held)):
                if isinstance(one := held[place], EventNote):
                    held[place] = event = one.event()
                    if alone:  # nobody moves them, so each note becomes an event once
                        self.recent[place] = event
            if alone:
                self._written = len(held)
        finally:
            if alone:
                self._changing.release()
        if not held or not isinstance(held[0], Moved):
            return cast(list[Event], held)
        return [*held[0], *cast(list[Event], held[1:])]

    @property
    def first(self) -> Event | None:
        """The first event; None where there is none."""
        return _event(self.recent[0]) if self.recent else None

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
            before = head if isinstance(head, Moved) else Moved(_event(head), EventOverflow())
            part = before.file.add(cast(list[Event | EventNote], moved[1:]))
            # In one step: an interrupt must find them in one place. What was noted meanwhile stays.
            self._written = 0
            self.recent[: len(moved)] = [replace(before, first=_event(self.recent[0]), parts=(*before.parts, part))]
        except Exception:  # a full disk, a forked process, or what cannot be written
            self.most = sys.maxsize
        finally:
            self._changing.release()


def _forget(_: Event | EventNote) -> None:
    """Do not keep it."""


def _event(one: Event | EventNote | Moved) -> Event:
    """The event that is meant; of those in a file, the first."""
    if isinstance(one, Moved):
        return one.first
    return one.event() if isinstance(one, EventNote) else one
