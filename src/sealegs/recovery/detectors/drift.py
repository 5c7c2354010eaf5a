"""Drift: a field's level moved away from the record's and stays there, though no single answer is strange.

Two cumulative sums for each number (Page 1954) over how many spreads it lies above or below the record's median, less
an allowance; the limit is set so that a steady level gives one false alarm in so many answers (Siegmund 1985). A level
that moved because other things are requested looks the same, and is no fault.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sealegs.faults.invariants.invariant import number
from sealegs.recovery.detectors.flat_call import FlatCall

LEAST = 12  # values that a level is learned from
ALLOWED = 0.5  # spreads
CLIPPED = 4.0  # spreads: one strange answer is not drift
NORMAL = 1.4826  # of the median distance to the median, in a normal distribution


@dataclass(frozen=True, slots=True)
class Level:
    """A field's usual level.

    Attributes:
        path: the field.
        centre: the record's median; its logarithm where `log`.
        spread: a robust standard deviation.
        log: whether magnitudes count.
    """

    path: str
    centre: float
    spread: float
    log: bool

    def off(self, value: float) -> float | None:
        """The spreads by which a value lies above the level; None where its logarithm counts and it has none."""
        if self.log and value <= 0:
            return None
        return max(-CLIPPED, min(CLIPPED, ((math.log(value) if self.log else value) - self.centre) / self.spread))


def levels(views: Sequence[FlatCall]) -> list[Level]:
    """The levels of all numbers that vary."""
    found = []
    for path in dict.fromkeys(path for view in views for path in view.values):
        values = [v for view in views if path not in view.listed for v in view.values.get(path, ()) if number(v)]
        # A level needs values that vary; a few distinct ones are codes rather than amounts.
        if path.startswith("argument:") or len(values) < LEAST or len(set(values)) < LEAST / 2:
            continue
        # Values that range over large factors are compared by their logarithms: a factor counts the same up and down.
        log = min(values) > 0 and max(values) / min(values) >= 20
        numbers = [math.log(value) if log else float(value) for value in values]
        centre = median(numbers)
        # Median and MAD, since a few wrong answers in the record must not move them.
        spread = NORMAL * median(abs(value - centre) for value in numbers)
        if spread > 0:
            found.append(Level(path, centre, spread, log))
    return found


def limit(answers: float) -> float:
    """The limit of a cumulative sum that a steady normal level passes once in so many answers, on either side."""

    def between(h: float) -> float:
        reach = 2 * ALLOWED * (h + 1.166)
        return (math.exp(reach) - reach - 1) / (2 * ALLOWED**2) / 2

    low, high = 0.1, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if between(middle) < answers else (low, middle)
    return high


class DriftWatch:
    """The cumulative sums of a tool's fields while answers come in."""

    def __init__(self, known: Sequence[Level], answers: float) -> None:
        self._levels = known
        self._limit = limit(answers * max(1, len(known)))
        self._sums = {level.path: (0.0, 0.0, 0, 0) for level in known}

    def moved_levels(self, view: FlatCall) -> list[tuple[Level, float, str]]:
        """Levels that this answer shows to have moved: the level, how far past the limit, and a sentence."""
        found = []
        for level in self._levels:
            value = view.number(level.path)
            off = None if value is None else level.off(value)
            if off is None:
                continue
            up, down, above, below = self._sums[level.path]
            up, above = (up + off - ALLOWED, above + 1) if up + off > ALLOWED else (0.0, 0)
            down, below = (down - off - ALLOWED, below + 1) if down - off > ALLOWED else (0.0, 0)
            past, count, word = max((up, above, "above"), (down, below, "below"))
            if past > self._limit:
                # How far the level moved: the mean addition per answer since the sum was last 0, with the allowance put
                # back.
                by = past / count + ALLOWED
                usual = math.exp(level.centre) if level.log else level.centre
                text = f"{level.path} ran about {by:.1f} spreads {word} its usual {usual:g} for {count} answers"
                found.append((level, past / self._limit, text))
                up = down = 0.0
                above = below = 0
            self._sums[level.path] = (up, down, above, below)
        return found
