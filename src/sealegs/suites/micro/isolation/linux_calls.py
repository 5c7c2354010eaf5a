"""Linux system calls that Python has no name for."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
F_SETSIG = 10

_LIBC = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _LIBC.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, also of those in sessions of their own."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends. The parent must have one thread: the kernel looks at the one that forked."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before this call
        os._exit(1)


def die_with_pipe(lifeline: int) -> None:
    """Be killed when the pipe's other end closes, whatever this process is doing then."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def spare_the_others() -> None:
    """Make the kernel end this process and its children first where the machine's memory runs out."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123  # pathlib may not be loaded yet
            file.write("1000")
    except OSError:
        return


def killed_for_memory() -> int:
    """The number of processes that the kernel has killed on this machine because memory ran out."""
    try:
        with open("/proc/vmstat") as file:  # noqa: PTH123
            return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), 0)
    except OSError:
        return 0


def threads_alive() -> int:
    """Threads of this process, including those that Python does not know of."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208
