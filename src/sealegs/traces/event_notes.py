"""Notes of events: the parts that events are made of, where nobody can change that any more.

To make the events takes about as long as all else that recording a call does, so it is left to whoever reads them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from sealegs.inject.call_context import call_id
from sealegs.traces.events import Event, OutcomeShown
from sealegs.traces.json_data import to_json_data

Said = tuple[Any] | dict[str, Any]  # by a tool: a plain value alone, which becomes JSON when it is read, or JSON data
# The note of an answer to a call that nothing struck: the call's number, what the tool said, and the time. Most notes
# are such, and an object with names would cost each call a twentieth of what recording it does.
AnswerNote = tuple[int, Said, float]


class EventNote:
    """The parts of an event, or of several that came at once."""

    __slots__ = ()

    def parts(self) -> tuple[Hashable, tuple[Any, ...]]:
        """The part that many notes have in common, and the rest, which is plain data."""
        raise NotImplementedError

    @staticmethod
    def events_of(common: Any, rest: tuple[Any, ...]) -> tuple[Event, ...]:
        """The events of such parts, in their order; one at least."""
        raise NotImplementedError

    def events(self) -> tuple[Event, ...]:
        """The events."""
        return self.events_of(*self.parts())


Note = EventNote | AnswerNote


def events_of(one: Event | Note) -> tuple[Event, ...]:
    """The events that are meant by one, or by a note of some."""
    if isinstance(one, EventNote):
        return one.events()
    return (answer_event(one),) if isinstance(one, tuple) else (one,)


def events_of_all(noted: Iterable[Event | Note]) -> list[Event]:
    """The events of events and notes, in their order."""
    return [event for one in noted for event in events_of(one)]


def answer_event(note: AnswerNote) -> OutcomeShown:
    """The event that an answer was shown."""
    number, said, at = note
    return OutcomeShown(call_id(number), said_data(said), 1, True, at)


def said_data(said: Said) -> dict[str, Any]:
    """Return what a tool said, as JSON."""
    return {"value": to_json_data(*said)} if isinstance(said, tuple) else said
