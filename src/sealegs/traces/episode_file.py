"""An episode that is recorded in files as it happens: bounded memory, and what is written outlives a killed process.

It holds one episode at a time, and is not for suites, which write an episode when it has ended. A file that cannot be
written any more (a full disk) ends the record and not the calls: whoever makes them did nothing wrong, and must not see
a failure that no tool has. The record then lacks its end, by which its readers know.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.inject.clock import Clock
from sealegs.traces.atomic_files import write_all
from sealegs.traces.environment_names import FAILED, LIVE
from sealegs.traces.events import Event
from sealegs.traces.recorder import Recorder
from sealegs.traces.redaction import OWNER_ONLY, redactor_for
from sealegs.traces.store import STREAMED, RecordWriter, Store, StoreError


@contextmanager
def recorded_episode(
    file: Path | None, live: Path | None, about: Mapping[str, Any], episode: str, clock: Clock
) -> Iterator[Recorder | None]:
    """Yield the episode's recorder, which keeps nothing in memory; None where no file is wanted.

    Args:
        file: each event is appended to it at once.
        live: it gets each event at once, in place of what it held.
        about: what is known of the episode.
        episode: its name.
        clock: the session's.

    Raises:
        UserError: a file cannot be written; at the end, if that turned out meanwhile.
    """
    if file is None and live is None:
        yield None
        return

    try:
        files = EpisodeFiles(file, live)
    except (StoreError, OSError) as error:
        raise UserError(f"cannot write {live or file}: {error}; name another file") from error
    recorder = Recorder(clock, files.write, keep=False)
    recorder.start(episode, {**about, STREAMED: True})
    try:
        yield recorder
    except BaseException as error:
        recorder.finish("crashed", detail=str(error))
        raise
    else:
        recorder.finish("answered")
    finally:
        files.close()
    if files.failed is not None:
        raise files.failed


class EpisodeFiles:
    """The files of an episode, each of which gets every event at once.

    Args:
        file: it is appended to.
        live: it gets the events in place of what it held. One that an experiment asked for (`LIVE`) has another name
            (`FAILED`) once an event could not be written: to rename a file takes no room.

    Attributes:
        failed: why events are not written any more; None while they are.

    Raises:
        StoreError: `file` is another process's, or cannot be continued.
        OSError: a file cannot be opened.
    """

    def __init__(self, file: Path | None, live: Path | None) -> None:
        self.failed: UserError | None = None
        self._file, self._live = file, live
        place = live or file
        self._writer = RecordWriter(redactor_for(place.absolute().parent if place else None))
        if live is not None:
            live.touch(OWNER_ONLY)
        # Unbuffered, because the process may be killed and what was written must be there.
        self._stream = None if live is None else live.open("wb", buffering=0)
        self._store = None if file is None else Store(file)

    def write(self, event: Event) -> None:
        """Write an event; what comes after a gap is not written, or the record would be taken for whole."""
        if self.failed is not None or not (self._store or self._stream):
            return
        text = self._writer.line(event)
        try:
            if self._store is not None:
                self._store.append_lines([text])
            if self._stream is not None:
                write_all(self._stream, text.encode())
        except OSError as error:
            self.fail(error.strerror or str(error))

    def fail(self, reason: str) -> None:
        """Say that the episode cannot be recorded any further."""
        names = " and ".join(str(one) for one in (self._file, self._live) if one is not None)
        what = f"the record in {names} lacks the end of the episode ({reason})"
        self.failed = UserError(f"{what}; make room or name another file, and play it again")
        sys.stderr.write(f"sealegs: {what}; calls continue without it\n")
        if self._live is not None and self._stream is not None and self._live.suffix == LIVE:
            self._stream.close()  # Windows renames no open file
            with suppress(OSError):
                self._live.rename(self._live.with_suffix(FAILED))

    def close(self) -> None:
        """Close the files."""
        if self._store is not None:
            self._store.close()
        if self._stream is not None:
            self._stream.close()
