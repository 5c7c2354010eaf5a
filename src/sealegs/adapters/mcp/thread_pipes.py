"""Pipes of an event loop that threads wait for, where the system lets no loop wait for them.

On Windows a loop can wait only for pipes that were opened for that, and a client opens ours otherwise. So one thread
reads and one writes, for each pipe; files and consoles will do as well. A thread that waits in the system for the other
side cannot be ended; it ends with the process.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from contextlib import suppress
from typing import Any

PIECE = 65536  # bytes read at a time
HIGH = 65536  # bytes to be written above which a protocol is paused


class ThreadReader(asyncio.ReadTransport):
    """Reads a pipe in a thread, a chunk ahead at most.

    Args:
        pipe: what has a descriptor.
        protocol: who is given the chunks.
    """

    def __init__(self, pipe: Any, protocol: asyncio.Protocol) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._protocol = protocol
        self._paused = False
        self._closing = False
        self._held: deque[bytes] = deque()  # what came before the pause was known
        self._next = threading.Event()  # the last chunk was taken, or nothing more is wanted
        protocol.connection_made(self)
        threading.Thread(target=self._read, name="sealegs reads a pipe", daemon=True).start()

    def pause_reading(self) -> None:
        """Let nothing more come."""
        self._paused = True

    def resume_reading(self) -> None:
        """Let come what comes."""
        self._paused = False
        if self._held:  # what came during the pause
            self._loop.call_soon(self._come)

    def is_closing(self) -> bool:
        """Return whether nothing more comes."""
        return self._closing

    def close(self) -> None:
        """Let nothing more come for good."""
        if not self._closing:
            self._closing = True
            self._next.set()
            self._loop.call_soon(self._protocol.connection_lost, None)

    def _read(self) -> None:
        while not self._closing:
            try:
                data = os.read(self._pipe.fileno(), PIECE)
            except (OSError, ValueError):  # the other side is gone, as Windows says it; or it is closed
                data = b""
            # Cleared before the loop hears of the chunk; its `set` could otherwise come first and be lost.
            self._next.clear()
            try:
                self._loop.call_soon_threadsafe(self._came, data)
            except RuntimeError:  # the loop is over
                return
            if not data:
                return
            self._next.wait()

    def _came(self, data: bytes) -> None:
        self._held.append(data)
        self._come()
        if self._closing:  # the thread must not wait for a chunk that nobody will take
            self._next.set()

    def _come(self) -> None:
        while self._held and not self._paused and not self._closing:
            data = self._held.popleft()
            if not data:
                self.close()
                return
            self._protocol.data_received(data)
            self._next.set()


class ThreadWriter(asyncio.WriteTransport):
    """Writes a pipe in a thread.

    Args:
        pipe: what has a descriptor.
        protocol: notified when too much waits, and when it is over.
    """

    def __init__(self, pipe: Any, protocol: asyncio.BaseProtocol) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._pipe = pipe
        self._protocol: Any = protocol
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._full = False
        self._closing = self._lost = False
        self._work = threading.Condition()
        protocol.connection_made(self)
        threading.Thread(target=self._drain, name="sealegs writes a pipe", daemon=True).start()

    def write(self, data: Any) -> None:
        """Write it when all before it is written."""
        if self._closing or not data:
            return
        # The size is changed by both threads.
        with self._work:
            self._waiting.append(bytes(data))
            self._size += len(data)
            self._work.notify()
        if self._size > HIGH and not self._full:
            self._full = True
            self._protocol.pause_writing()

    def is_closing(self) -> bool:
        """Return whether nothing more is written."""
        return self._closing

    def write_eof(self) -> None:
        """Close it when all is written."""
        with self._work:
            self._closing = True
            self._work.notify()

    def close(self) -> None:
        """Close it when all is written."""
        self.write_eof()

    def abort(self) -> None:
        """Close it as it is; a write that waits for the other side is left alone."""
        with self._work:
            self._waiting.clear()
            self._size = 0
            self._closing = True
            self._work.notify()
        self._loop.call_soon(self._end, None)

    def _drain(self) -> None:
        error: Exception | None = None
        while error is None:
            with self._work:
                self._work.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    break
                # Written outside the lock: a slow reader must not block the loop.
                data = self._waiting.popleft()
            error = self._written(data)
        with suppress(OSError):  # the other side has gone
            self._pipe.close()
        self._tell(self._end, error)

    def _written(self, data: bytes) -> Exception | None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._pipe.fileno(), left) :]
        except (OSError, ValueError) as error:
            return error
        with self._work:
            self._size = max(0, self._size - len(data))
        # Half of it, so that one small write does not pause the other side again at once.
        if self._full and self._size <= HIGH // 2:
            self._tell(self._resume)
        return None

    def _tell(self, function: Any, *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the loop is over
            return

    def _resume(self) -> None:
        # Checked again in the loop's thread: more may have been written since.
        if self._full and self._size <= HIGH // 2:
            self._full = False
            self._protocol.resume_writing()

    def _end(self, error: Exception | None) -> None:
        self._closing = True
        if not self._lost:  # an abort and the thread's own end may both call it
            self._lost = True
            self._protocol.connection_lost(error)
