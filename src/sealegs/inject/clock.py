"""Time, behind one small interface: real by default, virtual for scripted agents.

On the virtual clock a wait of 60 s costs nothing and moves the clock by 60. A wait without end, which only a caller's
own timeout can end, raises `Hung` there: nobody else will come.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from typing import Protocol


class Hung(Exception):
    """A wait without end on a clock on which nothing else can happen."""


class Clock(Protocol):
    """Seconds since the episode began, and waiting."""

    def now(self) -> float:
        """Seconds since the clock was made."""

    def sleep(self, seconds: float) -> None:
        """Wait in a thread. `seconds` may be infinite."""

    async def sleep_async(self, seconds: float) -> None:
        """Wait in a task. `seconds` may be infinite."""


class RealClock:
    """The machine's monotonic clock."""

    __slots__ = ("_start",)

    def __init__(self) -> None:
        self._start = time.monotonic()

    def now(self) -> float:
        """Seconds since the clock was made."""
        return time.monotonic() - self._start

    def sleep(self, seconds: float) -> None:
        """Wait in a thread; a wait without end lasts until the process is interrupted."""
        if math.isinf(seconds):
            threading.Event().wait()
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        """Wait in a task; a wait without end lasts until the task is cancelled."""
        if math.isinf(seconds):
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(seconds)


class VirtualClock:
    """A clock that moves only by waiting."""

    __slots__ = ("_now",)

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Seconds waited so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock.

        Raises:
            Hung: `seconds` is infinite.
        """
        if math.isinf(seconds):
            raise Hung("the tool never answers and the call has no timeout; give the session one")
        self._now += seconds

    async def sleep_async(self, seconds: float) -> None:
        """Move the clock; see `sleep`."""
        self.sleep(seconds)
