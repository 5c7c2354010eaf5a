"""Freed memory that a process keeps for its next step."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # the names that glibc's malloc.h gives to what `mallopt` sets
LARGEST = 32 * 2**20  # bytes; glibc takes no larger threshold


def keep_freed_memory() -> bool:
    """Let this process keep freed blocks of up to 32 MiB each, and return whether the C library can do that.

    A step of training on the CPU frees all its tensors, and the next one takes as many of the same sizes. By default,
    glibc returns large blocks to the system, which must clear them for each step again: in the proof, that was a fifth
    of a step's processor time. What is kept is at most what the process once held.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library than glibc
        return False
    return bool(set_option(MMAP_THRESHOLD, LARGEST) and set_option(TRIM_THRESHOLD, 2**31 - 1))
