"""The places of the episodes in a file of records, and files that are put together from such pieces.

Files are read line by line and copied piece by piece, so that a merge takes little memory whatever the runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from sealegs.engines.shards import ELSEWHERE
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.record_files import open_records, records_exist
from sealegs.traces.redaction import OWNER_ONLY

OPEN = 100  # files that are open at a time


class RecordPlace(NamedTuple):
    """The place of an episode in a file, and its digest."""

    file: Path
    start: int
    size: int
    digest: bytes


def record_places(file: Path) -> dict[str, list[RecordPlace]]:
    """The places of the finished episodes of a file; one that was cut off is left out.

    Raises:
        UserError: a line other than the last is not an event of a record.
    """
    found: dict[str, list[RecordPlace]] = {}
    if not records_exist(file):
        return found
    with open_records(file) as lines:
        start, key, hashed = 0, "", hashlib.sha256()
        end = 0
        for number, text in enumerate(lines, 1):
            try:
                event = json.loads(text)
                kind = event["type"]
            except (ValueError, KeyError, TypeError) as error:
                if not lines.readline():
                    break  # the last line, which a killed process was writing
                raise UserError(f"{file}: line {number} is not an event of a record; restore the file") from error
            if kind == "started":
                start, key, hashed = end, str(event["episode"]), hashlib.sha256()
            end += len(text)
            hashed.update(text)
            # Without its line's end it may still have been under way when its writer was killed; the store cuts such a
            # line off.
            if kind == "ended" and key and text.endswith(b"\n"):
                found.setdefault(key, []).append(RecordPlace(file, start, end - start, hashed.digest()))
                key = ""
    return found


def write_places(target: Path, places: Sequence[RecordPlace]) -> None:
    """Write these pieces of files as one, whole or not at all.

    Raises:
        UserError: it cannot be written.
    """
    write_atomically(target, _pieces(places), f"make room, or {ELSEWHERE}", OWNER_ONLY)


def _pieces(places: Sequence[RecordPlace]) -> Iterator[bytes]:
    """The pieces of files; few files are open at a time, however many shards there are."""
    files: dict[Path, BufferedReader] = {}
    try:
        for place in places:
            if place.file not in files:
                if len(files) == OPEN:
                    files.pop(next(iter(files))).close()
                files[place.file] = open_records(place.file)
            files[place.file].seek(place.start)
            yield files[place.file].read(place.size)
    finally:
        for file in files.values():
            file.close()
