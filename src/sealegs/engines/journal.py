"""What was done, one JSON object a line, appended the moment it is done, so that the same command can resume.

A damaged last line (the process was killed while writing it) is cut off; nothing else is lost. It does not cover two
writers at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import make_folder


class Journal:
    """A file of entries.

    Args:
        file: where; it is made if it is not there.
        settings: what the run is; entries made under other settings are refused.

    Raises:
        UserError: the file is another run's, or not a journal; the message says what to do.
    """

    def __init__(self, file: Path, settings: Mapping[str, Any]) -> None:
        self._file = file
        self.entries: list[dict[str, Any]] = []
        make_folder(file.parent, "name another with --out")
        if file.exists():
            self.entries = list(self._read())
        if not self.entries:
            file.write_text("", encoding="utf-8")
            self.append({"settings": dict(settings)})
        self._check(settings)
        self.entries = self.entries[1:]

    def append(self, entry: dict[str, Any]) -> None:
        """Write one entry down and hand it to the operating system."""
        with self._file.open("ab", buffering=0) as out:
            out.write((json.dumps(entry, ensure_ascii=False) + "\n").encode())
        self.entries.append(entry)

    def _read(self) -> Iterator[dict[str, Any]]:
        data = self._file.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with self._file.open("r+b") as out:
                out.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = json.loads(line)
            except ValueError as error:
                raise UserError(
                    f"{self._file}:{number} is not JSON ({error}); delete the folder or name another"
                ) from error
            yield entry

    def _check(self, settings: Mapping[str, Any]) -> None:
        before = self.entries[0].get("settings") if isinstance(self.entries[0], dict) else None
        now = json.loads(json.dumps(dict(settings)))
        if not isinstance(before, dict):
            raise UserError(f"{self._file} is not a journal of this command; name another folder with --out")
        keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
        if keys:
            told = "; ".join(f"{key} was {before.get(key)!r}, is {now.get(key)!r}" for key in keys)
            raise UserError(f"{self._file.parent} holds another run ({told}); name another folder with --out")
