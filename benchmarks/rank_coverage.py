"""How often intervals of ranks hold the true rank, of simulated rankings; and how often a bootstrap's would.

    python benchmarks/rank_coverage.py --json benchmarks/results/rank_coverage.json

A ranking is of several models on the same tasks. A model solves a task where a normal variable, correlated over the
episodes of a task, lies below the point of its rate. `ours` is `scoring.ranking.rank_interval` on the paired tests that
`sealegs rank` makes; `bootstrap` are the 2.5 % and 97.5 % quantiles of the ranks of resampled tasks, which is what many
leaderboards show. `coverage` is the share of models (in %) whose interval holds every rank that the true rates allow
(equal models share theirs), `all` the share of rankings in which every model's does, `width` the mean number of ranks
in an interval.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from results_file import write_results

from sealegs.intervals.cluster_sums import ClusterSums, paired_interval
from sealegs.intervals.exact_shares import share_interval
from sealegs.intervals.paired_tests import randomisation_p
from sealegs.scoring.ranking import ERROR, rank_interval

Array = NDArray[np.float64]
RESAMPLES = 1000
BLOCKS = 4


@dataclass(frozen=True)
class RankedDesign:
    """Models of these rates on so many tasks; `alike` is the correlation of a task's episodes."""

    name: str
    rates: tuple[float, ...]
    tasks: int
    epochs: int = 1
    alike: float = 0.4

    @property
    def places(self) -> list[tuple[int, int]]:
        """The first and the last rank that each model's rate allows."""
        return [
            (1 + sum(other > own for other in self.rates), sum(other >= own for other in self.rates))
            for own in self.rates
        ]


MODELS = {
    "equal": (0.5,) * 6,
    "equal, near 100": (0.97,) * 6,
    "two groups": (0.7, 0.7, 0.7, 0.5, 0.5, 0.5),
    "near one another": (0.60, 0.58, 0.56, 0.54, 0.52, 0.50),
    "far apart": (0.9, 0.75, 0.6, 0.45, 0.3, 0.15),
    "near 100": (0.99, 0.98, 0.96, 0.94, 0.9, 0.85),
}
DESIGNS = [RankedDesign(name, rates, tasks) for name, rates in MODELS.items() for tasks in (4, 8, 12, 40, 120)]
DESIGNS += [RankedDesign("near one another, 3 epochs", MODELS["near one another"], 40, 3)]


def drawn(design: RankedDesign, count: int, random: np.random.Generator) -> Array:
    """How often each model solves each task, in so many rankings."""
    shape = (count, len(design.rates), design.tasks, design.epochs)
    common = random.standard_normal((count, 1, design.tasks, 1))
    variable = np.sqrt(design.alike) * common + np.sqrt(1 - design.alike) * random.standard_normal(shape)
    points = np.array([NormalDist().inv_cdf(rate) for rate in design.rates])
    found: Array = (variable < points[:, None, None]).sum(axis=-1).astype(float)
    return found


def ours(design: RankedDesign, solved: Array) -> list[list[tuple[int, int]]]:
    """The intervals of this package, for each ranking.

    Holm asks of a P value alone which of his thresholds it is below. So no P value is searched for: the intervals at
    the thresholds are made for all rankings at once, and any value between the same two thresholds has the same effect.
    """
    count, models, tasks = solved.shape
    block, below = np.arange(tasks) % BLOCKS, np.full((count, 1, 1, tasks), float(design.epochs))
    sums = [
        ClusterSums(solved[:, own, None, None], below, np.zeros(1, np.intp), block, cases=True) for own in range(models)
    ]
    hypotheses = 2 * (models - 1)
    tests = {}
    for a, b in combinations(range(models), 2):
        p = np.ones(count)
        for left in range(1, hypotheses + 1):
            two_sided = 2 * ERROR / left
            low, high = paired_interval(sums[a], sums[b], 1 - two_sided)
            p = np.where((low > 0) | (high < 0), 0.999 * two_sided, p)
        tests[a, b] = sums[b].value - sums[a].value, np.maximum(p, randomisation_p(sums[a], sums[b]))

    def gains(own: int, nth: int) -> list[tuple[float, float]]:
        found = ((a, gain[nth], p[nth]) for (a, b), (gain, p) in tests.items() if own in (a, b))
        return [(float(gain if a == own else -gain), float(p)) for a, gain, p in found]

    return [[rank_interval(gains(own, nth), models) for own in range(models)] for nth in range(count)]


def bootstrap(solved: Array, random: np.random.Generator) -> list[tuple[int, int]]:
    """The quantiles of ranks over resampled tasks."""
    tasks = solved.shape[1]
    weights = random.multinomial(tasks, np.full(tasks, 1 / tasks), size=RESAMPLES).astype(float)
    totals = weights @ solved.T
    ranks = 1 + (totals[:, :, None] < totals[:, None, :]).sum(axis=-1)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    return [(int(one), int(other)) for one, other in zip(low, high, strict=True)]


def covered(design: RankedDesign, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """The rows of a design."""
    random = np.random.default_rng([seed, *design.name.encode(), design.tasks])
    held: dict[str, list[list[bool]]] = {"sealegs": [], "bootstrap": []}
    wide: dict[str, list[int]] = {"sealegs": [], "bootstrap": []}
    solved = drawn(design, count, random)
    for own, intervals in zip(solved, ours(design, solved), strict=True):
        for name, found in (("sealegs", intervals), ("bootstrap", bootstrap(own, random))):
            places = zip(found, design.places, strict=True)
            held[name].append([low <= first and last <= high for (low, high), (first, last) in places])
            wide[name] += [high - low + 1 for low, high in found]
    for name in held:
        head = {"suite": "rank coverage", "agent": name, "level": f"{design.tasks} tasks", "mode": design.name}
        single = [one for each in held[name] for one in each]
        for metric, hits in (("coverage", single), ("all", [all(each) for each in held[name]])):
            low, high = share_interval(sum(hits), len(hits))  # models of one ranking are alike: a little too narrow
            ends = {"low": round(100 * low, 2), "high": round(100 * high, 2)}
            yield {**head, "metric": metric, "value": round(100 * sum(hits) / len(hits), 2), **ends, "n": len(hits)}
        width = round(float(np.mean(wide[name])), 3)
        yield {**head, "metric": "width", "value": width, "low": None, "high": None, "n": len(wide[name])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the long table here")
    parser.add_argument("--rankings", type=int, default=300, help="of each design")
    arguments = parser.parse_args()
    began = time.process_time()
    rows: list[dict[str, Any]] = []
    for design in DESIGNS:
        found = list(covered(design, arguments.rankings, 7))
        figures = "  ".join(f"{row['agent']} {row['metric']} {row['value']}" for row in found)
        print(f"{design.name:28} {design.tasks:4} tasks  {figures}", flush=True)
        rows += found
    print(f"{time.process_time() - began:.0f} s of CPU")
    if arguments.json:
        write_results(arguments.json, rows)


if __name__ == "__main__":
    main()
