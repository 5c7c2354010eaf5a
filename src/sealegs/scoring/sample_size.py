"""The number of tasks that tells two models apart: experiments are drawn, and judged by the test that a ranking uses.

An experiment tells the models apart if `paired_tests.differ` does; `power` is the share of experiments that do. The
properties of an experiment are taken from

- **a pilot**: base tasks are drawn from its own with replacement, block by block (as many of each level for one as the
  pilot has), each with all that both models did on it. Epochs are drawn from the pilot's, separately for either model,
  so that more epochs than one can be judged only by a pilot that has several. The pilot's difference is taken for the
  true one. A pilot of few tasks knows it badly, and so does the answer;
- **assumed rates** of one mode: an episode is a success where a normal variable lies below the point that the model's
  rate says, and the variables of one task's episodes, of either model and in all epochs, have one correlation
  (`alike`; Lipsitz, Dear, Laird 1990 call it the threshold model). At 0 all episodes are independent; at 1 the better
  model solves whatever the other one does.

With models that do not differ, the power is the share of false alarms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from sealegs.intervals.cluster_sums import ClusterSums, Codes
from sealegs.intervals.exact_shares import share_interval
from sealegs.intervals.paired_tests import differ
from sealegs.intervals.quantiles import Array
from sealegs.scoring.entrants import AnyMetric, ComparedEpisode, Entrant
from sealegs.scoring.metric import Design

EXPERIMENTS = 1000  # drawn for each figure
AT_ONCE = 100  # of these, so that the arrays stay small
MOST_TASKS = 20_000
FINE = 1.03  # how exactly the number of tasks is found
BY_EPOCH = Design[ComparedEpisode](
    stratum=lambda one: one.stratum,
    cluster=lambda one: one.task,
    run=lambda one: one.epoch,
    block=lambda one: one.block,
)
Draw = Callable[[int, int, int, np.random.Generator], tuple[ClusterSums, ClusterSums]]  # experiments, tasks, epochs


class PowerFigure(NamedTuple):
    """The share of experiments that tell two models apart, in %, with its interval, of so many experiments."""

    tasks: int
    epochs: int
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class AssumedRates:
    """Two models' success rates, and how alike the episodes of one task are.

    Attributes:
        one, other: the rates, between 0 and 1.
        alike: the correlation, from 0 to 1.
    """

    one: float
    other: float
    alike: float = 0.0

    def draw(
        self, experiments: int, tasks: int, epochs: int, random: np.random.Generator
    ) -> tuple[ClusterSums, ClusterSums]:
        """Draw experiments."""
        common = random.standard_normal((experiments, 1, 1, tasks, 1))
        first, second = (
            self._sums(rate, common, random.standard_normal((experiments, 1, 1, tasks, epochs)))
            for rate in (self.one, self.other)
        )
        return first, second

    def _sums(self, rate: float, common: Array, own: Array) -> ClusterSums:
        variable = np.sqrt(self.alike) * common + np.sqrt(1 - self.alike) * own
        top = (variable < NormalDist().inv_cdf(rate)).sum(axis=-1).astype(np.float64)
        below = np.full(top.shape, float(own.shape[-1]))
        tasks = top.shape[-1]
        return ClusterSums(top, below, np.zeros(1, np.intp), np.zeros(tasks, np.intp), cases=True)


@dataclass(frozen=True)
class Pilot:
    """The episodes that are valid in both of two models' runs.

    Attributes:
        one, other: what they add up to, epoch by epoch in place of the runs.
        strata: how many each part has.
    """

    one: ClusterSums
    other: ClusterSums
    strata: tuple[int, int]

    @property
    def tasks(self) -> int:
        """The number of base tasks."""
        return len(self.one.block)

    @property
    def epochs(self) -> int:
        """The number of epochs that both models have."""
        return int(min(self.one.top.shape[-2], self.other.top.shape[-2]))

    def draw(
        self, experiments: int, tasks: int, epochs: int, random: np.random.Generator
    ) -> tuple[ClusterSums, ClusterSums]:
        """Draw experiments of about so many tasks: each block has its share of them, and at least one."""
        places = [np.flatnonzero(self.one.block == block) for block in range(self.one.blocks)]
        sizes = [max(1, round(tasks * len(own) / self.tasks)) for own in places]
        chosen = np.concatenate(
            [random.choice(own, (experiments, size)) for own, size in zip(places, sizes, strict=True)], axis=1
        )
        block = np.repeat(np.arange(len(sizes)), sizes)
        first, second = (
            self._drawn(sums, strata, chosen, block, epochs, random)
            for sums, strata in zip((self.one, self.other), self.strata, strict=True)
        )
        return first, second

    def _drawn(
        self, sums: ClusterSums, strata: int, chosen: Codes, block: Codes, epochs: int, random: np.random.Generator
    ) -> ClusterSums:
        """The sums of drawn tasks; the parts of a metric are of the same episodes."""
        there, parts = sums.top.shape[-2], len(sums.part) // strata
        picked = random.integers(0, there, (len(chosen), strata, epochs, chosen.shape[1]))
        epoch = np.tile(picked, (1, parts, 1, 1))
        ratio = np.arange(len(sums.part))[None, :, None, None]
        top, below = (side[ratio, epoch, chosen[:, None, None, :]].sum(axis=2) for side in (sums.top, sums.below))
        return ClusterSums(top[:, :, None], below[:, :, None], sums.part, block, sums.bounded, sums.cases)


def pilot_of(metric: AnyMetric, one: Entrant, other: Entrant) -> Pilot:
    """The pilot that two models' runs make for further ones, by a metric.

    Raises:
        ValueError: they share no episode.
    """
    shared = one.names & other.names
    if not shared:
        raise ValueError("the runs share no episode")
    first, second = (entrant.paired(shared, BY_EPOCH) for entrant in (one, other))
    return Pilot(first.sums(metric), second.sums(metric), (first.shape[0], second.shape[0]))


def power(
    draw: Draw, tasks: int, epochs: int, *, error: float = 0.05, experiments: int = EXPERIMENTS, seed: int = 0
) -> PowerFigure:
    """The share of experiments of this size that tell the models apart, in %.

    Args:
        draw: draws experiments (`Pilot.draw`, `AssumedRates.draw`).
        tasks, epochs: of an experiment.
        error: of the test; of several comparisons, that of Holm's strictest step.
        experiments: how many are drawn.
        seed: of the draws.
    """
    random = np.random.default_rng([seed, tasks, epochs])
    found, done = 0, 0
    while done < experiments:
        count = min(AT_ONCE, experiments - done)
        one, other = draw(count, tasks, epochs, random)
        found += int(differ(one, other, error).sum())
        done += count
    low_share, high_share = share_interval(found, done)
    value, least, most = (round(100 * share, 2) for share in (found / done, low_share, high_share))
    return PowerFigure(tasks, epochs, value, least, most, done)


def tasks_needed(
    draw: Draw,
    epochs: int,
    wanted: float,
    *,
    error: float = 0.05,
    experiments: int = EXPERIMENTS,
    seed: int = 0,
    start: int = 4,
) -> PowerFigure:
    """The fewest tasks with which an experiment tells the models apart often enough, to about 3 %.

    Args:
        draw, epochs, error, experiments, seed: see `power`.
        wanted: the power, in %.
        start: the fewest tasks that are tried.

    Returns:
        the power with that many tasks; with `MOST_TASKS` where that is not enough.
    """

    def at(tasks: int) -> PowerFigure:
        return power(draw, tasks, epochs, error=error, experiments=experiments, seed=seed)

    # By doubling and then by halving the gap, not task by task: each try draws all its experiments anew.
    enough = at(start)
    few = start
    while enough.value < wanted:
        if enough.tasks >= MOST_TASKS:
            return enough
        few, enough = enough.tasks, at(min(MOST_TASKS, 2 * enough.tasks))
    while enough.tasks > max(few + 1, few * FINE):
        middle = at((few + enough.tasks) // 2)
        if middle.value < wanted:
            few = middle.tasks
        else:
            enough = middle
    return enough
