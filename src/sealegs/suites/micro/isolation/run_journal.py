"""Journal of the ends of runs, one JSON line each, written by the launcher alone the moment it knows.

A launcher killed while it writes leaves a torn last line, which the next one cuts off; that run is run again. Lines
outlive the process; those of a journal that was closed outlive a power loss, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.suites.micro.isolation.request import RunEnd, RunRequest

_NAMES = {field.name for field in fields(RunEnd)}


class RunJournal:
    """A file of ended runs, and what of them is known.

    Attributes:
        known: the ends that the file holds, by id.

    Raises:
        UserError: the file is not a journal of this function's runs, or another launcher writes to it.
    """

    def __init__(self, path: Path, work: str) -> None:
        from sealegs.traces.store import Store, StoreError

        self._path, self._work = path, work
        self.known: dict[str, RunEnd] = {}
        self._digests: dict[str, str] = {}
        try:
            self._store = Store(path)
        except StoreError as error:
            raise UserError(str(error)) from None
        try:
            for number, line in enumerate(path.read_bytes().splitlines(), 1):
                self._take(number, line)
        except BaseException:
            self._store.close()
            raise

    def has(self, request: RunRequest) -> bool:
        """Return whether its end is known.

        Raises:
            UserError: an end is known, but of a different request with the same id.
        """
        if request.id not in self.known:
            return False
        if self._digests[request.id] != self._digest(request):
            raise UserError(
                f"{self._path} holds a run {request.id!r} of another payload or function; "
                "name another journal, or give the request another id"
            )
        return True

    def append(self, request: RunRequest, ended: RunEnd, beside: Mapping[str, Any]) -> None:
        """Write one end down, with what is known beside it, and hand it to the operating system."""
        line = json.dumps({**asdict(ended), "asked": self._digest(request), **beside}, ensure_ascii=True)
        self._store.append_lines([line + "\n"])
        self.known[ended.id] = ended

    def close(self) -> None:
        """Close the file; nothing more is written."""
        self._store.close()

    def _take(self, number: int, line: bytes) -> None:
        try:
            entry = json.loads(line)
            self.known[entry["id"]] = RunEnd(**{name: entry[name] for name in _NAMES})
            self._digests[entry["id"]] = entry["asked"]
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"{self._path}:{number} is not a line of a journal of runs ({type(error).__name__}: {error}); "
                "restore the file or name another"
            ) from None

    def _digest(self, request: RunRequest) -> str:
        """Return a digest of the request, so that an id that comes to mean something else is noticed."""
        order: Mapping[str, Any] = {"work": self._work, "payload": request.payload}
        return sha256(json.dumps(order, sort_keys=True).encode()).hexdigest()[:16]
