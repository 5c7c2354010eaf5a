"""Compression in blocks of at most 64 KiB that can each be read alone, as htslib's `bgzip` writes them (BGZF).

Such a file is a gzip file of many members, so `gunzip` and `zcat` restore it. A field in the header of each member
says how long it is, by which a reader finds every block without unpacking any, and a last block of nothing says that
the end is there. The format is that of the SAM specification, section 4.1.
"""

from __future__ import annotations

import io
import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from sealegs.faults.user_error import UserError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEADER = struct.Struct("<4sIBBH2sHH")  # magic, time, flags, system, length of the fields, and the one field: its size
MAGIC, LENGTH_FIELD = b"\x1f\x8b\x08\x04", b"BC"
TRAILER = struct.Struct("<II")  # checksum and size of what is in the block
LAST = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")  # the block of nothing
UNPACKED = 0xFF00  # bytes in a block, as `bgzip` has them: with a header, even what cannot be packed fits into 64 KiB
MOST_UNPACKED = 1 << 16
LEVEL = 6
INDEXES = 100  # of files, that are kept
RESTORE = "restore the file or delete it"


class CompressionError(UserError):
    """A compressed file that cannot be read; the message names the file, what was found, and what to do."""


class BlockIndex(NamedTuple):
    """The places of a file's blocks, in order.

    Attributes:
        starts: of each block, the unpacked bytes before it.
        places: of each block, the byte of the file at which it begins, and at last the file's end.
        size: of all, unpacked.
    """

    starts: array[int]
    places: array[int]
    size: int


def packed_blocks(file: BinaryIO) -> Iterator[bytes]:
    """The blocks of what is left in a file, the last one of nothing included."""
    while data := file.read(UNPACKED):
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        body = packer.compress(data) + packer.flush() + TRAILER.pack(zlib.crc32(data), len(data))
        yield HEADER.pack(MAGIC, 0, 0, 0xFF, 6, LENGTH_FIELD, 2, HEADER.size + len(body) - 1) + body
    yield LAST


class BlockReader(io.RawIOBase):
    """The unpacked bytes of a compressed file, from any place on; one block is unpacked at a time.

    Args:
        path: the file.

    Raises:
        CompressionError: it is not in such blocks, or its end is missing.
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path, self._place = path, 0
        self._number, self._data = -1, b""  # of the block that was unpacked last
        self._file = path.open("rb", buffering=0)
        try:
            self._index = block_index(path)
        except BaseException:
            self.close()
            raise

    def readable(self) -> bool:
        """Return whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Return whether any place can be read."""
        return True

    def tell(self) -> int:
        """The place among the unpacked bytes."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place among the unpacked bytes, and return it."""
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._index.size}[whence]
        if begin + offset < 0:
            raise ValueError(f"negative seek position {begin + offset}")
        self._place = begin + offset
        return self._place

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read into a buffer what is left of the block at this place, as far as the buffer takes it."""
        if self._place >= self._index.size:
            return 0
        number = bisect_right(self._index.starts, self._place) - 1
        if number != self._number:
            self._number, self._data = number, self._unpacked(number)
        begin = self._place - self._index.starts[number]
        target = memoryview(buffer).cast("B")
        found = self._data[begin : begin + len(target)]
        target[: len(found)] = found
        self._place += len(found)
        return len(found)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()

    def _unpacked(self, number: int) -> bytes:
        starts, place = self._index.starts, self._index.places[number]
        after = starts[number + 1] if number + 1 < len(starts) else self._index.size
        self._file.seek(place)
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        size = after - starts[number]
        try:
            # One byte more than there should be, so that the checksum behind the last one is compared, too.
            data = unpacker.decompress(self._file.read(self._index.places[number + 1] - place), size + 1)
        except zlib.error as error:
            raise CompressionError(f"{self._path}: the block at byte {place} is damaged; {RESTORE}") from error
        if not unpacker.eof or len(data) != size:
            raise CompressionError(f"{self._path}: the block at byte {place} is damaged; {RESTORE}")
        return data


def block_index(path: Path) -> BlockIndex:
    """The places of a file's blocks. Those of a file that has not changed are kept.

    Raises:
        CompressionError: it is not in such blocks, or its end is missing.
        OSError: it cannot be read.
    """
    found = path.stat()
    return _block_index(path, found.st_size, found.st_mtime_ns)


# Size and time tell a file from one that took its place: a range of a large file is opened thousands of times.
@lru_cache(INDEXES)
def _block_index(path: Path, size: int, _changed: int) -> BlockIndex:
    starts, places = array("Q"), array("Q")
    place = unpacked = inside = 0
    with path.open("rb", buffering=0) as file:
        head = file.read(HEADER.size)
        while place < size:
            length = _block_length(path, place, head)
            end = place + length
            if end > size:
                raise CompressionError(f"{path} breaks off in the block at byte {place}; {RESTORE}")
            file.seek(end - 4)
            tail = file.read(4 + HEADER.size)  # with the header of the next block, which saves a call
            inside, head = int.from_bytes(tail[:4], "little"), tail[4:]
            if inside > MOST_UNPACKED:
                raise CompressionError(f"{path}: the block at byte {place} is damaged; {RESTORE}")
            starts.append(unpacked)
            places.append(place)
            place, unpacked = end, unpacked + inside
    if not places or inside:
        raise CompressionError(f"{path} breaks off: its last block is missing; {RESTORE}")
    places.append(place)
    return BlockIndex(starts, places, unpacked)


def _block_length(path: Path, place: int, head: bytes) -> int:
    """The length of a block, by its header."""
    if len(head) < HEADER.size:
        raise CompressionError(f"{path} breaks off in the block at byte {place}; {RESTORE}")
    magic, _, _, _, fields, name, field_size, length = HEADER.unpack(head)
    if magic != MAGIC or (fields, name, field_size) != (6, LENGTH_FIELD, 2) or length < len(LAST) - 1:
        if place:
            raise CompressionError(f"{path}: there is no block at byte {place}; {RESTORE}")
        raise CompressionError(f"{path} is not in blocks, as `sealegs compress` packs; unpack it (gunzip {path})")
    return int(length) + 1
