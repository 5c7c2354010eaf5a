"""The growth of two metrics with the size of models: success without faults, and recovery under them.

Each metric is regressed by least squares on log2(size) over the models; its slope is in points per doubling. The ratio
of the slopes says how many times more slowly recovery grows, as ToolMaze asks it.

The intervals are over tasks: they say what other tasks would have shown of these very models, and nothing of other
models. All models played the same tasks, so a slope is a weighted sum of dependent figures. A task's contribution to it
is the same weighted sum of its contributions to the figures (`ClusterSums.influence`); from this follow the variances
of both slopes and their covariance, block by block, with Student's t. The interval of the ratio is Fieller's (1954). It
has no ends where recovery is not shown to grow or shrink at all, for then the ratio may be any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log2

import numpy as np

from sealegs.faults.user_error import UserError
from sealegs.intervals.cluster_sums import ROUNDING, Codes
from sealegs.intervals.quantiles import Array
from sealegs.intervals.slopes import ratio_interval, slope_interval
from sealegs.scoring.entrants import ComparedEpisode, Entrant
from sealegs.scoring.metric import EpisodeTable, Figure, estimate

LEAST_SIZES = 3  # different ones: through two points goes any line


@dataclass(frozen=True)
class MetricGrowth:
    """The growth of a metric with size.

    Attributes:
        metric: its name.
        points: each model's name, size and figure, the smallest model first; of the episodes that all have.
        slope: points per doubling.
        at_one: the regression line's height at size 1.
    """

    metric: str
    points: tuple[tuple[str, float, Figure], ...]
    slope: Figure
    at_one: float

    def line(self, size: float) -> float:
        """The regression line's height at a size."""
        assert self.slope.value is not None
        return self.at_one + self.slope.value * log2(size)


@dataclass(frozen=True)
class Scaling:
    """Both metrics, and how many times more slowly recovery grows.

    Attributes:
        execution: success without faults.
        recovery: recovery under faults.
        ratio: of the first slope to the second.
        left_out: models whose size was not given.
    """

    execution: MetricGrowth
    recovery: MetricGrowth
    ratio: Figure
    left_out: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[tuple[str, Figure], ...]:
        """Both slopes in points per doubling, and their ratio, by name."""
        slopes = ((f"{one.metric}_per_doubling", one.slope) for one in (self.execution, self.recovery))
        return (*slopes, ("growth_ratio", self.ratio))


def scaling_of(entrants: Sequence[Entrant], sizes: Mapping[str, float]) -> Scaling:
    """Regress a suite's two metrics of growth on the size of its models.

    Args:
        entrants: models that may be in one ranking.
        sizes: by a model's name, in any unit (parameters, say), more than 0.

    Raises:
        UserError: the suite has no such metrics, or there are too few sizes, wrong ones, or some of unknown models.
    """
    names = entrants[0].scores.growth
    if names is None:
        raise UserError(
            f"--sizes: runs of {entrants[0].suite} do not measure success without faults beside recovery; leave it out"
        )
    _check_sizes(sizes, [one.name for one in entrants])
    sized = sorted((one for one in entrants if one.name in sizes), key=lambda one: (sizes[one.name], one.name))
    # Models with other episodes would differ by these and not by their size.
    shared = frozenset.intersection(*(one.names for one in sized))
    if not shared:
        raise UserError("--sizes: no episode is valid in the runs of all these models; leave some models out")
    tables = [one.paired(shared) for one in sized]
    # So that the slope reads as the change by each doubling of the size.
    doublings = np.array([log2(sizes[one.name]) for one in sized])
    first, second = (_regressed(metric, sized, tables, doublings) for metric in names)
    execution, recovery = (_growth(one, sizes) for one in (first, second))
    ratio = _ratio(first, second, execution.slope.n)
    return Scaling(execution, recovery, ratio, tuple(one.name for one in entrants if one.name not in sizes))


def _check_sizes(sizes: Mapping[str, float], known: Sequence[str]) -> None:
    strangers = sorted(set(sizes) - set(known))
    if strangers:
        raise UserError(f"--sizes: {strangers[0]} is not a model of this ranking; it holds {', '.join(known)}")
    wrong = [f"{name} has size {size:g}" for name, size in sizes.items() if not (isfinite(size) and size > 0)]
    if wrong:
        raise UserError(f"--sizes: {wrong[0]}; give a number that is more than 0")
    different = len(set(sizes.values()))
    if different < LEAST_SIZES:
        raise UserError(
            f"--sizes: a slope needs models of {LEAST_SIZES} different sizes or more, and there are {different}; add "
            "models, or leave it out"
        )


@dataclass(frozen=True)
class _Regressed:
    """A metric of each model, its regression line, and what each task adds to the slope; in shares, not in %."""

    metric: str
    models: Sequence[Entrant]
    figures: Sequence[Figure]
    slope: float
    at_one: float
    adds: Array
    blocks: Codes

    def product(self, other: _Regressed) -> float:
        """The covariance of two slopes, over tasks in blocks; the variance, where they are one."""
        found = 0.0
        for block in range(int(self.blocks.max()) + 1):
            mine, theirs = (one.adds[self.blocks == block] for one in (self, other))
            if len(mine) > 1:
                found += float(((mine - mine.mean()) * (theirs - theirs.mean())).sum()) * len(mine) / (len(mine) - 1)
        return found

    @property
    def freedom(self) -> int:
        """Tasks less blocks."""
        return len(self.adds) - int(self.blocks.max()) - 1


def _regressed(
    metric: str, models: Sequence[Entrant], tables: Sequence[EpisodeTable[ComparedEpisode]], doublings: Array
) -> _Regressed:
    sums = [table.sums(model.metric(metric)) for model, table in zip(models, tables, strict=True)]
    lacking = [model.name for model, own in zip(models, sums, strict=True) if np.isnan(own.value)]
    if lacking:
        raise UserError(f"--sizes: {lacking[0]} has no {metric} in the episodes that all models have; leave it out")
    centred = doublings - doublings.mean()
    weights = centred / float((centred**2).sum())
    values = np.array([float(own.value) for own in sums])
    adds = sum(weight * own.influence.sum(axis=-2) for weight, own in zip(weights, sums, strict=True))
    slope = float(weights @ values)
    # If all models are equal, rounding alone would leave a slope.
    slope = slope if abs(slope) > ROUNDING else 0.0
    figures = [estimate(model.metric(metric), table) for model, table in zip(models, tables, strict=True)]
    at_one = float(values.mean() - slope * doublings.mean())
    return _Regressed(metric, models, figures, slope, at_one, np.asarray(adds), sums[0].block)


def _growth(found: _Regressed, sizes: Mapping[str, float]) -> MetricGrowth:
    points = tuple(
        (model.name, sizes[model.name], figure) for model, figure in zip(found.models, found.figures, strict=True)
    )
    low = high = None
    if found.freedom > 0:
        low, high = (100 * end for end in slope_interval(found.slope, found.product(found), found.freedom))
    return MetricGrowth(found.metric, points, Figure(100 * found.slope, low, high, len(points)), 100 * found.at_one)


def _ratio(above: _Regressed, below: _Regressed, n: int) -> Figure:
    """The ratio of two slopes."""
    if below.slope == 0 or above.freedom < 1:
        return Figure(None, None, None, n)
    variances = above.product(above), below.product(below)
    found = ratio_interval(above.slope, below.slope, variances, above.product(below), above.freedom)
    low, high = found or (None, None)
    return Figure(above.slope / below.slope, low, high, n)
