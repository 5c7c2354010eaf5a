"""Ranks of many models with what is known of them: paired differences, their corrected tests, intervals of ranks.

- **Differences** are paired by episode: of two models, the episodes that are valid in both. Value and interval are
  those of `metric.difference`, over tasks, and the P value is that of `paired_tests.paired_p`. With few tasks it may
  be above 0.05 though the interval leaves out 0.
- **Many comparisons** are corrected by Holm (1979), over all pairs of one metric: the chance that one or more of the
  corrected P values under 0.05 is of models that do not differ is at most 5 %, however the comparisons depend on
  each other.
- **The interval of a rank** (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", their marginal confidence
  sets) counts which others are shown to be better and which to be worse: of m models, one that a are shown to beat
  and that is shown to beat b has a rank from a + 1 to m - b. Each of its m - 1 comparisons is two one-sided tests, all
  of them corrected together by Holm in place of the paper's bootstrap of the largest difference, because the
  tests at hand hold their level with few tasks and near 0 and 100 %, where the bootstrap's do not. The interval holds
  the true rank in at least 95 % of experiments, for each model on its own. Models that are equal share every rank
  that they could have. Resampling ranks themselves would not do: it is too narrow where models are nearly equal
  (`benchmarks/rank_coverage.py` measures both).

Not in it: a model's chance to be the best, which needs a prior.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from sealegs.intervals.paired_tests import paired_p
from sealegs.scoring.entrants import AnyMetric, ComparedEpisode, Entrant
from sealegs.scoring.metric import EpisodeTable, Figure, difference, estimate

ERROR = 0.05


class Comparison(NamedTuple):
    """The difference of a metric between two models, the other less the one.

    Attributes:
        one, other: their places among the entrants.
        figure: the paired difference.
        p: of the test that it is 0; None where it cannot be computed.
        p_holm: the same, corrected for all comparisons.
    """

    one: int
    other: int
    figure: Figure
    p: float | None
    p_holm: float | None = None

    def seen_from(self, one: int) -> Comparison:
        """The same comparison, from this model to the other one."""
        if one == self.one:
            return self
        value, low, high, n = self.figure
        turned = Figure(_negative(value), _negative(high), _negative(low), n)
        return self._replace(one=self.other, other=self.one, figure=turned)


def _negative(value: float | None) -> float | None:
    return None if value is None else -value + 0.0  # no -0.0


class Standing(NamedTuple):
    """A model's place among the entrants, its metric, its rank from 1 on, and the rank's interval."""

    entrant: int
    figure: Figure
    rank: int
    low: int
    high: int


def holm(ps: Sequence[float]) -> list[float]:
    """P values, corrected for their number by Holm's step-down method (1979), in the order in which they came."""
    corrected, largest = [0.0] * len(ps), 0.0
    for nth, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        largest = max(largest, min(1.0, (len(ps) - nth) * ps[place]))
        corrected[place] = largest
    return corrected


def compare(metric: AnyMetric, one: Entrant, other: Entrant) -> tuple[Figure, float | None]:
    """The difference of a metric between two models, the other less the one, and the P value of its test."""
    return compare_tables(metric, *paired_tables(one, other))


def paired_tables(one: Entrant, other: Entrant) -> tuple[EpisodeTable[ComparedEpisode], EpisodeTable[ComparedEpisode]]:
    """The episodes that are valid in both models' runs."""
    if one.names == other.names:
        return one.table, other.table
    shared = one.names & other.names
    return one.paired(shared), other.paired(shared)


def compare_tables(
    metric: AnyMetric, one: EpisodeTable[ComparedEpisode], other: EpisodeTable[ComparedEpisode]
) -> tuple[Figure, float | None]:
    """The difference of a metric between paired episodes, and its P value."""
    figure = difference(metric, one, other)
    if figure.value is None:
        return figure, None
    return figure, paired_p(one.sums(metric), other.sums(metric))


@dataclass(frozen=True)
class Ranking:
    """Models that played the same tasks by the same rules, ranked.

    Attributes:
        entrants: the models.
        metric: by what.
        descending: whether more is better.
    """

    entrants: Sequence[Entrant]
    metric: AnyMetric
    descending: bool = True

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The metric of each."""
        return tuple(estimate(self.metric, entrant.table) for entrant in self.entrants)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All pairs, corrected together; those without a test are left out of the correction."""
        found = [
            Comparison(a, b, *compare(self.metric, self.entrants[a], self.entrants[b]))
            for a, b in combinations(range(len(self.entrants)), 2)
        ]
        return corrected(found)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Every model with a figure, the best first."""
        known = [place for place, figure in enumerate(self.figures) if figure.value is not None]
        ordered = sorted(known, key=self._merit, reverse=True)
        return tuple(
            Standing(place, self.figures[place], self._rank(place, known), *self._rank_interval(place, known))
            for place in ordered
        )

    def between(self, one: int, other: int) -> Comparison | None:
        """The comparison from one model to another."""
        return next(
            (found.seen_from(one) for found in self.comparisons if {found.one, found.other} == {one, other}), None
        )

    def _merit(self, place: int) -> float:
        value = self.figures[place].value
        assert value is not None
        return value if self.descending else -value

    def _rank(self, place: int, known: Sequence[int]) -> int:
        return 1 + sum(self._merit(other) > self._merit(place) for other in known)

    def _rank_interval(self, place: int, known: Sequence[int]) -> tuple[int, int]:
        sign = 1 if self.descending else -1
        found = [own for own in self.comparisons if place in (own.one, own.other)]
        gains = [
            (sign * (own.seen_from(place).figure.value or 0.0), own.p)
            for own in found
            if own.p is not None and {own.one, own.other} <= set(known)
        ]
        return rank_interval(gains, len(known))


def corrected(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Comparisons with Holm's correction for their number."""
    tested = [place for place, one in enumerate(comparisons) if one.p is not None]
    holms = dict(zip(tested, holm([comparisons[place].p or 0.0 for place in tested]), strict=True))
    return tuple(one._replace(p_holm=holms.get(place)) for place, one in enumerate(comparisons))


def rank_interval(gains: Sequence[tuple[float, float]], models: int, error: float = ERROR) -> tuple[int, int]:
    """The interval of a model's rank.

    Args:
        gains: for each other model how much better it is, and the two-sided P value.
        models: how many there are.
        error: the chance that the interval does not hold the rank.
    """
    better = [p / 2 if gain > 0 else 1 - p / 2 for gain, p in gains]  # of the test that the other is not better
    worse = [p / 2 if gain < 0 else 1 - p / 2 for gain, p in gains]
    shown = [p <= error for p in holm([*better, *worse])]
    return 1 + sum(shown[: len(gains)]), models - sum(shown[len(gains) :])


def cell_figures(entrant: Entrant) -> Iterator[tuple[str, str, Figure]]:
    """The metric of cells by level over all modes, and by mode over all levels."""
    metric = entrant.metric(entrant.scores.in_cells)
    for axis, key in (("level", lambda one: one.level), ("mode", lambda one: one.mode)):
        for name, cell in sorted(entrant.table.by(key).items()):
            yield axis, name, estimate(metric, cell)


def cell_comparisons(best: Entrant, other: Entrant) -> Iterator[tuple[str, str, Figure, float | None]]:
    """The differences of the cells' metric from the best model's, by level and by mode, with P values."""
    metric = best.metric(best.scores.in_cells)
    one, two = paired_tables(best, other)
    for axis, key in (("level", lambda one: one.level), ("mode", lambda one: one.mode)):
        mine, theirs = one.by(key), two.by(key)
        for name in sorted(mine.keys() & theirs.keys()):
            yield axis, name, *compare_tables(metric, mine[name], theirs[name])
