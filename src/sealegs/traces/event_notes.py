"""Notes of events: what an event is made of, where nobody can change that any more.

To make the event takes about as long as all else that recording a call does, so it is left to whoever reads it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from sealegs.traces.events import Event


class EventNote:
    """The parts of an event that nobody can change any more."""

    __slots__ = ()

    def parts(self) -> tuple[Hashable, tuple[Any, ...]]:
        """The part that the notes of many events have in common, and the rest, which is plain data."""
        raise NotImplementedError

    @staticmethod
    def event_of(common: Any, rest: tuple[Any, ...]) -> Event:
        """The event of such parts."""
        raise NotImplementedError

    def event(self) -> Event:
        """The event."""
        return self.event_of(*self.parts())
