"""A chain of digests beside a file of records, by which a reader sees that it is whole and unaltered.

`NAME.chain` has an entry for each chunk that was appended: the digests of its lines, where it ends, and a digest over
the entry and the digest before it. When the file is closed, a seal says how many lines there are. The records
themselves hold nothing of it, so that they are the same whoever wrote them, and in whatever chunks.

An entry is written before its lines. So a killed process leaves at most one entry too many, which the next one takes
back, and lines that no entry speaks of were never ours. Whoever can write both files can make them anew, unless the
digests are keyed (`SEALEGS_RECORD_KEY`); an older state of both is whole even then.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import sync_file, write_all, write_atomically
from sealegs.traces.environment_names import RECORD_KEY
from sealegs.traces.redaction import OWNER_ONLY

FORMAT = 1
ENDING = ".chain"
LINES, END, SEAL, LOST, DIGEST = "lines", "end", "seal", "lost", "digest"
TAIL = 1 << 16  # bytes of a chain in which its seal lies
DIGITS = 16  # of a line's digest
BEGINNING = b'{"type": "started"'  # of the first line of an episode
# Made once: `json.dumps` with options makes one on each call, and each event of an episode calls it.
_SORTED, _ENCODER = json.JSONEncoder(sort_keys=True), json.JSONEncoder()


def chain_file(path: Path) -> Path:
    """The path of the chain of a file of records."""
    return path.with_name(path.name + ENDING)


def lacks_seal(path: Path) -> bool:
    """Return whether the last writer of a file of records did not live to seal its chain, which can still be written.

    It compares nothing: `check_chain` does.

    Raises:
        OSError: the chain cannot be read.
    """
    file = chain_file(path)
    if not file.exists() or not os.access(file, os.W_OK):
        return False
    with file.open("rb") as entries:
        entries.seek(max(0, file.stat().st_size - TAIL))  # the end alone: a long run has a long chain
        *_, last = [b"", *entries.read().splitlines(keepends=True)]
    try:
        return not last.endswith(b"\n") or SEAL not in json.loads(last)
    except (ValueError, TypeError):
        return True


def _check_key(file: Path, key: bytes) -> None:
    """Refuse to continue a chain with another key than it was begun with: it would count as altered from there on.

    Raises:
        UserError: it was begun with another key, with one where there is none now, or without one.
    """
    with file.open("rb") as entries:
        first = entries.readline()
    try:
        header = json.loads(first) if first.endswith(b"\n") else {}
        keyed, digest = header.get("keyed"), header.pop(DIGEST, "")
    except (ValueError, RecursionError, AttributeError):
        return  # it is damaged, which `check_chain` reports
    if keyed is True and not key:
        raise UserError(f"{file} was begun with a key; set {RECORD_KEY} to it")
    if keyed is True and digest != entry_digest("", header, key):
        raise UserError(f"{file} was begun with another key than {RECORD_KEY} has now; set it to that one")
    if keyed is False and key:
        raise UserError(f"{file} was begun without a key; unset {RECORD_KEY}, or name another folder")


def record_key(environment: Mapping[str, str] = os.environ) -> bytes:
    """The key of the digests; empty where there is none."""
    return environment.get(RECORD_KEY, "").encode(errors="surrogateescape")


def line_digest(line: bytes) -> str:
    """The digest of a line with its end."""
    return hashlib.sha256(line).hexdigest()[:DIGITS]


def entry_digest(before: str, entry: Mapping[str, Any], key: bytes) -> str:
    """The digest of an entry and of all before it.

    Args:
        before: the digest of the entry before; empty for the first.
        entry: without a digest of its own.
        key: makes it one that nobody without the key can make.
    """
    data = f"{before}\n{_SORTED.encode(entry)}".encode()
    return hmac.new(key, data, hashlib.sha256).hexdigest() if key else hashlib.sha256(data).hexdigest()


class RecordChain:
    """The chain of a file that is open for writing.

    Args:
        path: the file of records.
        size: its bytes; what a killed process left half written is cut off already.
        key: of the digests.

    Attributes:
        notice: what is not as it was left; empty where all is.

    Raises:
        UserError: the chain was begun with another key.
    """

    def __init__(self, path: Path, size: int, key: bytes) -> None:
        self.notice = ""
        self._key, self._last, self._count, self._sealed = key, "", 0, False
        self._file: FileIO | None = None
        file = chain_file(path)
        # Old records get no chain: it would vouch for lines that nobody watched.
        if size and not file.exists():
            return  # begun without one: nobody can say what it was
        # `os.open`, since only it sets the mode at creation.
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, OWNER_ONLY)
        self._file = FileIO(descriptor, "a+b")
        try:
            _check_key(file, key)
        except UserError:
            self._file.close()
            raise
        if os.fstat(descriptor).st_size:
            self._resume(file, size)
        if not os.fstat(descriptor).st_size:  # a new one, or a writer was killed within the first line
            self._add({"chain": FORMAT, "keyed": bool(key)})

    def extend(self, data: bytes, end: int) -> Callable[[], None]:
        """Note lines that are about to be appended.

        Args:
            data: the lines.
            end: the size of the file behind them.

        Returns:
            takes the note back, where they could not be appended.

        Raises:
            OSError: it could not be written; nothing of it stays.
        """
        # Nothing to note and nothing to take back.
        if self._file is None:
            return lambda: None
        before = (os.fstat(self._file.fileno()).st_size, self._last, self._count, self._sealed)
        digests = [line_digest(line + b"\n") for line in data.split(b"\n")[:-1]]

        def take_back() -> None:
            assert self._file is not None
            size, self._last, self._count, self._sealed = before
            self._file.truncate(size)

        try:
            self._add({LINES: digests, END: end})
        except OSError:
            take_back()
            raise
        self._count += len(digests)
        self._sealed = False
        return take_back

    def close(self, end: int | None) -> None:
        """Seal the file, where anything came to it, and close the chain.

        Args:
            end: the size of the file; None where it is not known to be on the disk, and is not sealed.
        """
        if self._file is None:
            return
        file, self._file = self._file, None  # closed once, even if sealing fails
        with file:
            if not self._sealed and end is not None:
                self._add({SEAL: self._count, END: end}, file)
                sync_file(file.fileno())

    def _add(self, entry: dict[str, Any], file: FileIO | None = None) -> None:
        file = file or self._file
        assert file is not None
        digest = entry_digest(self._last, entry, self._key)
        write_all(file, (_ENCODER.encode({**entry, DIGEST: digest}) + "\n").encode())
        self._last = digest

    def _resume(self, file: Path, size: int) -> None:
        """Continue after the last entry that the file confirms."""
        assert self._file is not None
        place, kept, lost, unsealed = 0, 0, 0, 0
        for line in file.read_bytes().splitlines(keepends=True):
            try:
                entry: Any = json.loads(line) if line.endswith(b"\n") else None
                end = entry.get(END, 0)
            except (ValueError, AttributeError):
                break
            place += len(line)
            # An entry for lines that are not in the file: they were lost, or never written.
            if end > size:
                lost += 1
                unsealed += SEAL not in entry
                continue
            # The chain is a sequence, so whatever follows a lost entry cannot be kept either.
            if lost:
                continue
            kept, self._last = place, str(entry.get(DIGEST, ""))
            self._count += len(entry.get(LINES, ()))
            self._sealed = SEAL in entry
        self._file.truncate(kept)
        # A lost seal means that finished records are missing, and each writer leaves one unsealed entry at most.
        if lost > unsealed or unsealed > 1:  # more than a killed process can have left
            self.notice = f"{file.name}: the records end before its entries do; {lost} were taken back"
            self._add({LOST: lost, END: size})
            self._sealed = False


def write_chain(path: Path) -> None:
    """Write the chain of a whole file, as if its episodes had been appended one after the other."""
    key = record_key()

    def entries() -> Iterator[dict[str, Any]]:
        yield {"chain": FORMAT, "keyed": bool(key)}
        digests: list[str] = []
        end = total = 0
        with path.open("rb") as file:
            for line in file:
                if line.startswith(BEGINNING) and digests:
                    yield {LINES: digests, END: end}
                    digests = []
                digests.append(line_digest(line))
                end += len(line)
                total += 1
        if digests:
            yield {LINES: digests, END: end}
        yield {SEAL: total, END: end}

    write_atomically(chain_file(path), _chained(entries(), key), mode=OWNER_ONLY)


def _chained(entries: Iterable[dict[str, Any]], key: bytes) -> Iterator[bytes]:
    last = ""
    for entry in entries:
        last = entry_digest(last, entry, key)
        yield (json.dumps({**entry, DIGEST: last}) + "\n").encode()
