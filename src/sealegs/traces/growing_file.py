"""The state of a growing file: the bytes that are in parts already, and the parts that hold the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sealegs.traces.journal_parts import JournalPart, new_part

PART = 8 << 20  # bytes of a part at most
TAIL = 4096  # bytes before the end that are compared, to see that a file was appended to and not changed
BLOCK = 1 << 20


@dataclass
class GrowingFile:
    """A file, as far as it is in parts.

    Attributes:
        file: where it is.
        suffix: of its parts' names.
        parts: so far.
    """

    file: Path
    suffix: str
    parts: list[JournalPart] = field(default_factory=list)
    _size: int = 0
    _inode: int = 0
    _tail: bytes = b""
    _made: int = 0  # parts by this writer: a number is never given twice

    @property
    def size(self) -> int:
        """The number of its bytes that are in parts."""
        return self._size

    def known(self, parts: list[JournalPart]) -> GrowingFile:
        """Take it as it was fetched: all of it is in these parts."""
        self.parts, self._size = list(parts), sum(part.size for part in parts)
        self._inode = self.file.stat().st_ino
        with self.file.open("rb") as file:
            file.seek(max(0, self._size - TAIL))
            self._tail = file.read(TAIL)
        return self

    def begin_anew(self) -> None:
        """Forget all parts, where the file is another than they are of."""
        self.parts, self._size, self._tail = [], 0, b""

    def was_changed(self) -> bool:
        """Return whether it is another file than its parts are of, as far as its end shows; see `differs`."""
        now = self.file.stat()
        if self.parts and (now.st_ino != self._inode or now.st_size < self._size):
            return True
        with self.file.open("rb") as file:
            file.seek(max(0, self._size - TAIL))
            return file.read(min(self._size, TAIL)) != self._tail

    def differs(self) -> bool:
        """Return whether any part holds other bytes than the file."""
        with self.file.open("rb") as file:
            for part in self.parts:
                found = file.read(part.size)
                if new_part(0, 0, found, "")[1:] != part[1:]:
                    return True
        return False

    def rest(self, end: int, writer: int) -> Iterator[tuple[JournalPart, bytes]]:
        """The bytes that are not in parts yet, up to this one, as parts of whole lines; `add` each once it is there."""
        with self.file.open("rb") as file:
            self._inode = self.file.stat().st_ino
            place = self._size
            while place < end:
                file.seek(place)
                data = file.read(min(PART, end - place))
                if place + len(data) < end:
                    # Cut behind a whole line, unless one line is longer than a part.
                    data = data[: data.rfind(b"\n") + 1] or data
                if not data:
                    return
                place += len(data)
                self._made += 1
                yield new_part(writer, self._made, data, self.suffix), data

    def add(self, part: JournalPart, data: bytes) -> None:
        """Note that a part is written."""
        self.parts.append(part)
        self._size += part.size
        self._tail = (self._tail + data)[-TAIL:]


def whole_lines(file: Path, start: int) -> int:
    """The end of the last whole line of a file; `start` if no line ends behind it."""
    with file.open("rb") as lines:
        end = lines.seek(0, 2)
        while end > start:
            begin = max(start, end - BLOCK)
            lines.seek(begin)
            found = lines.read(end - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            end = begin
    return start


def aligned_ends(records: Path, chain: Path, records_start: int, chain_start: int) -> tuple[int, int]:
    """The ends at which records and their chain can be cut so that each speaks of the other's lines, and of no more.

    An entry is written before its lines, and readers take many entries without lines for lost records.

    Args:
        records, chain: the files.
        records_start, chain_start: the bytes that are in parts already.

    Returns:
        the ends of both.
    """
    size, ends = records.stat().st_size, (records_start, chain_start)
    with chain.open("rb") as lines:
        lines.seek(chain_start)
        place = chain_start
        for line in lines:
            try:
                # A line without its end is still being written, so it counts as one that is beyond the records.
                end = int(json.loads(line).get("end", 0)) if line.endswith(b"\n") else size + 1
            except (ValueError, AttributeError, TypeError):
                break
            if end > size:
                break
            place += len(line)
            ends = max(end, records_start), place
    return ends
