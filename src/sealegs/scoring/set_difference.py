"""By how much models differ between two sets of tasks that are alike: a public one and one that nobody has seen.

The sets hold different tasks, so nothing is paired by task. It is by level and mode: only what both sets have is
compared, level by level, and the differences of the levels are put together with the public set's weights. Otherwise a
set with more hard tasks would look as if its tasks were known to fewer.

The interval of a difference is that of two independent figures (`independent_sets`), and the P value is the error rate
at which it just leaves out 0, or that of an exact test where that is greater. A model that does worse on fresh tasks
than on public ones may know the public ones; that the sets differ in another way is not excluded by a difference of one
model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sealegs.intervals.cluster_sums import ClusterSums, Ends, interval
from sealegs.intervals.independent_sets import independent_interval, independent_p, levels_alike
from sealegs.scoring.entrants import AnyMetric, ComparedEpisode, Entrant
from sealegs.scoring.metric import EpisodeTable, Figure
from sealegs.scoring.ranking import holm

NOTHING = Figure(None, None, None, 0)


@dataclass(frozen=True)
class SetDifference:
    """A model on two sets of tasks.

    Attributes:
        model: its name.
        public, private: its figures, weighted alike.
        figure: how much higher it is on the private tasks.
        p: of the test that this is 0; None where it cannot be computed.
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
    # Weighed by the public set's tasks, each once however often it was played.
    counts = Counter(level for _, level in {(one.task, one.level) for one in public})
    one, other = levels_alike(
        [mine[level] for level in levels], [theirs[level] for level in levels], [counts[level] for level in levels]
    )
    change = float(other.value - one.value)
    return SetDifference(
        model,
        _figure(float(one.value), interval(one), metric, len(public)),
        _figure(float(other.value), interval(other), metric, len(private)),
        _figure(change, independent_interval(one, other), metric, n),
        independent_p(one, other),
    )


def _level_sums(table: EpisodeTable[ComparedEpisode], metric: AnyMetric) -> dict[str, ClusterSums]:
    """The sums of each level that has a figure."""
    found = {level: own.sums(metric) for level, own in _by(table, "level").items()}
    return {level: sums for level, sums in found.items() if not np.isnan(sums.value)}


def _figure(value: float, ends: Ends, metric: AnyMetric, n: int) -> Figure:
    scale = 1 if metric.kind == "amount" else 100
    found, low, high = (round(scale * float(one), metric.digits) + 0.0 for one in (value, *ends))
    return Figure(found, low, high, n)


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
