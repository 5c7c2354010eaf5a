"""Kernels that are ready before they are needed."""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType
from typing import Self

from sealegs.sandbox.code_kernel import Kernel
from sealegs.sandbox.launching import Launcher
from sealegs.sandbox.limits import Limits


class Pool:
    """Keeps some kernels starting or ready. Each is given out once: whoever takes one closes it, and none comes back.

    Starting needs no thread of the pool: the processes come up by themselves.

    Args:
        launcher: where they run.
        limits: what each may use.
        size: how many wait.
    """

    def __init__(self, launcher: Launcher, limits: Limits | None = None, size: int = 2) -> None:
        self._launcher = launcher
        self._limits = limits
        self._lock = threading.Lock()
        self._closed = False
        self._waiting = deque(self._new() for _ in range(size))

    def take(self) -> Kernel:
        """Take a kernel for your own use; the next one begins to start.

        Raises:
            RuntimeError: the pool is closed.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("this pool is closed")
            self._waiting.append(self._new())
            return self._waiting.popleft()

    def close(self) -> None:
        """End all waiting kernels. Kernels that were taken keep running."""
        with self._lock:
            self._closed = True
            while self._waiting:
                self._waiting.popleft().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _new(self) -> Kernel:
        return Kernel(self._launcher, self._limits)
