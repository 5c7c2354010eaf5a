"""The end of a file of records, which may be too large to read for its last line: it is read backwards, in blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

BLOCK = 65536  # bytes read at a time


def cut_damaged_line(file: FileIO, path: Path) -> str:
    """Cut off a damaged last line, so that what is appended starts its own; return what was done, in words."""
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


def lines_backwards(file: FileIO) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a file from its end, each with the place where it begins."""
    place, kept = file.seek(0, os.SEEK_END), b""
    while place:
        start = max(0, place - BLOCK)
        file.seek(start)
        # The first part may begin in an earlier block, so it is kept for the next round.
        first, *lines = (file.read(place - start) + kept).split(b"\n")
        end = place + len(kept)
        for text in reversed(lines):
            end -= len(text)
            if text:
                yield end, text
            end -= 1
        kept, place = first, start
    if kept:
        yield 0, kept
