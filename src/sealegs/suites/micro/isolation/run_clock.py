"""The time of one run, without what the run could not use because everything was stopped."""

from __future__ import annotations

from math import inf


class RunClock:
    """Count a run's seconds from a beginning, less the spans that were lost after it.

    All times are readings of one monotonic clock, in seconds.

    Args:
        start: from when the first limit counts.
        limit: seconds until the deadline.
    """

    def __init__(self, start: float, limit: float) -> None:
        self._start, self._limit = start, limit
        self._lost: list[tuple[float, float]] = []

    def begin(self, start: float, limit: float) -> None:
        """Count from another moment, which may lie before spans that are already known to be lost."""
        self._start, self._limit = start, limit

    def lose(self, end: float, seconds: float) -> None:
        """Take `seconds` up to `end` as lost. Spans come in order and do not overlap."""
        self._lost.append((end - seconds, end))

    def deadline(self) -> float:
        """The moment at which the limit is reached."""
        return self._start + self._limit + self._lost_between(self._start, inf)

    def used(self, end: float) -> float:
        """Seconds from the beginning to `end` that were not lost; 0 where `end` comes before it."""
        return max(0.0, end - self._start - self._lost_between(self._start, end))

    def _lost_between(self, start: float, end: float) -> float:
        return sum(max(0.0, min(till, end) - max(since, start)) for since, till in self._lost)
