"""The contents of a zip file, also in Zstandard, which Python's own module learns in 3.14, and also without its end.

A process killed while it writes an Inspect log leaves entries without the directory that belongs at a zip's end. Each
entry has a header of its own (APPNOTE.TXT 6.3.10, section 4.3.7), so those that are whole can still be read.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

HEADER = struct.Struct("<4sHHHHHIIIHH")
MAGIC = b"PK\x03\x04"
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
SIZES_LATER = 1 << 3
LARGEST = 1 << 29  # bytes of an entry: one that would unpack to more is not read, as reading takes three times as much
ORDINARY = 1 << 26  # bytes up to which it does not matter how well an entry is packed
MOST_FOLD = 200  # how many times its packed size a larger entry may be; logs are packed ten- to fiftyfold


def entries(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each whole entry from the beginning up to the first that is not."""
    data = path.read_bytes()
    at = 0
    while data[at : at + 4] == MAGIC and at + HEADER.size <= len(data):
        _, _, flags, method, _, _, check, packed, size, name_size, extra_size = HEADER.unpack_from(data, at)
        start = at + HEADER.size + name_size + extra_size
        body = data[start : start + packed]
        # If sizes follow the content, only the directory tells where it ends, and the directory is missing.
        if flags & SIZES_LATER or len(body) < packed:
            return
        content = _unpacked(method, body, size)
        if content is None or zlib.crc32(content) != check:
            return
        yield data[at + HEADER.size : at + HEADER.size + name_size].decode("utf-8", "replace"), content
        at = start + packed


def read_entry(file: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    """The content of an entry of a whole zip file.

    Args:
        file: the zip file.
        entry: by its directory.

    Raises:
        BadZipFile: it is damaged, too large, or packed in a way that is not known.
    """
    file.seek(entry.header_offset)
    header = file.read(HEADER.size)
    if len(header) < HEADER.size or not header.startswith(MAGIC):
        raise zipfile.BadZipFile(f"{entry.filename} is not where the directory says")
    *_, name_size, extra_size = HEADER.unpack(header)
    file.seek(name_size + extra_size, 1)
    content = _unpacked(entry.compress_type, file.read(entry.compress_size), entry.file_size)
    if content is None or zlib.crc32(content) != entry.CRC:
        unfit = _too_large(entry.file_size, entry.compress_size)
        why = f"would be {entry.file_size:,} bytes, from {entry.compress_size:,}" if unfit else "is damaged"
        raise zipfile.BadZipFile(f"{entry.filename} {why}")
    return content


def _unpacked(method: int, body: bytes, size: int) -> bytes | None:
    """An entry's content of this size; None where it has another, is damaged, or packed in a way that is not known."""
    if _too_large(size, len(body)):
        return None
    content = _content(method, body, size + 1)
    return content if content is not None and len(content) == size else None


def _too_large(size: int, packed: int) -> bool:
    """Return whether an entry of this size, packed into so few bytes, was made to use up the reader's memory."""
    return size > LARGEST or size > max(ORDINARY, MOST_FOLD * packed)


def _content(method: int, body: bytes, most: int) -> bytes | None:
    try:
        if method == DEFLATED:
            return zlib.decompressobj(wbits=-15).decompress(body, most)
        if method == ZSTANDARD:
            with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
                return reader.read(most)
    except (zlib.error, zstandard.ZstdError):
        return None
    return body if method == STORED else None
