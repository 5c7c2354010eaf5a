"""Metrics, and the estimation of their values and intervals: here alone, for every suite.

A metric is a ratio of two sums over episodes, such as recovered episodes over exposed ones. Over several strata (modes,
classes of failures) it is the mean of their ratios; strata in which nothing counts are left out. A composite is a
formula over metrics; an own figure is worked out in another way.

Intervals are at 95 %. Episodes of one base task may be alike, so the tasks are the independent cases, never the
episodes, and their numbers at each level are fixed by the design where it says so (`Design.block`). How each kind of
figure gets its interval is described and done in `cluster_sums`; how often intervals hold the truth is measured by
`benchmarks/coverage.py`. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Self, TypedDict, TypeVar

import numpy as np

from sealegs.intervals.cluster_sums import (
    ClusterSums,
    Codes,
    Ends,
    decrease_interval,
    interval,
    paired_interval,
    variance,
)
from sealegs.intervals.quantiles import Array

ALL = "all"
E = TypeVar("E")


class Row(TypedDict, total=False):
    """One row of the long table; an agent's rows have `agent`, a model's `model`. Rates are in %.

    Attributes:
        task_set: version and digest of the tasks; not in rows that are of no one set.
    """

    suite: str
    agent: str
    model: str
    task_set: str
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
        requires: another metric. A sample in which that one counts no episode has no figure: where no fault was met, no
            call was redundant, and a 0 would read as perfect.
    """

    name: str
    top: Callable[[E], float]
    below: Callable[[E], float] = _one
    kind: Literal["share", "mean", "amount"] = "share"
    digits: int = 2
    requires: Metric[E] | None = None

    @property
    def parts(self) -> tuple[Metric[E], ...]:
        """The metric itself: what a composite is made of."""
        return (self,)

    @property
    def less_is_better(self) -> tuple[str, ...]:
        """No part is counted the other way round."""
        return ()


@dataclass(frozen=True)
class Composite(Generic[E]):
    """The mean of several metrics between 0 and 100.

    Attributes:
        name: in the table.
        parts: the metrics.
        less_is_better: the names of those of which 100 less the metric is taken.
        digits: the decimals that are kept.
    """

    name: str
    parts: tuple[Metric[E], ...]
    less_is_better: tuple[str, ...] = ()
    kind: Literal["mean"] = "mean"
    digits: int = 2


@dataclass(frozen=True)
class OwnFigure(Generic[E]):
    """A figure that is worked out in a way of its own: a count, a standard error, a difference within a run.

    Attributes:
        name: in the table.
        work_out: gives the figure of these episodes.
    """

    name: str
    work_out: Callable[[EpisodeTable[E]], Figure]


@dataclass(frozen=True)
class Design(Generic[E]):
    """The grouping of a suite's episodes.

    Attributes:
        stratum: the mode or class of an episode; a metric is the mean over them.
        cluster: its base task: the independent case of an interval.
        run: which of several models that were trained alike played it.
        block: the group, such as a level, whose number of base tasks the design fixes. Blocks that share a task are
            one.
    """

    stratum: Callable[[E], Hashable]
    cluster: Callable[[E], Hashable]
    run: Callable[[E], Hashable] = lambda _: ""
    block: Callable[[E], Hashable] = lambda _: ""


AnyMetric = Metric[E] | Composite[E] | OwnFigure[E]  # one of those that a suite's table is made of


class Figure(NamedTuple):
    """A metric's value, the ends of its interval, and how many episodes it counts; None without an estimate."""

    value: float | None
    low: float | None
    high: float | None
    n: int


class EpisodeTable(Generic[E]):
    """Judged episodes in columns, so that each metric is computed once however many cells of a table it is in."""

    def __init__(self, episodes: Sequence[E], design: Design[E]) -> None:
        self._episodes = episodes
        self._codes = tuple(
            _codes(map(of, episodes)) for of in (design.stratum, design.cluster, design.run, design.block)
        )
        self._columns: dict[str, tuple[Array, Array]] = {}
        self._chosen = np.arange(len(episodes))

    def __len__(self) -> int:
        return len(self._chosen)

    def __iter__(self) -> Iterator[E]:
        return (self._episodes[place] for place in self._chosen.tolist())

    def where(self, holds: Callable[[E], bool]) -> Self:
        """The episodes for which this holds."""
        return self._part([place for place in self._chosen.tolist() if holds(self._episodes[place])])

    def by(self, key: Callable[[E], str]) -> dict[str, Self]:
        """The parts that have the same key, in the order in which the keys occur first."""
        places: dict[str, list[int]] = {}
        for place in self._chosen.tolist():
            places.setdefault(key(self._episodes[place]), []).append(place)
        return {name: self._part(chosen) for name, chosen in places.items()}

    def _part(self, places: list[int]) -> Self:
        part = copy(self)  # the columns are shared
        part._chosen = np.array(places, dtype=np.intp)
        part.__dict__.pop("_groups", None)
        return part

    @cached_property
    def _groups(self) -> tuple[tuple[int, ...], tuple[Codes, ...]]:
        """The numbers of strata, clusters and runs, and the ones that each episode is of."""
        # For this part alone: strata without episodes here are left out of the mean.
        found = [np.unique(codes[self._chosen], return_inverse=True) for codes in self._codes[:3]]
        return tuple(len(values) for values, _ in found), tuple(places for _, places in found)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of strata, runs and clusters."""
        strata, clusters, runs = self._groups[0]
        return strata, runs, clusters

    def counted(self, metric: Metric[E]) -> int:
        """The number of episodes that the metric counts."""
        return int((self._summands(metric)[1] > 0).sum())

    def sums(self, metric: Metric[E] | Composite[E]) -> ClusterSums:
        """Add a metric up."""
        strata, clusters, runs = self._groups[1]
        shape = self.shape
        tops, belows = [], []
        for part in metric.parts:
            column, whole = self._summands(part)
            top, below = np.zeros(shape), np.zeros(shape)
            # `add.at`, since `top[...] += column` adds only once where places repeat.
            np.add.at(top, (strata, runs, clusters), column)
            np.add.at(below, (strata, runs, clusters), whole)
            # 100 less the metric, written as sums so that the composite stays a mean of ratios.
            tops.append(below - top if part.name in metric.less_is_better else top)
            belows.append(below)
        return ClusterSums(
            np.concatenate(tops),
            np.concatenate(belows),
            np.repeat(np.arange(len(metric.parts)), shape[0]),
            merged_blocks(clusters, self._codes[3][self._chosen]),
            bounded=metric.kind != "amount",
            cases=all(part.kind == "share" for part in metric.parts),
        )

    def _summands(self, metric: Metric[E]) -> tuple[Array, Array]:
        """The amounts that each episode adds above and below the line."""
        top, below = (side[self._chosen] for side in self._column(metric))
        if metric.requires is not None and not self.counted(metric.requires):
            return np.zeros_like(top), np.zeros_like(below)
        return top, below

    def _column(self, metric: Metric[E]) -> tuple[Array, Array]:
        if metric.name not in self._columns:
            below = np.array([float(metric.below(one)) for one in self._episodes])
            # `top` may not be defined for an episode that is not counted.
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
    # Sorted, so that figures do not depend on the order of the records (sums of floats would).
    order = {value: place for place, value in enumerate(sorted(set(found), key=str))}
    return np.array([order[value] for value in found], dtype=np.intp)


def merged_blocks(clusters: Codes, blocks: Codes) -> Codes:
    """The block of each cluster, from 0 on, where blocks that have a cluster in common are one.

    Args:
        clusters, blocks: of each episode; clusters are numbered from 0 on.
    """
    own = blocks.copy()
    # Union by the least label: repeat until no cluster joins two blocks any more.
    while True:
        least = np.full(clusters.max(initial=-1) + 1, np.iinfo(np.intp).max)
        np.minimum.at(least, clusters, own)
        joined = np.full(own.max(initial=-1) + 1, np.iinfo(np.intp).max)
        np.minimum.at(joined, own, least[clusters])
        if (joined[own] == own).all():
            found: Codes = np.unique(least, return_inverse=True)[1].astype(np.intp)
            return found
        own = joined[own]


def estimate(metric: AnyMetric[E], sample: EpisodeTable[E]) -> Figure:
    """A metric's value and interval.

    Args:
        metric: what is estimated.
        sample: the episodes.
    """
    if isinstance(metric, OwnFigure):
        return metric.work_out(sample)
    n = max(sample.counted(part) for part in metric.parts)
    sums = sample.sums(metric) if len(sample) else None
    if sums is None or np.isnan(sums.value):
        return Figure(None, None, None, n)
    return _figure(metric, float(sums.value), interval(sums), n)


def difference(
    metric: Metric[E] | Composite[E],
    one: EpisodeTable[E],
    other: EpisodeTable[E],
    *,
    relative: bool = False,
) -> Figure:
    """The difference of a metric in another sample of the same clusters.

    Args:
        metric: what is compared, in %.
        one, other: the samples.
        relative: whether to report how much *lower* the metric is, in % of what it is in `one`.

    Returns:
        The difference; `n` is the number of pairs that the metric counts, or where it counts other ones in the two
        samples, that of the sample in which it counts more.

    Raises:
        ValueError: the samples do not have the same numbers of runs and clusters.
    """
    # Pairs are formed by place.
    if one.shape[1:] != other.shape[1:]:
        raise ValueError(f"{one.shape[1:]} runs and clusters are paired with {other.shape[1:]}")
    if not len(one):
        return Figure(None, None, None, 0)
    n = max(sample.counted(part) for sample in (one, other) for part in metric.parts)
    before, after = one.sums(metric), other.sums(metric)
    change = float(after.value - before.value)
    # A decrease relative to nothing has no meaning.
    if np.isnan(change) or (relative and before.value <= 0):
        return Figure(None, None, None, n)
    if relative:
        return _figure(metric, -change / float(before.value), decrease_interval(before, after), n)
    return _figure(metric, change, paired_interval(before, after), n)


def standard_error(metric: Metric[E], sample: EpisodeTable[E]) -> Figure:
    """The standard error of a metric, clusters being the independent cases; None of a single one.

    Args:
        metric: what is estimated.
        sample: the episodes.
    """
    n = sample.counted(metric)
    sums = sample.sums(metric) if len(sample) else None
    # One cluster shows no variance.
    if sums is None or np.isnan(sums.value) or (sums.mass > 0).sum() < 2:
        return Figure(None, None, None, n)
    error = float(np.sqrt(variance(sums))) * (100 if sums.bounded else 1)
    return Figure(round(error, metric.digits), None, None, n)


def player_row(suite: str, name: str, tasks: str, *, scripted: bool) -> Row:
    """The cells that each row of a run begins with.

    Args:
        suite, name: the suite's and the player's.
        tasks: the edition of the task set; empty where the records do not say.
        scripted: whether it is an agent and no model.
    """
    who: Row = {"suite": suite, "agent": name} if scripted else {"suite": suite, "model": name}
    return {**who, "task_set": tasks} if tasks else who


def figure_row(who: Row, level: str, mode: str, metric: str, figure: Figure) -> Row:
    """A row of the long table."""
    value, low, high, n = figure
    return {**who, "level": level, "mode": mode, "metric": metric, "value": value, "low": low, "high": high, "n": n}


def _figure(metric: Metric[E] | Composite[E], value: float, ends: Ends, n: int) -> Figure:
    scale = 1 if metric.kind == "amount" else 100
    value, low, high = (round(scale * float(one), metric.digits) for one in (value, *ends))
    # An end may pass the value by what is lost in rounding.
    return Figure(value, min(low, value), max(high, value), n)
