"""Records on disk: one JSON object a line, many episodes a file.

An episode is written in one piece when it ends, so a killed process loses only the episode it was in. Reading forgives
exactly one thing: a damaged last line, which is lost alone and said so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from sealegs.faults.mistake import Mistake
from sealegs.traces.events import VERSION, Ended, Event, Started, decoded, encoded


class StoreError(Mistake):
    """A file of records that cannot be read; the message names file, line, what was found and what to do."""


class Store:
    """A file that episodes are appended to."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _mend(path)
        self._file = path.open("a", encoding="utf-8")

    def append(self, events: Iterable[Event]) -> None:
        """Write one finished episode, and hand it to the operating system."""
        self.append_lines([line(event) for event in events])

    def append_lines(self, lines: Iterable[str]) -> None:
        """Write one finished episode that is lines already (see `line`)."""
        self._file.write("".join(lines))
        self._file.flush()

    def close(self) -> None:
        """No more episodes."""
        self._file.close()


def line(event: Event) -> str:
    """The event as a line of the file."""
    return json.dumps(encoded(event), default=str, allow_nan=False) + "\n"


def read(path: Path, warnings: list[str] | None = None) -> Iterator[list[Event]]:
    """Each finished episode of a file, as its events.

    Args:
        path: the file.
        warnings: a list that gets a sentence for a damaged last line and for each episode that never ended.

    Raises:
        StoreError: a line other than the last is damaged, or was written by another version.
    """
    warnings = [] if warnings is None else warnings
    current: list[Event] = []
    for event in _events(path, warnings):
        if isinstance(event, Started):
            if current:
                warnings.append(f"{path.name}: an episode was cut off and is left out")
            current = []
        current.append(event)
        if isinstance(event, Ended):
            yield current
            current = []
    if current:
        warnings.append(f"{path.name}: the last episode was cut off and is left out")


def _events(path: Path, warnings: list[str]) -> Iterator[Event]:
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = enumerate(file, start=1)
        for number, line in lines:
            try:
                data = json.loads(line)
                if not line.endswith("\n"):
                    raise ValueError("the line is cut off")
            except ValueError as error:
                if next(lines, None) is None:
                    warnings.append(f"{path.name}: line {number}, the last, is damaged and is left out")
                    return
                raise StoreError(
                    f"{path}: line {number} is not JSON ({error}); restore the file or delete it"
                ) from error
            yield _event(path, number, data)


def _event(path: Path, number: int, data: object) -> Event:
    if isinstance(data, dict) and data.get("type") == "started" and data.get("version") != VERSION:
        raise StoreError(
            f"{path}: line {number} was written with version {data.get('version')} of the record's schema; "
            f"this Sealegs reads version {VERSION}"
        )
    try:
        return decoded(data)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise StoreError(f"{path}: line {number} is no event of a record ({place}: {problem['msg']})") from error


def _mend(path: Path) -> None:
    """Cut off a damaged last line, so that what is appended starts a line of its own."""
    if not path.exists():
        return
    text = path.read_bytes()
    if text and not text.endswith(b"\n"):
        path.write_bytes(text[: text.rfind(b"\n") + 1])
