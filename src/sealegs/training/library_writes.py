"""Failures of libraries to write a file, as the error of the system that each of them is.

PyTorch, safetensors and tokenizers write in C++ and Rust, and raise errors of their own for a full disk, of which a
command could show a traceback alone.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sealegs.faults.user_error import UserError

RUST = re.compile(r"\(os error (\d+)\)")
OF_WRITES = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOLCK, errno.ENOSPC}
PROBE = 1 << 16  # bytes


@contextmanager
def library_writes(folder: Path) -> Iterator[None]:
    """Raise what libraries say of files in a folder that they could not write as the error of the system.

    Raises:
        OSError: the system's error, where the message holds it, or where a file cannot be written there now.
        UserError: a file was not written whole, and nothing says why.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # safetensors has no public name for its own
        for one in _chain(error):
            if isinstance(one, OSError) and one.errno in OF_WRITES:  # Python does not say which file it was writing
                raise OSError(one.errno, one.strerror, one.filename or str(folder)) from error
            if found := RUST.search(str(one)):
                number = int(found[1])
                raise OSError(number, os.strerror(number), str(folder)) from error
        if not _is_of_saving(error):
            raise
        _probe(folder, error)
        raise UserError(
            f"cannot write to {folder}: PyTorch did not finish a file; check the disk; the same command resumes the run"
        ) from error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those that it was raised from or beside: a library may fail again as it closes its files."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_of_saving(error: Exception) -> bool:
    """Return whether `torch.save` raised it, whose messages do not hold the error of the system."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(
        (frame.f_globals["__name__"], frame.f_code.co_name) == ("torch.serialization", "save") for frame in frames
    )


def _probe(folder: Path, error: Exception) -> None:
    """Write a little into the folder, so that a disk that is full or broken says so itself."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as why:
        raise OSError(why.errno, why.strerror, str(folder)) from error
