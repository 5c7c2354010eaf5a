"""Counts over judged episodes: the failure funnel, strict against published verdicts, what went wrong.

Rates and intervals are left to `scoring.metric`; here are whole numbers only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sealegs.scoring.attribution import TERMS
from sealegs.scoring.episode_verdict import STAGES as PASSED
from sealegs.scoring.maze_metrics import CLEAN, MazeResult
from sealegs.scoring.metric import ALL

STAGES = ("planned", *PASSED)


@dataclass(frozen=True, slots=True)
class Funnel:
    """The progress of the episodes of one mode: a count for each of `STAGES`, none larger than the one before."""

    mode: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """The difference between the two judges in one mode.

    Attributes:
        n: episodes.
        strict, published: successes by each.
        looser: successes for the published judge alone.
        stricter: successes for the strict judge alone.
    """

    mode: str
    n: int
    strict: int
    published: int
    looser: int
    stricter: int


def fault_modes(results: Sequence[MazeResult]) -> list[str]:
    """The modes with faults, in order."""
    return sorted({r.mode for r in results} - {CLEAN})


def funnels(results: Sequence[MazeResult]) -> list[Funnel]:
    """The funnel of each fault mode and, where there are several, of all of them."""
    modes = fault_modes(results)
    return [_funnel(results, mode, [mode]) for mode in modes] + ([_funnel(results, ALL, modes)] if modes[1:] else [])


def _funnel(results: Sequence[MazeResult], name: str, modes: Sequence[str]) -> Funnel:
    passed = [r.verdict.stage for r in results if r.mode in modes]
    return Funnel(name, tuple(sum(stage >= place for stage in passed) for place in range(len(STAGES))))


def splits(results: Sequence[MazeResult]) -> list[Split]:
    """The differences between the judges, mode by mode and, where there are several, over all."""
    return [_split(results, name, modes) for name, modes in mode_groups(results)]


def mode_groups(results: Sequence[MazeResult]) -> list[tuple[str, list[str]]]:
    """Each mode by itself and, where there are several, all of them, with a name."""
    modes = sorted({r.mode for r in results})
    return [(mode, [mode]) for mode in modes] + ([(ALL, modes)] if modes[1:] else [])


def _split(results: Sequence[MazeResult], name: str, modes: Sequence[str]) -> Split:
    pairs = Counter((r.verdict.success, r.verdict.published) for r in results if r.mode in modes)
    both, looser, stricter = pairs[True, True], pairs[False, True], pairs[True, False]
    return Split(name, pairs.total(), both + stricter, both + looser, looser, stricter)


def attributions(results: Sequence[MazeResult]) -> dict[str, Mapping[str, int]]:
    """The counts of each term in each mode, in the order of `TERMS`."""
    found: dict[str, Counter[str]] = {}
    for result in results:
        if result.verdict.attribution:
            found.setdefault(result.verdict.attribution, Counter())[result.mode] += 1
    known = [term for term in TERMS if term in found]
    return {term: found[term] for term in [*known, *sorted(found.keys() - TERMS.keys())]}
