"""Locks on open files, which end with their process: one call for the two ways that systems have.

On Windows a lock keeps others from reading what is locked, so it is put on one byte far behind the end. Some network
disks have no locks, and there none is held.
"""

from __future__ import annotations

import os
import sys
import time

WINDOWS = sys.platform == "win32"
BYTE = 1 << 40  # which byte is locked on Windows
AGAIN = 0.05  # seconds between two tries there


def lock_file(descriptor: int, *, wait: bool) -> bool:
    """Lock an open file.

    Args:
        descriptor: the file's.
        wait: whether to wait until another process lets go.

    Returns:
        Whether it is locked; False where there are no locks.

    Raises:
        BlockingIOError: another process has it, and `wait` is false.
    """
    return _lock_windows(descriptor, wait) if WINDOWS else _lock_posix(descriptor, wait)


def _lock_posix(descriptor: int, wait: bool) -> bool:
    if sys.platform == "win32":
        return False
    try:
        import fcntl  # Unix only

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        raise
    # Some network disks refuse locks; writing there without one is better than not at all.
    except (ImportError, OSError):
        return False
    return True


def _lock_windows(descriptor: int, wait: bool) -> bool:
    import msvcrt

    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        while True:
            # `locking` locks from the current place.
            os.lseek(descriptor, BYTE, os.SEEK_SET)
            try:
                # The blocking mode gives up after ten tries, so waiting is done here.
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            except PermissionError as error:
                if not wait:
                    raise BlockingIOError(error.errno, error.strerror) from error
                time.sleep(AGAIN)
            except OSError:
                return False
            else:
                return True
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
