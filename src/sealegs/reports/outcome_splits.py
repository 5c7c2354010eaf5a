"""Differences between strict and lenient verdict: counts mode by mode, and each episode with its explanation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.reports.counts import mode_groups
from sealegs.scoring.maze_metrics import MazeResult


@dataclass(frozen=True, slots=True)
class OutcomeSplit:
    """The difference between the strict and the lenient verdict in one mode.

    Attributes:
        n: episodes.
        strict, outcome: successes by each.
        looser: episodes that the lenient verdict alone calls right.
        stricter: the reverse.
        mined: episodes in which a minefield was stepped on.
    """

    mode: str
    n: int
    strict: int
    outcome: int
    looser: int
    stricter: int
    mined: int


@dataclass(frozen=True, slots=True)
class OutcomeDifference:
    """An episode that the strict and the lenient verdict see differently, with what each holds against it."""

    episode: str
    level: str
    mode: str
    outcome: bool
    reasons: tuple[str, ...]
    missed: tuple[str, ...]
    minefields: tuple[str, ...]


def outcome_splits(results: Sequence[MazeResult]) -> list[OutcomeSplit]:
    """The differences between the two, mode by mode and, where there are several, over all."""
    return [_outcome_split(results, name, modes) for name, modes in mode_groups(results)]


def _outcome_split(results: Sequence[MazeResult], name: str, modes: Sequence[str]) -> OutcomeSplit:
    verdicts = [r.verdict for r in results if r.mode in modes]
    pairs = Counter((verdict.success, verdict.outcome) for verdict in verdicts)
    both, looser, stricter = pairs[True, True], pairs[False, True], pairs[True, False]
    mined = sum(bool(verdict.minefields) for verdict in verdicts)
    return OutcomeSplit(name, len(verdicts), both + stricter, both + looser, looser, stricter, mined)


def outcome_differences(results: Sequence[MazeResult]) -> list[OutcomeDifference]:
    """Every episode on which the two differ, in the order of mode and task."""
    return [
        OutcomeDifference(
            episode=f"{result.task}/{result.mode}/{result.epoch}",
            level=result.level,
            mode=result.mode,
            outcome=result.verdict.outcome,
            reasons=tuple(result.verdict.reasons or result.verdict.outcome_reasons),
            missed=tuple(result.verdict.missed),
            minefields=tuple(result.verdict.minefields),
        )
        for result in sorted(results, key=lambda r: (r.mode, r.level, r.task, r.epoch))
        if result.verdict.success != result.verdict.outcome
    ]
