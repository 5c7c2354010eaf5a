"""Events for which a recorder has no room in memory: in a temporary file without a name, in the order they came in.

The file goes with the process. Secrets are taken out where a record is written, so this file holds them as the memory
does; nobody else can open it.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile

from sealegs.traces.events import Event


class EventOverflow:
    """A file of events. Not for several threads at a time.

    Raises:
        OSError: there is no room for it.
    """

    def __init__(self) -> None:
        self._file = TemporaryFile(prefix="sealegs-")  # noqa: SIM115  # open as long as this object is there
        weakref.finalize(self, self._file.close)
        self._end = 0

    def add(self, events: Sequence[Event]) -> None:
        """Put these after the others.

        Raises:
            OSError: they could not be written; what was there before is as it was.
        """
        self._file.seek(self._end)
        pickle.dump(events, self._file, pickle.HIGHEST_PROTOCOL)
        self._file.flush()
        self._end = self._file.tell()

    def __iter__(self) -> Iterator[Event]:
        place = 0
        while place < self._end:
            self._file.seek(place)
            events = pickle.load(self._file)  # written above, and nobody else can
            place = self._file.tell()
            yield from events
