"""The descendants of one process: who they are, what memory they hold, and their end.

All are found by following children from the root down, so the root must adopt orphans (`kernel.adopt_orphans`): then
none can escape, neither by starting its own session nor by the end of its parent.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

PATIENCE = 10.0  # seconds; a process in the kernel's hands (a dead network disk) may not end at all
LISTED = Path("/proc/thread-self/children").exists()  # not in every kernel


def children(pid: int) -> list[int]:
    """The children of a process, dead ones not yet waited for too."""
    if not LISTED:
        return [one for one in map(int, filter(str.isdigit, os.listdir("/proc"))) if _parent(one) == pid]  # noqa: PTH208
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # called many times a second
            with suppress(OSError):
                found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_bytes().split())
    return found


def descendants(pid: int) -> list[int]:
    """All descendants of a process."""
    found: list[int] = []
    left = children(pid)
    while left:
        one = left.pop()
        found.append(one)
        left += children(one)
    return found


def alive(pid: int) -> bool:
    """Return whether it runs: neither gone nor a zombie."""
    return _status(pid)[0] not in (b"Z", b"X", b"")


def _parent(pid: int) -> int:
    return int(_status(pid)[1])


def _status(pid: int) -> tuple[bytes, bytes]:
    """State and parent."""
    with suppress(OSError):
        state, parent, *_ = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return state, parent
    return b"", b"0"


def kill_all(spared: frozenset[int] = frozenset()) -> int:
    """Kill and wait for all descendants of this process; how many of them would not end.

    Args:
        spared: children of this process that live on, with what is below them.
    """
    me, until = os.getpid(), time.monotonic() + PATIENCE
    # Again until none is left: one may have forked while it was found, and orphans become children of this process.
    while True:
        own = [child for child in children(me) if child not in spared]
        left = own + [below for child in own for below in descendants(child)]
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        # The kernel lets a process wait for its own children alone.
        for child in own:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
        if not own or time.monotonic() > until:
            return len(own)
        time.sleep(0.0005)


def resident_memory(pids: list[int]) -> int:
    """Bytes of anonymous and shared memory, what several processes share counted in each. Quick."""
    return 1024 * sum(_kilobytes(f"/proc/{pid}/status", (b"RssAnon:", b"RssShmem:")) for pid in pids)


def proportional_memory(pids: list[int]) -> int:
    """Bytes of anonymous and shared memory, what several processes share divided among them. Walks their pages."""
    return 1024 * sum(_kilobytes(f"/proc/{pid}/smaps_rollup", (b"Pss_Anon:", b"Pss_Shmem:")) for pid in pids)


def _kilobytes(path: str, names: tuple[bytes, ...]) -> int:
    with suppress(OSError):
        lines = Path(path).read_bytes().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(names))
    return 0
