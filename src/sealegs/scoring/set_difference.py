"""By how much models differ between two sets of tasks that are alike: a public one and one that nobody has seen.

The sets hold different tasks, so nothing is paired by task. It is by level and mode: only what both sets have is
compared, level by level, and the differences of the levels are put together with the public set's weights. Otherwise a
set with more hard tasks would look as if its tasks were known to fewer.

The interval of a difference is made of both figures' intervals by their squared distances (MOVER: Zou and Donner 2008),
and the P value is the error rate at which it just leaves out 0. A model that does worse on fresh tasks than on
public ones may know the public ones; that the sets differ in another way is not excluded by a difference of one model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sealegs.scoring.cluster_sums import ROUNDING, ClusterSums, Ends, interval
from sealegs.scoring.entrants import AnyMetric, ComparedEpisode, Entrant
from sealegs.scoring.metric import EpisodeTable, Figure
from sealegs.scoring.paired_tests import interval_p
from sealegs.scoring.ranking import holm

NOTHING = Figure(None, None, None, 0)


@dataclass(frozen=True)
class SetDifference:
    """A model on two sets of tasks.

    Attributes:
        model: its name.
        public, private: its figures, weighted alike.
        figure: how much higher it is on the private tasks.
        p: of the test that this is 0; None where nothing can be said.
        p_holm: the same, corrected for all models that are shown beside it.
    """

    model: str
    public: Figure
    private: Figure
    figure: Figure
    p: float | None
    p_holm: float | None = None


@dataclass(frozen=True)
class PrivateComparison:
    """All models on both sets.

    Attributes:
        metric, cell_metric: by what, over all, and by level and by mode.
        editions: of the public set and of the private one.
        models: over all.
        cells: by axis (`level` or `mode`) and name.
        left_out: models that played one of the sets alone.
    """

    metric: str
    cell_metric: str
    editions: tuple[str, str]
    models: tuple[SetDifference, ...]
    cells: Mapping[tuple[str, str], tuple[SetDifference, ...]]
    left_out: tuple[str, ...]


class _Reach(NamedTuple):
    """A figure with its distances to the ends of its interval."""

    value: float
    down: float
    up: float


def compare_sets(public: Sequence[Entrant], private: Sequence[Entrant], metric: AnyMetric) -> PrivateComparison:
    """Compare the models that played both sets.

    Args:
        public, private: the models on each, told apart by their names; one at least on each.
        metric: by what over all; cells are compared by the suite's metric of cells.
    """
    theirs = {one.name: one for one in private}
    both = [(one, theirs[one.name]) for one in public if one.name in theirs]
    cell_metric = public[0].metric(public[0].scores.in_cells)
    cells: dict[tuple[str, str], list[SetDifference]] = {}
    for one, other in both:
        for axis in ("level", "mode"):
            mine, yours = (_by(table, axis) for table in _shared(one, other))
            for name in sorted(mine.keys() & yours.keys()):
                found = set_difference(one.name, mine[name], yours[name], cell_metric)
                cells.setdefault((axis, name), []).append(found)
    names = {one.name for one, _ in both}
    return PrivateComparison(
        metric.name,
        cell_metric.name,
        (public[0].task_set, private[0].task_set),
        _corrected([set_difference(one.name, *_shared(one, other), metric) for one, other in both]),
        _corrected_cells(cells),
        tuple(one.name for one in (*public, *private) if one.name not in names),
    )


def set_difference(
    model: str, public: EpisodeTable[ComparedEpisode], private: EpisodeTable[ComparedEpisode], metric: AnyMetric
) -> SetDifference:
    """A model's figures on two sets of tasks, and how they differ, level by level."""
    mine, theirs = (_level_sums(table, metric) for table in (public, private))
    levels = sorted(mine.keys() & theirs.keys())
    n = len(public) + len(private)
    if not levels:
        return SetDifference(model, NOTHING, NOTHING, Figure(None, None, None, n), None)
    counts = Counter(level for _, level in {(one.task, one.level) for one in public})
    whole = sum(counts[level] for level in levels)
    weights = [counts[level] / whole for level in levels]

    def ends(confidence: float) -> tuple[_Reach, _Reach, _Reach]:
        one, other = (_together([own[level] for level in levels], weights, confidence) for own in (mine, theirs))
        down, up = (other.down**2 + one.up**2) ** 0.5, (other.up**2 + one.down**2) ** 0.5
        return one, other, _Reach(other.value - one.value, down, up)

    def bounds(confidence: float) -> Ends:
        value, down, up = ends(confidence)[2]
        return np.asarray(value - down), np.asarray(value + up)

    one, other, change = ends(0.95)
    p = interval_p(change.value, bounds) if abs(change.value) > ROUNDING else 1.0
    return SetDifference(
        model,
        _figure(one, metric, 0.0, len(public)),
        _figure(other, metric, 0.0, len(private)),
        _figure(change, metric, -1.0, n),
        p,
    )


def _level_sums(table: EpisodeTable[ComparedEpisode], metric: AnyMetric) -> dict[str, ClusterSums]:
    """The sums of each level that has a figure."""
    found = {level: own.sums(metric) for level, own in _by(table, "level").items()}
    return {level: sums for level, sums in found.items() if not np.isnan(sums.value)}


def _together(levels: Sequence[ClusterSums], weights: Sequence[float], confidence: float) -> _Reach:
    """The weighted mean of the levels' figures, its ends by the squared distances of theirs."""
    value = down = up = 0.0
    for weight, sums in zip(weights, levels, strict=True):
        own, (low, high) = float(sums.value), interval(sums, confidence)
        value += weight * own
        down += (weight * (own - float(low))) ** 2
        up += (weight * (float(high) - own)) ** 2
    return _Reach(value, down**0.5, up**0.5)


def _figure(found: _Reach, metric: AnyMetric, least: float, n: int) -> Figure:
    """A figure of at least this and at most 1; an amount has neither bound."""
    bounded = metric.kind != "amount"
    low, high = found.value - found.down, found.value + found.up
    ends = (found.value, max(least, low), min(1.0, high)) if bounded else (found.value, low, high)
    value, low, high = (round((100 if bounded else 1) * one, metric.digits) + 0.0 for one in ends)
    return Figure(value, low, high, n)


def _shared(one: Entrant, other: Entrant) -> tuple[EpisodeTable[ComparedEpisode], EpisodeTable[ComparedEpisode]]:
    """The episodes in the levels and modes that both have."""
    mine, theirs = ({(each.level, each.mode) for each in entrant.episodes} for entrant in (one, other))
    both = mine & theirs
    return one.table.where(lambda each: (each.level, each.mode) in both), other.table.where(
        lambda each: (each.level, each.mode) in both
    )


def _by(table: EpisodeTable[ComparedEpisode], axis: str) -> dict[str, EpisodeTable[ComparedEpisode]]:
    return table.by(lambda one: one.level if axis == "level" else one.mode)


def _corrected(found: Sequence[SetDifference]) -> tuple[SetDifference, ...]:
    """The differences with Holm's correction for their number."""
    tested = [place for place, one in enumerate(found) if one.p is not None]
    ps = dict(zip(tested, holm([found[place].p or 0.0 for place in tested]), strict=True))
    return tuple(replace(one, p_holm=ps.get(place)) for place, one in enumerate(found))


def _corrected_cells(
    cells: Mapping[tuple[str, str], Sequence[SetDifference]],
) -> dict[tuple[str, str], tuple[SetDifference, ...]]:
    """All cells corrected together."""
    every = iter(_corrected([one for found in cells.values() for one in found]))
    return {key: tuple(next(every) for _ in found) for key, found in cells.items()}
