"""Time, behind one small interface: real by default, virtual for scripted agents.

On the virtual clock a wait of 60 s costs nothing and moves the clock by 60; the waits of concurrent calls add up there.
A wait without end, which only a caller's own timeout can end, raises `EndlessWait` on it: nobody else will come. On the
real clock it lasts until the task is cancelled or the episode releases whoever still waits. The virtual clock
does not count the time that the tools themselves take.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class EndlessWait(BaseException):
    """A wait that nothing can end any more. No `Exception`: no agent may take it for a tool's error."""


class Clock(Protocol):
    """Seconds since the episode began, and waiting. `seconds` may be infinite."""

    def now(self) -> float:
        """Seconds since the clock was made."""

    def sleep(self, seconds: float, abandoned: Callable[[], None]) -> None:
        """Wait in a thread. Where `release` ends the wait, it calls `abandoned` and `EndlessWait` is raised here."""

    async def sleep_async(self, seconds: float, abandoned: Callable[[], None]) -> None:
        """Wait in a task. Where `release` ends the wait, it calls `abandoned` and the task is cancelled."""

    def release(self) -> None:
        """Let go of all who wait now: the episode is over. When it returns, each `abandoned` has run."""


class RealClock:
    """The machine's monotonic clock."""

    __slots__ = ("_lock", "_pauses", "_start")

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._pauses: set[_Pause] = set()
        self._lock = threading.RLock()  # whether a wait ended by itself or was abandoned is decided under it

    def now(self) -> float:
        """Seconds since the clock was made."""
        return time.monotonic() - self._start

    def sleep(self, seconds: float, abandoned: Callable[[], None]) -> None:
        """Wait in a thread.

        Raises:
            EndlessWait: the episode ended before the wait did.
        """
        over = threading.Event()
        pause = _Pause(abandoned, over.set)
        self._pauses.add(pause)
        try:
            over.wait(None if math.isinf(seconds) else seconds)
        finally:
            self._ended(pause)
        if pause.abandoned:
            raise EndlessWait("the episode ended while this call was still waiting")

    async def sleep_async(self, seconds: float, abandoned: Callable[[], None]) -> None:
        """Wait in a task; it is cancelled where the episode ends before the wait does."""
        loop = asyncio.get_running_loop()
        over = loop.create_future()
        timer = None if math.isinf(seconds) else loop.call_later(seconds, _resolve, over)
        pause = _Pause(abandoned, lambda: _soon(loop, over))
        self._pauses.add(pause)
        try:
            await over
        finally:
            if timer is not None:
                timer.cancel()
            self._ended(pause)

    def release(self) -> None:
        """Let go of all who wait now."""
        # A copy: each wait removes itself while this loop is running.
        for pause in tuple(self._pauses):
            try:
                with self._lock:
                    if pause in self._pauses:  # it may have ended by itself since the copy was made
                        pause.abandoned = True
                        pause.notify()
            # Woken even if `notify` raised: otherwise its thread would hang for good.
            finally:
                pause.wake()

    def _ended(self, pause: _Pause) -> None:
        with self._lock:
            self._pauses.discard(pause)


class VirtualClock:
    """A clock that moves only by waiting."""

    __slots__ = ("_lock", "_now")

    def __init__(self) -> None:
        self._now = 0.0
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds waited so far."""
        return self._now

    def sleep(self, seconds: float, abandoned: Callable[[], None]) -> None:
        """Move the clock.

        Raises:
            EndlessWait: `seconds` is infinite.
        """
        if math.isinf(seconds):
            raise EndlessWait("the tool never answers and the call has no timeout; give the session one")
        with self._lock:
            self._now += seconds

    async def sleep_async(self, seconds: float, abandoned: Callable[[], None]) -> None:
        """Move the clock; see `sleep`."""
        self.sleep(seconds, abandoned)

    def release(self) -> None:
        """Do nothing: nobody ever waits here."""


def really_waited(seconds: float, elapsed: float) -> float:
    """The seconds that a wait lasted which was cut off.

    A wait without end that moved no clock is one on the virtual clock: nobody came, and it has no end there.
    """
    return seconds if math.isinf(seconds) and elapsed == 0 else min(seconds, elapsed)


def utc_now() -> datetime:
    """The time of day, for what says one: a header, never a record."""
    return datetime.now(UTC)


class _Pause:
    """One wait under way: whom to tell that it was abandoned, and how to wake who waits."""

    __slots__ = ("abandoned", "notify", "wake")

    def __init__(self, notify: Callable[[], None], wake: Callable[[], None]) -> None:
        self.notify = notify
        self.wake = wake
        self.abandoned = False


def _resolve(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def _soon(loop: asyncio.AbstractEventLoop, over: asyncio.Future[None]) -> None:
    if not loop.is_closed():  # an async wait may be abandoned after its loop has ended
        loop.call_soon_threadsafe(over.cancel)
