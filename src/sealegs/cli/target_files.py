"""Files that an option names: whole or not at all, through a link to what it names, and into a pipe as it comes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_all, write_atomically
from sealegs.traces.folder_urls import with_urls

MOST_LINKS = 40  # one after the other, as Linux follows them


def is_stream(file: Path) -> bool:
    """Return whether a name is that of a pipe, a device or an open file, such as `/dev/stdout` or `>(command)`.

    A file that took its place would take the device away from the whole machine.
    """
    for _ in range(MOST_LINKS):
        if os.path.realpath(file.parent).startswith("/proc/"):
            return True
        if not file.is_symlink():
            break
        file = file.parent / file.readlink()
    try:
        mode = file.stat().st_mode
    except OSError:  # nothing is there yet, or it cannot be seen; writing it says so
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_target(file: Path, data: str | bytes) -> None:
    """Write the file that an option names; a link to it stays one.

    Raises:
        UserError: it cannot be written; the message says why.
    """
    if not is_stream(file):
        real = Path(os.path.realpath(file)) if file.is_symlink() else file
        if real.is_symlink():
            raise UserError(f"cannot write {file}: it is one of several links in a circle; name another file")
        write_atomically(real, data)
        return
    try:
        with file.open("ab", buffering=0) as stream:
            write_all(stream, with_urls(data).encode(errors="replace") if isinstance(data, str) else data)
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}; name another file") from error
