"""Guards that keep an agent of this process from ending, blocking or outliving its run.

Not covered: a crash of the interpreter (a segmentation fault), which ends the command with its signal; and,
outside the main thread or without POSIX timers, an agent that hangs.
"""

from __future__ import annotations

import concurrent.futures.thread as pools
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sealegs.faults.lost_exceptions import SOON, lost_exceptions

PATIENCE = 5.0  # seconds that threads of a run are waited for once it has answered


class RunOverTime(BaseException):
    """A run took too long. Not an `Exception`, which an agent would take for a tool's error."""


@contextmanager
def exits_raised() -> Iterator[None]:
    """Make `os._exit` raise `SystemExit` in this process: else the command would end, with the agent's exit code."""
    end, process = os._exit, os.getpid()

    def raise_exit(status: int) -> Any:
        if os.getpid() != process:  # a child that the agent forked ends as it must
            end(status)
        raise SystemExit(f"os._exit({status})")

    os._exit = raise_exit
    try:
        yield
    finally:
        os._exit = end


@contextmanager
def time_limited(seconds: float) -> Iterator[None]:
    """Raise `RunOverTime` in this block after so many seconds of real time, if a timer can be had."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise RunOverTime(f"it did not end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with lost_exceptions(RunOverTime, lambda: signal.setitimer(signal.ITIMER_REAL, SOON)):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def directory_kept() -> Iterator[None]:
    """Go back to the working directory after this block: the next run, and the files of this command, are in it."""
    before = Path.cwd()
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def threads_awaited() -> Iterator[None]:
    """Wait a while for the threads that were started in this block: their calls belong to it, and not to the next run.

    Threads of pools wait for work and are left alone.
    """
    before = set(threading.enumerate())
    try:
        yield
    finally:
        end = time.monotonic() + PATIENCE
        for thread in set(threading.enumerate()) - before:
            if thread not in pools._threads_queues:
                thread.join(max(0.0, end - time.monotonic()))
