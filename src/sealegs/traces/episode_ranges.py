"""The places of episodes in a file of records, and the file's division between two of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sealegs.traces.record_files import open_records

# How the last line of an episode begins: as `store.line` writes it, or with other spaces.
ENDED = re.compile(rb'\s*\{\s*"type"\s*:\s*"ended"')


class EpisodePlace(NamedTuple):
    """The place of an episode in a file of records: first byte, the byte after its last, and its last line's number.

    In a log of Inspect's it is counted in samples: those before it, and those up to it.
    """

    start: int
    end: int
    line: int


FILE_BEGINS = EpisodePlace(0, 0, 0)


class FileRange(NamedTuple):
    """A part of a file: what follows this episode, up to the line that ends at this byte or holds it."""

    after: EpisodePlace = FILE_BEGINS
    until: float = math.inf


WHOLE_FILE = FileRange()


def divide_records(path: Path, after: EpisodePlace, size: int) -> Iterator[tuple[FileRange, bytes]]:
    """Divide what follows an episode into ranges of so many episodes, the last one of what is left.

    A file whose events do not begin with their type is one range.

    Yields:
        each range, and its bytes.
    """
    first, end, number = after, after.end, after.line
    lines: list[bytes] = []
    left = size
    with open_records(path) as file:
        file.seek(after.end)
        for text in file:
            lines.append(text)
            end, number = end + len(text), number + 1
            left -= ENDED.match(text) is not None
            if not left:
                yield FileRange(first, end), b"".join(lines)
                first, lines, left = EpisodePlace(first.end, end, number), [], size
    if lines:
        yield FileRange(first, end), b"".join(lines)
