"""Records on disk: one JSON object a line, many episodes a file.

An episode is written in one piece when it ends, so a killed process loses only the episodes that it had not handed
over; or event by event while it is played (`episode_file`), and then as much of it counts as there is. Reading
forgives exactly one thing: a damaged last line, which alone is lost, with a warning. Text is ASCII. What is handed to
the operating system outlives the process; what was written until `close` outlives a power loss, too.
"""

from __future__ import annotations

import json
import os
import stat
import warnings as python_warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sealegs.faults.call import PreparedEncoder
from sealegs.traces.atomic_files import sync_file, write_all
from sealegs.traces.compressed_blocks import CompressionError
from sealegs.traces.episode_ranges import WHOLE_FILE, EpisodePlace, FileRange
from sealegs.traces.events import VERSION, EpisodeEnded, EpisodeStarted, Event, FactsNoted, decode_event, encode_event
from sealegs.traces.file_locks import lock_file
from sealegs.traces.json_data import to_json_data
from sealegs.traces.record_chain import RecordChain, record_key
from sealegs.traces.record_ends import cut_damaged_line, lines_backwards
from sealegs.traces.record_files import open_records, refuse_compressed
from sealegs.traces.redaction import OWNER_ONLY, Redactor, declared_secrets, redactor_for
from sealegs.traces.specs import TOOLS

_ENCODER = PreparedEncoder(allow_nan=False)
STREAMED = "streamed"  # in `about`: the episode is written while it is played
OUTCOMES = ("outcome", "said", "shown")  # fields that hold what a tool answered
ABOUT, FACTS = "about", "facts"  # what is known of an episode, at its beginning and later


class StoreError(ValueError):
    """A file of records that cannot be read or written; the message names file, line, what was found, what to do."""


class Store:
    """A file that episodes are appended to, by one process at a time, with a chain of digests beside it.

    Args:
        path: the file.
        chained: whether it gets a chain.

    Attributes:
        notice: what was cut off a damaged file before anything is appended; empty where it was whole.

    Raises:
        StoreError: another process is writing to the file.
        UserError: it is compressed, or its chain was begun with another key.
    """

    def __init__(self, path: Path, *, chained: bool = True) -> None:
        refuse_compressed(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._redactor = redactor_for(path.parent)
        path.touch(OWNER_ONLY)  # before opening, so that the file never has wider permissions
        # Unbuffered, so that each write reaches the operating system and survives a killed process.
        self._file: FileIO = path.open("a+b", buffering=0)
        try:
            _lock(self._file, path)  # before anything is cut off that another process may be writing
            notices = [cut_damaged_line(self._file, path), _cut_unfinished_episode(self._file, path)]
            self._chain = RecordChain(path, self._size(), record_key()) if chained and self._is_file() else None
            notices.append(self._chain.notice if self._chain else "")
            self.notice = "; ".join(filter(None, notices))
        except BaseException:
            self._file.close()
            raise

    def append(self, events: Iterable[Event]) -> None:
        """Write one finished episode without what looks like a secret, and hand it to the operating system."""
        self.append_lines(redacted_lines(events, self._redactor))

    def append_and_read(self, events: Iterable[Event]) -> list[Event]:
        """Write one finished episode as `append` does, and return its events as they are written."""
        lines = redacted_lines(events, self._redactor)
        self.append_lines(lines)
        return [decode_event(json.loads(text)) for text in lines]

    def append_lines(self, lines: Iterable[str]) -> None:
        """Write one finished episode that is lines already (see `line`).

        Raises:
            OSError: it could not be written (a full disk); nothing of it stays in the file.
        """
        data = "".join(lines).encode()
        size = self._size()
        # The chain comes first: a killed process then leaves an entry too many, never a line without an entry.
        take_back = self._chain.extend(data, size + len(data)) if self._chain else None
        try:
            write_all(self._file, data)
        except OSError:
            self._file.truncate(size)
            if take_back is not None:
                take_back()
            raise

    def close(self) -> None:
        """Write the file to the disk, seal it and close it; no more episodes are written.

        Raises:
            OSError: it could not be written to the disk; it is closed, and not sealed.
        """
        if self._file.closed:
            return
        with self._file:
            end = None
            try:
                if self._is_file():
                    sync_file(self._file.fileno())  # before the seal, which says that all of it is there
                end = self._size()
            finally:
                if self._chain is not None:
                    self._chain.close(end)

    def _is_file(self) -> bool:
        return stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)  # and no device, which nobody reads again

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size


def line(event: Event) -> str:
    """The event as a line of the file."""
    data = encode_event(event)
    try:
        return _ENCODER.encode(data) + "\n"
    except (TypeError, ValueError, RecursionError):  # an event that no recorder made
        return _ENCODER.encode(to_json_data(data)) + "\n"


def redacted_lines(events: Iterable[Event], redactor: Redactor | None) -> list[str]:
    """The events of an episode as lines, without what looks like a secret."""
    writer = RecordWriter(redactor)
    return [writer.line(event) for event in events]


class RecordWriter:
    """Writes the events of one episode as lines, without what looks like a secret.

    What the schema of a tool declares to be secret is known from the event on that describes the tools.

    Args:
        redactor: takes secrets out; None leaves them.
    """

    def __init__(self, redactor: Redactor | None) -> None:
        self._redactor = redactor
        self._declared: Mapping[str, frozenset[str]] = {}
        self._tools: dict[str, str] = {}  # by the id of a call that is not over

    def line(self, event: Event) -> str:
        """The next event as a line."""
        text = line(event)
        if self._redactor is None:
            return text
        return _ENCODER.encode(self._redacted(json.loads(text), self._redactor)) + "\n"

    def _redacted(self, data: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
        """An event without secrets. What describes tools keeps its names: a replay is made by it."""
        # Only the start of an episode and later notes describe tools, so nothing else keeps its names.
        held = next((name for name in (ABOUT, FACTS) if name in data), "")
        if held:
            self._declared = declared_secrets(data[held][TOOLS]) if TOOLS in data[held] else self._declared
            facts = {
                name: redactor.description(one) if name == TOOLS else redactor.redacted(one, name)
                for name, one in data[held].items()
            }
            return {**{name: redactor.redacted(one) for name, one in data.items()}, held: facts}
        # Outcomes name only their call, so its tool has to be remembered until the answer was shown.
        tool = str(data.get("tool") or self._tools.get(data.get("call", ""), ""))
        if data["type"] == "called":
            self._tools[data["call"]] = tool
        elif data["type"] == "shown":
            self._tools.pop(data["call"], None)
        declared = self._declared.get(tool, frozenset())
        return {name: _redacted_field(name, one, redactor, declared) for name, one in data.items()}


def _redacted_field(name: str, value: Any, redactor: Redactor, declared: frozenset[str]) -> Any:
    """A field of an event. Names decide within what a tool was given and gave, not those of the record itself."""
    if name not in OUTCOMES or not isinstance(value, dict):
        return redactor.redacted(value, "", declared)
    return {
        part: redactor.redacted(one, "", declared)
        if part == "value" or not isinstance(one, dict)
        else {field: redactor.redacted(inner, "", declared) for field, inner in one.items()}
        for part, one in value.items()
    }


def redacted_events(events: Iterable[Event], redactor: Redactor | None) -> list[Event]:
    """The events of an episode that others wrote, as they are when ours are read: without what looks like a secret."""
    return [decode_event(json.loads(text)) for text in redacted_lines(events, redactor)]


def read_episodes(path: Path, warnings: list[str] | None = None) -> Iterator[list[Event]]:
    """Each finished episode of a file, as its events.

    Args:
        path: the file.
        warnings: a list that gets a sentence for a damaged last line and for whatever else is left out. Without one,
            Python's own warnings are given.

    Raises:
        StoreError: a line other than the last is damaged, or was written by another version.
    """
    for _, events in read_placed_episodes(path, warnings):
        yield events


def read_placed_episodes(
    path: Path,
    warnings: list[str] | None = None,
    within: FileRange = WHOLE_FILE,
    seen: Callable[[bytes], object] | None = None,
) -> Iterator[tuple[EpisodePlace | None, list[Event]]]:
    """Each finished episode of a file with its place; one whose end is not in the file, as yet, has none.

    Args:
        path, warnings: as in `read_episodes`.
        within: the part of the file that is read.
        seen: called with each line that was read, before what is in it is given.

    Raises:
        StoreError: as in `read_episodes`.
    """
    tell = _warn if warnings is None else warnings.append
    current: list[Event] = []
    start, before = within.after.end, within.after.end
    for number, end, event in _events(path, tell, within, seen):
        if isinstance(event, EpisodeStarted):
            if _is_streamed(current):  # no end was written, yet whatever came counts
                yield None, _closed(current)
            elif current:
                tell(f"{path.name}: the episode that ends before line {number} was cut off and is left out")
            current, start = [], before
        before = end
        if isinstance(event, FactsNoted) and current:
            current[0] = _with_facts(current[0], event)
            continue
        if not current and not isinstance(event, EpisodeStarted):
            tell(f"{path.name}: line {number} belongs to no episode and is left out")
            continue
        current.append(event)
        if isinstance(event, EpisodeEnded):
            yield EpisodePlace(start, end, number), current
            current = []
    if _is_streamed(current):
        yield None, _closed(current)
    elif current:
        tell(f"{path.name}: the last episode was cut off and is left out")


def _is_streamed(events: list[Event]) -> bool:
    """Return whether they are of an episode that was written while it was played: then as much counts as there is."""
    first = events[0] if events else None
    return isinstance(first, EpisodeStarted) and bool(first.about.get(STREAMED))


# The record has no clock any more, so the last time in it serves as its end.
def _closed(events: list[Event]) -> list[Event]:
    """Such an episode whose process was killed, with an end."""
    seconds = max((at for event in events if isinstance(at := getattr(event, "at", None), float)), default=0.0)
    return [*events, EpisodeEnded("crashed", "the record breaks off: its process was killed or its disk full", seconds)]


def _with_facts(first: Event, noted: FactsNoted) -> Event:
    return replace(first, about={**first.about, **noted.facts}) if isinstance(first, EpisodeStarted) else first


def read_events(path: Path, warnings: list[str]) -> Iterator[Event]:
    """Each event of a file, also of an episode that never ended; `warnings` as in `read_episodes`."""
    for _, _, event in _events(path, warnings.append):
        yield event


def _warn(text: str) -> None:
    python_warnings.warn(text, stacklevel=4)


def _events(
    path: Path,
    tell: Callable[[str], None],
    within: FileRange = WHOLE_FILE,
    seen: Callable[[bytes], object] | None = None,
) -> Iterator[tuple[int, int, Event]]:
    """Each event with its line's number and the byte after it."""
    end = within.after.end
    with _damage_told(), open_records(path) as file:
        if end:  # a pipe is read from its beginning
            file.seek(end)
        lines = enumerate(file, start=within.after.line + 1)
        for number, text in lines:
            end += len(text)
            if seen is not None:
                seen(text)
            try:
                data = json.loads(text.decode())
                if not text.endswith(b"\n"):  # valid JSON by chance, such as a number cut short
                    raise ValueError("the line is cut off")
            except (ValueError, RecursionError) as error:
                if next(lines, None) is None:  # only the last line can be damaged by a killed writer
                    tell(f"{path.name}: line {number}, the last, is damaged and is left out")
                    return
                raise StoreError(
                    f"{path}: line {number} is not JSON ({error}); restore the file or delete it"
                ) from error
            yield number, end, _event(path, number, data)
            if end >= within.until:
                return


@contextmanager
def _damage_told() -> Iterator[None]:
    """Tell damage to a compressed file as any other damage to records."""
    try:
        yield
    except CompressionError as error:
        raise StoreError(str(error)) from error


def _event(path: Path, number: int, data: object) -> Event:
    # Checked before validation, which would blame some field instead of the version.
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
        wrong = "it has no `type`" if problem["type"] == "union_tag_not_found" else problem["msg"]
        raise StoreError(
            f"{path}: line {number} is not an event of a record ({f'{place}: ' if place else ''}{wrong}); "
            "restore the file or delete it"
        ) from error


def _lock(file: FileIO, path: Path) -> None:
    """Keep other processes from writing meanwhile, where the system knows such locks."""
    try:
        lock_file(file.fileno(), wait=False)
    except BlockingIOError as error:
        raise StoreError(f"{path}: another process is writing to it; wait for it or name another file") from error


def _cut_unfinished_episode(file: FileIO, path: Path) -> str:
    """Cut off the lines of an episode that a killed process was writing in one piece; return what was done, in words.

    It is played again, and its first lines would be there twice. One that was written while it was played stays.
    """
    for start, text in lines_backwards(file):
        try:
            event = json.loads(text)
            kind = event.get("type")
        except (ValueError, AttributeError):
            return ""
        if kind == "started" and not event.get(ABOUT, {}).get(STREAMED):
            file.truncate(start)
            return f"{path.name}: the last episode was cut off; what there was of it was removed"
        if kind in (None, "started", "ended"):  # a finished episode, or one that was streamed
            return ""
    return ""
