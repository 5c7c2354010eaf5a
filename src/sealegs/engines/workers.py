"""Processes to work in, which end when the one that made them ends, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import TypeVar

from sealegs.faults.user_error import UserError

T = TypeVar("T")
R = TypeVar("R")


def workers(count: int | None = None) -> ProcessPoolExecutor:
    """A pool of processes; as many as there are cores by default. Ctrl-C is for the process that made it."""
    context = get_context("forkserver")
    return ProcessPoolExecutor(count or os.cpu_count() or 1, mp_context=context, initializer=_begin)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End with the parent: a killed parent sends no word, and a worker would wait for it forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def in_chunks(items: Sequence[T], work: Callable[[Sequence[T]], list[R]], jobs: int | None, size: int) -> Iterator[R]:
    """Yield what `work` gives for all items, in no fixed order.

    In this process each result comes as soon as it is there; from workers they come a chunk at a time, so a kill loses
    the chunks that were being worked on. After an interrupt (Ctrl-C) these finish, and their results come before it is
    raised.

    Args:
        items: what to work on.
        work: done in the workers; can be pickled.
        jobs: processes; as many as there are cores by default. One works in this process.
        size: items of a chunk.

    Raises:
        UserError: a process was killed; what the others were doing is lost with it.
    """
    jobs = jobs or os.cpu_count() or 1
    chunks = [items[start : start + size] for start in range(0, len(items), size)]
    if jobs == 1 or len(chunks) == 1:
        for item in items:
            yield from work([item])
        return
    with workers(min(jobs, len(chunks))) as pool:
        running = [pool.submit(work, chunk) for chunk in chunks]
        left = dict.fromkeys(running)
        try:
            for done in as_completed(running):
                del left[done]
                yield from done.result()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            for late in left:
                yield from () if late.cancelled() else late.result()
            raise
        except BrokenProcessPool as error:
            remedy = "the same command resumes the run; fewer --jobs need less memory"
            raise UserError(f"a working process was killed, by hand or for want of memory; {remedy}") from error
        finally:
            pool.shutdown(cancel_futures=True)
