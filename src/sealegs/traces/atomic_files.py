"""Files that are there whole or not at all: written aside, then renamed.

What a killed process wrote aside has the same name as what the next one writes aside, which removes it. A file is on
the disk before it gets its name, and its name is there before `write_atomically` returns: so a power loss leaves the
old file or the new one. It does not cover files that grow, which are the store's (`traces.store`).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.traces import file_locks
from sealegs.traces.file_locks import lock_file
from sealegs.traces.folder_urls import with_urls

MOST_LINKS = 40  # one after the other, as Linux follows them
OPEN_FILES = ("/proc/", "/dev/fd")  # where Linux and macOS show those of a process
NEVER_SYNCED = (errno.EINVAL, errno.ENOTSUP)  # from file systems that cannot do it, not from disks that failed


def write_atomically(
    path: Path,
    data: str | bytes | Iterable[bytes],
    remedy: str = "name another file",
    mode: int | None = None,
    *,
    keep: bool = False,
) -> None:
    """Write a file so that it is there whole or not at all; folders on the way to it are made.

    Args:
        path: where.
        data: what; text is written as UTF-8, chunks one after the other.
        remedy: what the message advises if it cannot be written.
        mode: who may read it, whatever the process's umask; None leaves that to the umask.
        keep: whether a file of this name that is there by then stays as it is.

    Raises:
        UserError: it cannot be written; the message says why. Nothing is left behind.
    """
    if isinstance(data, str):
        # Text of agents and tools may contain half a character (a lone surrogate), which UTF-8 cannot encode.
        data = with_urls(data).encode(errors="replace")
    chunks = [data] if isinstance(data, bytes) else data
    aside = path.with_name(f".{path.name}.aside")
    try:
        make_folder(path.parent, remedy)
        with _own_file(aside, 0o666 if mode is None else mode) as file:
            try:
                if keep and path.exists():
                    return
                if mode is not None and sys.platform != "win32":
                    os.fchmod(file.fileno(), mode)
                for chunk in chunks:
                    write_all(file, chunk)
                sync_file(file.fileno())
                _close_on_windows(file)
                aside.replace(path)
                _sync_folder(path.parent)
            finally:
                _close_on_windows(file)
                aside.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; {remedy}") from error


def write_all(file: FileIO, data: bytes) -> None:
    """Write all of it to an unbuffered file, which may take a part at a time."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def sync_file(descriptor: int) -> None:
    """Return when what was written to an open file is on the disk, where its file system can say so.

    Raises:
        OSError: it could not be written to the disk.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NEVER_SYNCED:
            raise


def _sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk."""
    if sys.platform == "win32":  # which opens no folders, and keeps a journal of names by itself
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _own_file(path: Path, mode: int) -> Iterator[FileIO]:
    """A new file that no other process writes to; one that a killed process left is removed, a living one's waited for.

    The lock says which is which: it ends with its process.
    """
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
            found = False
        except FileExistsError:
            try:
                descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            except FileNotFoundError:  # it took its place meanwhile
                continue
            found = True
        with FileIO(descriptor, "r+b") as file:
            lock_file(descriptor, wait=True)
            # Whoever held the lock before has renamed or removed this file; what has its name now, if anything, is
            # another one.
            if not (path.exists() and os.path.samestat(os.fstat(descriptor), path.stat())):
                continue
            # Left by a killed process. It is removed and made anew, since its mode may not be the one that is wanted
            # here.
            if found:
                _close_on_windows(file)
                path.unlink(missing_ok=True)
                continue
            yield file
            return


def _close_on_windows(file: FileIO) -> None:
    """Close it where an open file can be neither renamed nor removed."""
    if file_locks.WINDOWS:
        file.close()


def is_stream(file: Path) -> bool:
    """Return whether a name is that of a pipe, a device or an open file, such as `/dev/stdout` or `>(command)`.

    A file that took its place would take the device away from the whole machine.
    """
    for _ in range(MOST_LINKS):
        if os.path.realpath(file.parent).startswith(OPEN_FILES):
            return True
        if not file.is_symlink():
            break
        file = file.parent / file.readlink()
    try:
        mode = file.stat().st_mode
    except OSError:  # nothing is there yet, or it cannot be seen; writing it says so
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_appendable(path: Path, remedy: str) -> None:
    """Check that a file can be appended to, before anything depends on it. Nothing is made.

    Raises:
        UserError: it cannot be; the message says why.
    """
    if is_stream(path):  # a pipe's reader would take the attempt for the end
        return
    check_folder(path.parent, remedy)
    if not path.parent.exists():
        return
    there = path.exists()
    try:
        with path.open("ab"):
            pass
        if not there:
            Path(os.path.realpath(path)).unlink()  # what a link names was made, and not the link
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; {remedy}") from error


def check_folder(folder: Path, remedy: str) -> None:
    """Check that a folder is there or can be made, before anything depends on it. Nothing is made.

    Raises:
        UserError: it cannot be; the message says why.
    """
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not there.is_dir():
        why = "a file of this name is there" if there == folder else f"{there} is a file"
    elif not os.access(there, os.W_OK):
        why = f"{there} is not writable"
    else:
        return
    raise UserError(f"cannot make the folder {folder}: {why}; {remedy}")


def make_folder(folder: Path, remedy: str) -> None:
    """Make a folder and those above it, where they are not there.

    Raises:
        UserError: it cannot be made, or something else is there; the message says why.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "a file of this name is there" if isinstance(error, FileExistsError) else error.strerror
        raise UserError(f"cannot make the folder {folder}: {reason}; {remedy}") from error
