"""The surprise of a broken statement, counted on right answers that were held out.

The record is cut into folds by episode. What is mined without a fold is checked against the fold's answers, which are
taken to be right: that gives how often a right answer breaks a statement of this sort with this much support. A tool's
own counts, where it has some, weigh against those of all tools. A score is the negative decimal logarithm of that
share: 2 is one right answer in a hundred. The threshold is set on the same answers, each scored by what was counted on
the other folds: an answer must not speak for itself. A record that holds many wrong answers spoils the count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sealegs.recovery.detectors.flat_call import FlatCall
from sealegs.recovery.detectors.statements import FAR, Statement

EDGES = (1, 2, 3, 4, 6, 10, 20, 50, 200)  # of support
OWN = 8.0  # held-out answers of a tool's own that weigh as much as all that is known of the kind
Key = tuple[str, int]


def bucket(support: int) -> int:
    """The bucket of a support: those below the same edge are counted together."""
    return sum(support >= edge for edge in EDGES)


@dataclass
class StatementCounts:
    """Counts of the tests of a statement, and of those that it failed by at least 0, 1, 2, 3."""

    tested: float = 0.0
    broken: list[float] = field(default_factory=lambda: [0.0] * (FAR + 1))

    def join(self, other: StatementCounts) -> None:
        """Count what another counted too."""
        self.tested += other.tested
        self.broken = [one + more for one, more in zip(self.broken, other.broken, strict=True)]

    def add(self, far: int | None) -> None:
        """Count one answer by how far it broke the statement; None where it did not."""
        self.tested += 1
        for step in range(FAR + 1 if far is None else far + 1):
            self.broken[step] += far is not None


class CalibrationTally:
    """Counts by kind and support, and by each statement of each tool.

    Args:
        parts: tallies that are counted together.
    """

    def __init__(self, parts: Iterable[CalibrationTally] = ()) -> None:
        self.kinds: dict[Key, StatementCounts] = {}
        self.own: dict[tuple[str, str, tuple[str, ...]], StatementCounts] = {}
        self._fitted: dict[str, list[list[float]]] = {}
        for part in parts:
            for key, counts in part.kinds.items():
                self.kinds.setdefault(key, StatementCounts()).join(counts)
            for name, counts in part.own.items():
                self.own.setdefault(name, StatementCounts()).join(counts)

    def hold(self, tool: str, statements: Iterable[Statement], view: FlatCall) -> None:
        """Check one answer against statements that were mined without it."""
        for statement in statements:
            if statement.applies(view):
                found = statement.breach(view)
                far = None if found is None else found[0]
                self.kinds.setdefault(calibration_key(tool, statement), StatementCounts()).add(far)
                self.own.setdefault((tool, statement.kind, statement.names()), StatementCounts()).add(far)

    def scores(self, tool: str, statement: Statement) -> tuple[float, ...]:
        """The score of each step of breaking this statement, never falling."""
        name, place = calibration_key(tool, statement)
        own = self.own.get((tool, statement.kind, statement.names()))
        found: list[float] = []
        for step, shares in enumerate(self._shares(name)):
            share = shares[place]
            if own is not None:
                share = (own.broken[step] + OWN * share) / (own.tested + OWN)
            found.append(round(max(-math.log10(share), found[-1] if found else 0.0), 3))
        return tuple(found)

    def _shares(self, name: str) -> list[list[float]]:
        """The share of right answers that break a kind of statement, by step and bucket; less with more support."""
        if name not in self._fitted:
            counts = [self.kinds.get((name, place), StatementCounts()) for place in range(len(EDGES) + 1)]
            self._fitted[name] = [
                non_increasing_shares([(one.broken[step], one.tested) for one in counts]) for step in range(FAR + 1)
            ]
        return self._fitted[name]


def non_increasing_shares(counts: Sequence[tuple[float, float]]) -> list[float]:
    """Shares that never rise from one bucket to the next: neighbours that would rise are merged.

    The least squares fit under that order (Ayer et al. 1955); half a hit is added to each share, for none is certain.
    """
    blocks: list[tuple[float, float, int]] = []
    for broken, tested in counts:
        block = (broken, tested, 1)
        # Compared crosswise and not as shares: a bucket may hold nothing.
        while blocks and (block[1] == 0 or blocks[-1][0] * block[1] <= block[0] * blocks[-1][1]):
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    return [(broken + 0.5) / (tested + 1) for broken, tested, size in blocks for _ in range(size)]


def calibration_key(tool: str, statement: Statement) -> Key:
    """The key under which a statement is counted; statements about a name, whatever the tool, have their own."""
    return (statement.sort if tool else f"name: {statement.sort}"), bucket(statement.support)


def threshold(scores: Sequence[float], answers: int, share: float) -> float:
    """The least score that at most this share of right answers reaches (with one more counted, as conformal tests do).

    Args:
        scores: of held-out answers that have any, in any order.
        answers: how many were held out.
        share: the wanted rate of false alarms.
    """
    allowed = math.floor(share * (answers + 1)) - 1  # the rank that may still reach it
    ordered = sorted(scores, reverse=True)
    if allowed < 0:
        return math.inf
    return math.nextafter(ordered[allowed], math.inf) if allowed < len(ordered) else 0.001
