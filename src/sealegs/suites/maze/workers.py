"""Processes to work in, which end when the one that made them ends, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process


def workers(count: int | None = None) -> ProcessPoolExecutor:
    """A pool of processes; as many as there are cores by default. Ctrl-C is for the process that made it."""
    context = get_context("forkserver")
    return ProcessPoolExecutor(count or os.cpu_count() or 1, mp_context=context, initializer=_begin)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent tells nobody: a worker would wait for it for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
