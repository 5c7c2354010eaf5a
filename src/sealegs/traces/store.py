"""Records on disk: one JSON object a line, many episodes a file.

An episode is written in one piece when it ends, so a killed process loses only the episodes that it had not handed
over. Reading forgives exactly one thing: a damaged last line, which alone is lost, with a warning. Text is ASCII; what
is handed to the operating system outlives the process, not a power cut.
"""

from __future__ import annotations

import json
import os
import warnings as python_warnings
from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from pathlib import Path

from pydantic import ValidationError

from sealegs.traces.events import VERSION, EpisodeEnded, EpisodeStarted, Event, decode_event, encode_event
from sealegs.traces.json_data import to_json_data

_ENCODER = json.JSONEncoder(allow_nan=False)
BLOCK = 65536  # bytes read at a time in search of the last line's beginning


class StoreError(ValueError):
    """A file of records that cannot be read or written; the message names file, line, what was found, what to do."""


class Store:
    """A file that episodes are appended to, by one process at a time.

    Attributes:
        notice: what was cut off a damaged file before anything is appended; empty where it was whole.

    Raises:
        StoreError: another process is writing to the file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: FileIO = path.open("a+b", buffering=0)
        try:
            _lock(self._file, path)
            self.notice = _mend(self._file, path)
        except BaseException:
            self._file.close()
            raise

    def append(self, events: Iterable[Event]) -> None:
        """Write one finished episode, and hand it to the operating system."""
        self.append_lines([line(event) for event in events])

    def append_lines(self, lines: Iterable[str]) -> None:
        """Write one finished episode that is lines already (see `line`).

        Raises:
            OSError: it could not be written (a full disk); nothing of it stays in the file.
        """
        left = memoryview("".join(lines).encode())
        size = os.fstat(self._file.fileno()).st_size
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._file.truncate(size)
            raise

    def close(self) -> None:
        """Close the file; no more episodes are written."""
        self._file.close()


def line(event: Event) -> str:
    """The event as a line of the file."""
    data = encode_event(event)
    try:
        return _ENCODER.encode(data) + "\n"
    except (TypeError, ValueError, RecursionError):  # an event that no recorder made
        return _ENCODER.encode(to_json_data(data)) + "\n"


def read_episodes(path: Path, warnings: list[str] | None = None) -> Iterator[list[Event]]:
    """Each finished episode of a file, as its events.

    Args:
        path: the file.
        warnings: a list that gets a sentence for a damaged last line and for whatever else is left out. Without one,
            Python's own warnings are given.

    Raises:
        StoreError: a line other than the last is damaged, or was written by another version.
    """
    tell = _warn if warnings is None else warnings.append
    current: list[Event] = []
    for number, event in _events(path, tell):
        if isinstance(event, EpisodeStarted):
            if current:
                tell(f"{path.name}: the episode that ends before line {number} was cut off and is left out")
            current = []
        elif not current:
            tell(f"{path.name}: line {number} belongs to no episode and is left out")
            continue
        current.append(event)
        if isinstance(event, EpisodeEnded):
            yield current
            current = []
    if current:
        tell(f"{path.name}: the last episode was cut off and is left out")


def read_events(path: Path, warnings: list[str]) -> Iterator[Event]:
    """Each event of a file, also of an episode that never ended; `warnings` as in `read_episodes`."""
    for _, event in _events(path, warnings.append):
        yield event


def _warn(text: str) -> None:
    python_warnings.warn(text, stacklevel=3)


def _events(path: Path, tell: Callable[[str], None]) -> Iterator[tuple[int, Event]]:
    with path.open("rb") as file:
        lines = enumerate(file, start=1)
        for number, text in lines:
            try:
                data = json.loads(text.decode())
                if not text.endswith(b"\n"):
                    raise ValueError("the line is cut off")
            except (ValueError, RecursionError) as error:
                if next(lines, None) is None:
                    tell(f"{path.name}: line {number}, the last, is damaged and is left out")
                    return
                raise StoreError(
                    f"{path}: line {number} is not JSON ({error}); restore the file or delete it"
                ) from error
            yield number, _event(path, number, data)


def _event(path: Path, number: int, data: object) -> Event:
    if isinstance(data, dict) and data.get("type") == "started" and data.get("version") != VERSION:
        raise StoreError(
            f"{path}: line {number} was written with version {data.get('version')!r} of the record's schema; "
            f"this Sealegs reads version {VERSION}; read it with the Sealegs that wrote it"
        )
    try:
        return decode_event(data)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise StoreError(
            f"{path}: line {number} is not an event of a record ({place}: {problem['msg']}); "
            "restore the file or delete it"
        ) from error


def _lock(file: FileIO, path: Path) -> None:
    """Keep other processes from writing meanwhile, where the system knows such locks."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StoreError(f"{path}: another process is writing to it; wait for it or name another file") from error
    except OSError:  # a file system without locks
        return


def _mend(file: FileIO, path: Path) -> str:
    """Cut off a damaged last line, so that what is appended starts a line of its own."""
    end = file.seek(0, os.SEEK_END)
    whole = end
    while whole:
        start = max(0, whole - BLOCK)
        file.seek(start)
        found = file.read(whole - start).rfind(b"\n")
        if found >= 0:
            whole = start + found + 1
            break
        whole = start
    if whole == end:
        return ""
    file.truncate(whole)
    return f"{path.name}: the last line was damaged; its {end - whole} bytes were cut off"
