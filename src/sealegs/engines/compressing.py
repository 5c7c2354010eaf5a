"""Compressing the records of finished runs: the file is packed, read back, compared, and only then removed.

A process that is killed at any moment leaves the plain file, or both forms; then the plain one counts, and the same
command goes on from there. The chain of digests and the table of verdicts are of the bytes of the plain file, and stay.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sealegs.engines.folders import RECORDS
from sealegs.faults.user_error import UserError
from sealegs.traces import file_locks
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.compressed_blocks import CompressionError, packed_blocks
from sealegs.traces.file_locks import lock_file
from sealegs.traces.folder_lock import FolderLock
from sealegs.traces.record_chain import lacks_seal
from sealegs.traces.record_files import (
    compressed_form,
    only_compressed,
    open_compressed,
    records_exist,
    records_size,
)

COMPARED = 1 << 20  # bytes at a time
LATER = "compress it later"


class CompressedRun(NamedTuple):
    """The records of a run that are compressed now.

    Attributes:
        file: of the compressed form.
        before, after: the bytes of the plain form, and of the compressed one.
        already: whether it was compressed before.
    """

    file: Path
    before: int
    after: int
    already: bool

    def sentence(self) -> str:
        """All of it, for a reader."""
        what = "is compressed already" if self.already else "is compressed"
        return f"{self.file} {what}: {self.after:,} bytes in place of {self.before:,}."


def compress_runs(folders: Sequence[Path]) -> Iterator[CompressedRun]:
    """Compress the records of runs, one after the other. All folders are looked at before anything is written.

    Args:
        folders: of finished runs.

    Raises:
        UserError: one holds no records, or those of a run that is not finished; one is being written; or what was
            written cannot be read back.
    """
    for folder in folders:
        _check_finished(folder)
    for folder in folders:
        with FolderLock(folder, LATER):
            found = _compressed(folder)
        yield found


def _check_finished(folder: Path) -> None:
    records = folder / RECORDS
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; name that of a finished run")
    if not records_exist(records):
        raise UserError(f"{folder} holds no {RECORDS}; name the folder of a finished run without Inspect")
    for form in (records, compressed_form(records)):
        if form.is_symlink() or (form.exists() and not form.is_file()):
            raise UserError(f"{form} is a link, or no file at all; name the folder that holds the file itself")
    if lacks_seal(records):
        raise UserError(
            f"{records} is not sealed: a run still writes it, or was killed; let it end, or give its command again"
        )


def _compressed(folder: Path) -> CompressedRun:
    _check_finished(folder)  # again, now under the lock
    records, packed = folder / RECORDS, compressed_form(folder / RECORDS)
    before, already = records_size(records), only_compressed(records)
    if not already:
        with records.open("rb") as plain:
            _lock(plain, records)
            _pack(plain, packed, records)
            if file_locks.WINDOWS:  # which removes no open file
                plain.close()
            records.unlink()
    return CompressedRun(packed, before, packed.stat().st_size, already)


def _lock(plain: BinaryIO, records: Path) -> None:
    """Keep away those who append to a file without holding its folder."""
    try:
        lock_file(plain.fileno(), wait=False)
    except BlockingIOError as error:
        raise UserError(f"{records}: another process is writing to it; wait for it, or {LATER}") from error


def _pack(plain: BinaryIO, packed: Path, records: Path) -> None:
    """Write the compressed form of an open file beside it, unless it is there already.

    Raises:
        UserError: it cannot be written, or gives other bytes when it is read.
    """
    if _is_packed(packed, records):  # by a process that was killed
        return
    mode = stat.S_IMODE(os.fstat(plain.fileno()).st_mode)  # whoever could read the records still can
    write_atomically(packed, packed_blocks(plain), "make room, or see who may write there", mode)
    if not _holds_same(packed, records):
        packed.unlink()
        raise UserError(f"{packed} does not hold what was written to it; check the disk. {records} stays as it is")


def _holds_same(packed: Path, records: Path) -> bool:
    """Return whether a compressed form is there that gives exactly the bytes of the plain one."""
    try:
        return packed.exists() and all(one == other for one, other in _stretches(packed, records))
    except CompressionError:
        return False


def _is_packed(packed: Path, records: Path) -> bool:
    """Return whether a compressed form is there already; false if there is none, or only of the file's beginning.

    Raises:
        UserError: it holds something else, or cannot be read. A killed `gunzip` leaves the whole run in it, and only
            its beginning in the plain file.
    """
    same = packed.exists()
    try:
        for one, other in _stretches(packed, records) if same else ():
            if one != other[: len(one)]:
                raise UserError(f"{packed} holds what {records} does not; delete the one that is not whole")
            same &= one == other
    except CompressionError as error:
        raise UserError(f"{error}. It may hold more than {records.name} does, so nothing replaces it") from error
    return same


def _stretches(packed: Path, records: Path) -> Iterator[tuple[bytes, bytes]]:
    """The same stretches of both forms, up to the end of the longer one."""
    with open_compressed(packed) as one, records.open("rb") as other:
        while any(found := (one.read(COMPARED), other.read(COMPARED))):
            yield found
