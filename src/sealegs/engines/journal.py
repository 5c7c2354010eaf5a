"""A journal: one JSON object a line, appended the moment that a thing is done, so that the same command can resume.

A damaged last line (the process was killed while writing it) is cut off; nothing else is lost. A power loss may take
the last entries, but for those of a sealed journal. It does not cover two writers at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Set
from contextlib import closing
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.traces.atomic_files import make_folder, write_all
from sealegs.traces.record_ends import cut_damaged_line
from sealegs.traces.redaction import OWNER_ONLY, Redactor, redactor_for
from sealegs.traces.store import Store, StoreError


class Journal:
    """A file of entries.

    Args:
        file: where; it is made if it is not there.
        settings: what the run is; entries made under other settings are refused.
        sealed: whether it is a record that may be published; see `append_sealed`.

    Raises:
        UserError: the file is another run's, or not a journal; the message says what to do.
    """

    def __init__(self, file: Path, settings: Mapping[str, Any], *, sealed: bool = False) -> None:
        self._file = file
        self._sealed = sealed
        self.entries: list[dict[str, Any]] = []
        make_folder(file.parent, "name another with --out")
        if file.exists():
            self.entries = list(self._read())
        if not self.entries:
            file.touch(OWNER_ONLY)
            file.write_text("", encoding="utf-8")
            self.append({"settings": dict(settings), CANARY_FIELD: CANARY})
        self._check(settings)
        self.entries = self.entries[1:]

    def append(self, entry: dict[str, Any]) -> None:
        """Write one entry down and hand it to the operating system."""
        if self._sealed:
            entry = append_sealed(self._file, entry)
        else:
            # Opened and written in one piece each time: a kill leaves at most one damaged line, which is the last.
            with self._file.open("ab", buffering=0) as out:
                size = out.seek(0, os.SEEK_END)
                try:
                    write_all(out, (json.dumps(entry, ensure_ascii=False) + "\n").encode())
                except OSError:  # a full disk may take a part of it
                    out.truncate(size)
                    raise
        self.entries.append(entry)

    def _read(self) -> Iterator[dict[str, Any]]:
        for _, entry in self._placed():
            yield entry

    def _placed(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each entry, and at which byte it begins."""
        _cut_damaged_end(self._file)
        place = 0
        with self._file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    entry = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise UserError(
                        f"{self._file}:{number} is not JSON ({error}); delete the folder or name another"
                    ) from error
                yield place, entry
                place += len(line)

    def _check(self, settings: Mapping[str, Any]) -> None:
        before = self.entries[0].get("settings") if isinstance(self.entries[0], dict) else None
        # As JSON reads it back (tuples are lists), or equal settings would differ from what the file holds.
        now = json.loads(json.dumps(dict(settings)))
        if not isinstance(before, dict):
            raise UserError(f"{self._file} is not a journal of this command; name another folder with --out")
        keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
        if keys:
            differences = "; ".join(f"{key} was {before.get(key)!r}, is {now.get(key)!r}" for key in keys)
            raise UserError(f"{self._file.parent} holds another run ({differences}); name another folder with --out")


class KeyedJournal(Journal):
    """A journal of large entries, each with a key: they stay on disk, and memory holds where they are.

    Args:
        file, settings: as of a journal.

    Raises:
        UserError: as of a journal.
    """

    def __init__(self, file: Path, settings: Mapping[str, Any]) -> None:
        self._places: dict[str, int] = {}
        super().__init__(file, settings)

    @property
    def keys(self) -> Set[str]:
        """The keys of all entries."""
        return self._places.keys()

    def append(self, entry: dict[str, Any]) -> None:
        """Write one entry down; its `key` names it."""
        place = self._file.stat().st_size
        super().append(entry)
        if "key" in entry:
            self.entries.clear()
            self._places[entry["key"]] = place

    def entry(self, key: str) -> dict[str, Any]:
        """The entry of a key."""
        with self._file.open("rb") as lines:
            lines.seek(self._places[key])
            found: dict[str, Any] = json.loads(lines.readline())
        return found

    def _read(self) -> Iterator[dict[str, Any]]:
        for place, entry in self._placed():
            if isinstance(entry, dict) and "key" in entry:
                self._places[entry["key"]] = place
            else:
                yield entry


def append_sealed(file: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Append an entry to a file of records without what looks like a secret, and seal the file's chain of digests.

    It is on the disk when this returns. That takes too long for what thousands of entries are written to.

    Returns:
        the entry as it was written.

    Raises:
        UserError: another process is writing to the file.
    """
    redactor: Redactor | None = redactor_for(file.parent)
    written: dict[str, Any] = entry if redactor is None else redactor.redacted(entry)
    try:
        with closing(Store(file)) as store:
            store.append_lines([json.dumps(written) + "\n"])
    except StoreError as error:
        raise UserError(str(error)) from error
    return written


def _cut_damaged_end(file: Path) -> None:
    """Cut off what a killed process was writing; a whole file is only read."""
    with file.open("rb") as data:
        if not data.seek(0, os.SEEK_END) or (data.seek(-1, os.SEEK_END) and data.read(1) == b"\n"):
            return
    with file.open("r+b", buffering=0) as data:
        cut_damaged_line(data, file)
