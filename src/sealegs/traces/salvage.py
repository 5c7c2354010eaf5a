"""What a zip file holds whose end was never written.

A process killed while it writes an Inspect log leaves entries without the directory that belongs at a zip's end. Each
entry has a header of its own (APPNOTE.TXT 6.3.10, section 4.3.7), so those that are whole can still be read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import zstandard

HEADER = struct.Struct("<4sHHHHHIIIHH")
MAGIC = b"PK\x03\x04"
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
SIZES_LATER = 1 << 3


def entries(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each whole entry from the beginning up to the first that is not."""
    data = path.read_bytes()
    at = 0
    while data[at : at + 4] == MAGIC and at + HEADER.size <= len(data):
        _, _, flags, method, _, _, check, packed, _, name_size, extra_size = HEADER.unpack_from(data, at)
        start = at + HEADER.size + name_size + extra_size
        body = data[start : start + packed]
        if flags & SIZES_LATER or len(body) < packed:
            return
        content = _unpacked(method, body)
        if content is None or zlib.crc32(content) != check:
            return
        yield data[at + HEADER.size : at + HEADER.size + name_size].decode("utf-8", "replace"), content
        at = start + packed


def _unpacked(method: int, body: bytes) -> bytes | None:
    """An entry's content; None where it is damaged or packed in a way that is not known."""
    try:
        if method == DEFLATED:
            return zlib.decompress(body, wbits=-15)
        if method == ZSTANDARD:
            with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
                return reader.read()
    except (zlib.error, zstandard.ZstdError):
        return None
    return body if method == STORED else None
