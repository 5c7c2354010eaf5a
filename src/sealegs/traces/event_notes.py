"""Notes of events: the parts that events are made of, where nobody can change that any more.

To make the events takes about as long as all else that recording a call does, so it is left to whoever reads them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from sealegs.traces.events import Event


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


def events_of_all(noted: Iterable[Event | EventNote]) -> list[Event]:
    """The events of events and notes, in their order."""
    return [event for one in noted for event in (one.events() if isinstance(one, EventNote) else (one,))]
