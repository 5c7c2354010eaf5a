"""Reading a large file of records in several processes, which each judge a range of it at a time.

Only commands do so: a program that reads a run by our functions may lack the guard (`if __name__ == "__main__"`) that
keeps a worker from running it again.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from sealegs.engines.logs import ReadEpisode
from sealegs.engines.workers import WorkerPool
from sealegs.traces.episode_ranges import EpisodePlace, FileRange, divide_records
from sealegs.traces.inspect_logs import SUFFIX
from sealegs.traces.record_files import records_size

E = TypeVar("E")
K = TypeVar("K")
LEAST = 32 << 20  # bytes, some 4,000 episodes: fewer are judged before processes are ready
EPISODES = 256  # of a range
_jobs: ContextVar[int] = ContextVar("judging_jobs", default=1)


class JudgedRow(NamedTuple, Generic[E, K]):
    """An episode that was read and judged, and what a table beside its file has of it.

    Attributes:
        judged: the episode.
        place: where it is in the file; None if that is unknown.
        row: of the table.
        sets: the task set that it is of, where that does not ship, with its edition.
    """

    judged: ReadEpisode[E, K]
    place: EpisodePlace | None
    row: Mapping[str, Any]
    sets: Mapping[str, str]


Seen = Callable[[bytes], object]
RangeReader = Callable[[Path, list[str], FileRange, Seen], Iterator[JudgedRow[E, K]]]


@contextmanager
def judging_jobs(count: int | None) -> Iterator[None]:
    """Let large files be judged in so many processes meanwhile; in as many as there are cores for None."""
    before = _jobs.set(count or os.cpu_count() or 1)
    try:
        yield
    finally:
        _jobs.reset(before)


def judged_rows(
    file: Path, warnings: list[str], after: EpisodePlace, seen: Seen, read: RangeReader[E, K]
) -> Iterator[JudgedRow[E, K]]:
    """Each episode that follows another one in a file, in their order; in several processes where that saves time.

    Args:
        file, warnings: the file, and a list of what had to be left out.
        after: the episode after which to begin.
        seen: called with the bytes up to the end of an episode before it is given.
        read: reads and judges a range; can be pickled, as what it yields.

    Raises:
        UserError: there is something that cannot be read.
    """
    jobs = _jobs.get()
    if jobs == 1 or file.suffix == SUFFIX or records_size(file) - after.end < LEAST:
        yield from read(file, warnings, FileRange(after), seen)
        return
    with WorkerPool(jobs, "--jobs 1 needs none, and the least memory") as pool:
        try:
            yield from _in_ranges(pool, file, warnings, after, seen, read)
        finally:
            pool.shutdown()


def _in_ranges(
    pool: WorkerPool, file: Path, warnings: list[str], after: EpisodePlace, seen: Seen, read: RangeReader[E, K]
) -> Iterator[JudgedRow[E, K]]:
    given: deque[tuple[int, bytes]] = deque()  # of the ranges under way: where each begins, and its bytes

    def work() -> Iterator[tuple[RangeReader[E, K], Path, FileRange]]:
        for within, data in divide_records(file, after, EPISODES):
            given.append((within.after.end, data))
            yield read, file, within

    for rows, notes, digest in pool.stream(_judge_range, work()):
        start, data = given.popleft()
        done = start
        warnings += notes
        # What was judged is what was read here, unless another process writes to the file: then no table may say so.
        same = hashlib.sha256(data).hexdigest() == digest
        for one in rows:
            if not same or one.place is None:
                yield one._replace(place=None)
                continue
            seen(data[done - start : one.place.end - start])
            done = one.place.end
            yield one


def _judge_range(
    read: RangeReader[E, K], file: Path, within: FileRange
) -> tuple[list[JudgedRow[E, K]], list[str], str]:
    """The findings of a process in a range: the episodes, the warnings, and a digest of the bytes that it read."""
    warnings: list[str] = []
    found = hashlib.sha256()
    return list(read(file, warnings, within, found.update)), warnings, found.hexdigest()
