"""Guards that keep an agent of this process from ending, blocking or outliving its run.

Not covered: a crash of the interpreter (a segmentation fault), which ends the command with its signal; and,
outside the main thread or without POSIX timers, an agent that hangs.
"""

from __future__ import annotations

import _thread
import asyncio
import concurrent.futures.thread as pools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from sealegs.faults.lost_exceptions import SOON, lost_exceptions

AGAIN = 0.5  # seconds after which a run that was told to end is told again; until then it may end in good order
CLEANING = frozenset({__name__, lost_exceptions.__module__})  # modules in whose functions no limit strikes
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


class _PendingSignal(int):
    """A signal that is pending once `pends` is read: Python looks for signals after calls and jumps alone."""

    pends = property(_thread.interrupt_main)


ALARM = _PendingSignal(getattr(signal, "SIGALRM", 0))


class RunTimeLimit:
    """A block of the main thread that ends after some real time, or with Ctrl-C, whatever it swallows.

    An agent may swallow what is raised (a bare `except:` in a loop). So it is raised again and again, and from the
    second time on another signal is left pending, which Python handles where the agent has caught the first. Nothing
    is raised while the functions of this module clean up, and nothing after the block.

    Args:
        seconds: after which `RunOverTime` is raised.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._interrupted = False
        self._raised = False
        self._follows = False  # the signal that comes next was left pending by the one before
        self._owner: FrameType | None = None

    def __enter__(self) -> RunTimeLimit:
        self._owner = sys._getframe(1)
        self._hook = lost_exceptions(RunOverTime, lambda: signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN))
        self._hook.__enter__()
        self._int_before = signal.getsignal(signal.SIGINT)
        if callable(self._int_before):
            signal.signal(signal.SIGINT, self._interrupt)
        self._alarm_before = signal.signal(signal.SIGALRM, self._alarm)
        self._began = time.monotonic()
        self._timer_before = signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._alarm_before)
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, self._int_before)
        self._hook.__exit__(None, None, None)
        self._owner = None
        left, interval = self._timer_before
        if left:  # of a block around this one
            signal.setitimer(signal.ITIMER_REAL, max(SOON, left - (time.monotonic() - self._began)), interval)
        if self._interrupted and not (kind is not None and issubclass(kind, KeyboardInterrupt)):
            raise KeyboardInterrupt
        if self._raised and kind is None:  # it was told to end, and went on to an answer
            raise self._late()

    def expire(self) -> None:
        """End the block soon: it was told to end in another way. Nothing happens in another thread."""
        if not self._raised and self._owner is not None and threading.current_thread() is threading.main_thread():
            self._raised = True
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        try:
            self._int_before(number, frame)  # type: ignore[operator, misc]
        except KeyboardInterrupt:
            self._interrupted = True
            self.expire()
            raise

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        follows, self._follows = self._follows, False
        if self._cleans_up(frame):
            return
        ours = frame is not None and str(frame.f_globals.get("__name__")).startswith("sealegs.")
        error = KeyboardInterrupt() if self._interrupted else self._late()
        if self._raised:
            self._follows = True
            ALARM.pends  # noqa: B018
        self._raised = True
        # A session that notes what came of a call may finish that; its caller comes next.
        if not (follows and ours):
            raise error

    def _late(self) -> RunOverTime:
        return RunOverTime(f"it did not end within {self._seconds:g} s")

    def _cleans_up(self, frame: FrameType | None) -> bool:
        while frame is not None and frame is not self._owner:
            if frame.f_globals.get("__name__") in CLEANING:
                return True
            frame = frame.f_back
        return False


def time_limited(seconds: float) -> AbstractContextManager[RunTimeLimit | None]:
    """Raise `RunOverTime` in this block after so many seconds of real time, if a timer can be had."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return nullcontext()
    return RunTimeLimit(seconds)


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


def close_runner(runner: asyncio.Runner) -> None:
    """Close the event loop of a run that did not end by itself, with the tasks that will not be cancelled."""
    loop = runner.get_loop()
    with suppress(RunOverTime), time_limited(PATIENCE):
        runner.close()
    for task in asyncio.all_tasks(loop):
        # Here, where it can be ended: one that swallows the end of its coroutine would loop when that is collected.
        with suppress(RunOverTime, RuntimeError), time_limited(AGAIN):
            task.get_coro().close()
