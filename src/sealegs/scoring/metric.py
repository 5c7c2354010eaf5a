"""What a metric is, and how its value and its interval are estimated: here alone, for every suite.

A metric is a ratio of two sums over episodes, such as recovered episodes over exposed ones. Over several strata (modes,
classes of failures) it is the mean of their ratios; strata in which nothing counts are left out. A composite is a
formula over metrics.

Intervals are at 95 %. Episodes of one base task may be alike, so whole tasks are resampled, never episodes:

- A share in one stratum has Wilson's interval over clusters (`intervals.clustered_wilson`), which is Wilson's own where
  each task counts once.
- Everything else has the percentile interval of a seeded cluster bootstrap, which resamples runs as well where several
  models were trained alike.
- Where all clusters are alike, resampling cannot show what other tasks would have done. A figure between 0 and 100 then
  has Wilson's interval of as many cases as there are clusters that count; a difference is widened by the share of
  clusters that could still differ. An amount without an upper bound, such as a number of calls, has no width then.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, Self, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from sealegs.scoring.intervals import (
    Array,
    bootstrap_error,
    cluster_bootstrap,
    clustered_wilson,
    crossed_bootstrap,
    wilson,
)

ALL = "all"
E = TypeVar("E")
Statistic = Callable[[Array], Array]  # of weights, of shape (resamples, clusters): one value for each row
Codes = NDArray[np.intp]


class Row(TypedDict, total=False):
    """One row of the long table; an agent's rows have `agent`, a model's `model`. Rates are in %."""

    suite: str
    agent: str
    model: str
    level: str
    mode: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int


def _one(_: Any) -> float:
    return 1.0


@dataclass(frozen=True)
class Metric(Generic[E]):
    """A ratio of two sums over episodes.

    Attributes:
        name: in the table.
        top: what an episode adds above the line.
        below: what it adds below the line. An episode that adds nothing here is not counted.
        kind: `share` if an episode adds 0 or 1 to either sum, `mean` if the ratio is between 0 and 1, and `amount` if
            it has no upper bound. Shares and means are in %.
        digits: the decimals that are kept.
    """

    name: str
    top: Callable[[E], float]
    below: Callable[[E], float] = _one
    kind: Literal["share", "mean", "amount"] = "share"
    digits: int = 2

    @property
    def parts(self) -> tuple[Metric[E], ...]:
        """The metric itself: what a composite is made of."""
        return (self,)

    def formula(self, value: Array) -> Array:
        """Scale a ratio to what is shown."""
        return value if self.kind == "amount" else 100 * value


@dataclass(frozen=True)
class Composite(Generic[E]):
    """A figure between 0 and 100 that is computed from several metrics.

    Attributes:
        name: in the table.
        parts: the metrics.
        combine: the formula; it takes their values in %, in this order.
        digits: the decimals that are kept.
    """

    name: str
    parts: tuple[Metric[E], ...]
    combine: Callable[..., Any]
    kind: Literal["mean"] = "mean"
    digits: int = 2

    def formula(self, *values: Array) -> Array:
        """The figure, of the parts' ratios."""
        found: Array = self.combine(*(part.formula(value) for part, value in zip(self.parts, values, strict=True)))
        return found


@dataclass(frozen=True)
class Design(Generic[E]):
    """How the episodes of a suite are grouped.

    Attributes:
        stratum: the mode or class of an episode; a metric is the mean over them.
        cluster: its base task, which is what intervals resample.
        run: which of several models that were trained alike played it.
    """

    stratum: Callable[[E], Hashable]
    cluster: Callable[[E], Hashable]
    run: Callable[[E], Hashable] = lambda _: ""


class Figure(NamedTuple):
    """A metric's value, the ends of its interval, and how many episodes it counts; None where nothing can be said."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class MetricSums:
    """What a metric adds up to, above and below the line, each of shape (strata, runs x clusters)."""

    top: Array
    below: Array

    def ratio(self, weights: Array) -> Array:
        """Mean over the strata of sum(top) / sum(below), one for each row of weights."""
        above, below = weights @ self.top.T, weights @ self.below.T
        ratios = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
        counted = (~np.isnan(ratios)).sum(axis=1)
        mean: Array = np.divide(
            np.nansum(ratios, axis=1), counted, out=np.full(len(weights), np.nan), where=counted > 0
        )
        return mean


class EpisodeTable(Generic[E]):
    """Judged episodes in columns, so that each metric is computed once however many cells of a table it is in."""

    def __init__(self, episodes: Sequence[E], design: Design[E]) -> None:
        self._episodes = episodes
        self._codes = tuple(_codes(map(of, episodes)) for of in (design.stratum, design.cluster, design.run))
        self._columns: dict[str, tuple[Array, Array]] = {}
        self._chosen = list(range(len(episodes)))

    def __len__(self) -> int:
        return len(self._chosen)

    def __iter__(self) -> Iterator[E]:
        return (self._episodes[place] for place in self._chosen)

    def where(self, holds: Callable[[E], bool]) -> Self:
        """The episodes for which this holds."""
        return self._part([place for place in self._chosen if holds(self._episodes[place])])

    def by(self, key: Callable[[E], str]) -> dict[str, Self]:
        """The parts that have the same key, in the order in which the keys occur first."""
        places: dict[str, list[int]] = {}
        for place in self._chosen:
            places.setdefault(key(self._episodes[place]), []).append(place)
        return {name: self._part(chosen) for name, chosen in places.items()}

    def _part(self, places: list[int]) -> Self:
        part = copy(self)  # the columns are shared
        part._chosen = places
        return part

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many strata, runs and clusters there are."""
        strata, clusters, runs = (len(np.unique(codes[self._chosen])) for codes in self._codes)
        return strata, runs, clusters

    def counted(self, metric: Metric[E]) -> int:
        """How many episodes the metric counts."""
        return int((self._column(metric)[1][self._chosen] > 0).sum())

    def sums(self, metric: Metric[E]) -> MetricSums:
        """Add a metric up."""
        strata, clusters, runs = (np.unique(codes[self._chosen], return_inverse=True)[1] for codes in self._codes)
        high, count, wide = self.shape
        places = (strata * count + runs) * wide + clusters
        sums = np.zeros((2, high * count * wide))
        np.add.at(sums[0], places, self._column(metric)[0][self._chosen])
        np.add.at(sums[1], places, self._column(metric)[1][self._chosen])
        return MetricSums(*sums.reshape(2, high, count * wide))

    def _column(self, metric: Metric[E]) -> tuple[Array, Array]:
        if metric.name not in self._columns:
            below = np.array([float(metric.below(one)) for one in self._episodes])
            top = np.array([float(metric.top(one)) if n else 0.0 for one, n in zip(self._episodes, below, strict=True)])
            self._columns[metric.name] = top, below
        return self._columns[metric.name]

    def cells(
        self, level: Callable[[E], str], mode: Callable[[E], str], *, ordered: bool = False
    ) -> Iterator[tuple[str, str, Self]]:
        """The parts that a table has a cell for: every level and mode that there is, and all of either, last.

        Args:
            level, mode: of an episode.
            ordered: whether levels and modes are sorted; else they come as they occur.
        """
        arranged = sorted if ordered else list
        for row, at in (*arranged(self.by(level).items()), (ALL, self)):
            for column, cell in (*arranged(at.by(mode).items()), (ALL, at)):
                yield row, column, cell


def paired(
    one: Sequence[E], other: Sequence[E], identity: Callable[[E], Hashable], design: Design[E]
) -> tuple[EpisodeTable[E], EpisodeTable[E]]:
    """The episodes that both runs have, by what makes an episode of one the same as one of the other."""
    shared = set(map(identity, one)) & set(map(identity, other))
    before, after = ([played for played in run if identity(played) in shared] for run in (one, other))
    return EpisodeTable(before, design), EpisodeTable(after, design)


def _codes(values: Iterable[Hashable]) -> Codes:
    """A number for each value, in the order of the values."""
    found = list(values)
    order = {value: place for place, value in enumerate(sorted(set(found), key=str))}
    return np.array([order[value] for value in found], dtype=np.intp)


def estimate(metric: Metric[E] | Composite[E], sample: EpisodeTable[E], seed: int = 0) -> Figure:
    """A metric's value and interval.

    Args:
        metric: what is estimated.
        sample: the episodes.
        seed: of the bootstrap.
    """
    n = max(sample.counted(part) for part in metric.parts)
    sums = [sample.sums(part) for part in metric.parts]
    value = _value(_statistic(metric, sums), sample)
    if np.isnan(value):
        return Figure(None, None, None, n)
    strata, runs, _ = sample.shape
    counts = sum(one.below.sum(axis=0) for one in sums) > 0
    if metric.kind == "share" and strata == runs == 1:
        low, high = clustered_wilson(sums[0].top[0, counts].tolist(), sums[0].below[0, counts].tolist())
        return _figure(metric, value, 100 * low, 100 * high, n)
    low, high = _resampled(_statistic(metric, sums), sample, seed)
    if low == high and metric.kind != "amount":
        alike = int(counts.reshape(runs, -1).any(axis=0).sum())
        low, high = (100 * end for end in wilson(value / 100 * alike, alike))
    return _figure(metric, value, low, high, n)


def difference(
    metric: Metric[E] | Composite[E],
    one: EpisodeTable[E],
    other: EpisodeTable[E],
    seed: int = 0,
    contrast: Callable[[Array, Array], Array] = lambda before, after: after - before,
) -> Figure:
    """How much higher a metric is in another sample of the same clusters; both are resampled together.

    Args:
        metric: what is compared, in %.
        one, other: the samples.
        seed: of the bootstrap.
        contrast: what is taken of both values.

    Raises:
        ValueError: the samples do not have the same numbers of runs and clusters.
    """
    if one.shape[1:] != other.shape[1:]:
        raise ValueError(f"{one.shape[1:]} runs and clusters are paired with {other.shape[1:]}")
    first, second = (_statistic(metric, [sample.sums(part) for part in metric.parts]) for sample in (one, other))

    def statistic(weights: Array) -> Array:
        return contrast(first(weights), second(weights))

    value = _value(statistic, one) if len(one) else float("nan")
    if np.isnan(value):
        return Figure(None, None, None, len(one))
    low, high = _resampled(statistic, one, seed)
    if low == high:
        _, others = wilson(0, one.shape[2])
        low, high = value - others * (100 + value), value + others * (100 - value)
    return _figure(metric, value, low, high, len(one))


def standard_error(metric: Metric[E], sample: EpisodeTable[E], seed: int = 0) -> Figure:
    """The standard error of a metric under resampling of clusters."""
    _, runs, clusters = sample.shape
    error = bootstrap_error(_statistic(metric, [sample.sums(metric)]), runs * clusters, seed)
    return Figure(None if np.isnan(error) else round(error, metric.digits), None, None, sample.counted(metric))


def figure_row(who: Row, level: str, mode: str, metric: str, figure: Figure) -> Row:
    """A row of the long table."""
    value, low, high, n = figure
    return {**who, "level": level, "mode": mode, "metric": metric, "value": value, "low": low, "high": high, "n": n}


def _statistic(metric: Metric[E] | Composite[E], sums: Sequence[MetricSums]) -> Statistic:
    return lambda weights: metric.formula(*(one.ratio(weights) for one in sums))


def _value(statistic: Statistic, sample: EpisodeTable[Any]) -> float:
    _, runs, clusters = sample.shape
    return float(statistic(np.ones((1, runs * clusters)))[0]) if len(sample) else float("nan")


def _resampled(statistic: Statistic, sample: EpisodeTable[Any], seed: int) -> tuple[float, float]:
    _, runs, clusters = sample.shape
    if runs > 1:
        return crossed_bootstrap(statistic, runs, clusters, seed)
    return cluster_bootstrap(statistic, clusters, seed)


def _figure(metric: Metric[E] | Composite[E], value: float, low: float, high: float, n: int) -> Figure:
    return Figure(round(value, metric.digits), round(low, metric.digits), round(high, metric.digits), n)
