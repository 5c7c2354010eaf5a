"""The metrics of `paladin` over judged episodes, each with an interval, as rows of the long table.

- `tsr`, task success rate: the share of strict successes (`judge`). In a dead end the success is an honest stop.
- `rr`, recovery rate: of the episodes in which the failure was delivered, the share that answered it in a way that
  leads on and noticed it: the call made good or another branch finished; in a dead end, a stop that is said.
- `csr`, catastrophic success rate as the publication uses the name, higher is better: 100 less the share of episodes
  that end with a claim of success that is false.
- `es`, efficiency score: 1 / the mean number of calls, the formula of the authors' public repository. Failures count as
  successes do, so an agent that gives up early scores high and the figure says nothing alone.
- `efficiency`, ours: the fewest calls that were possible over the calls made, 0 for an episode that is no success.
- `tsr_as_published`, `rr_as_published`, `csr_as_published`: the same by the looser rules of the published `protocol`.

Rates are in per cent, `es` is not. Over the classes each is the mean of the seven classes' values (macro). Clean
episodes have a row of their own and are in no mean. Crashed and cut-off episodes stay in every denominator. Intervals
cluster by base task; where there are several runs, by run as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sealegs.scoring.intervals import Array, cluster_bootstrap, crossed_bootstrap, wilson
from sealegs.scoring.judge import Verdict
from sealegs.scoring.metrics import ALL, Row, mean_of_ratios
from sealegs.scoring.protocol import Protocol

CLEAN = "clean"
SHARES = ("tsr", "rr", "csr", "tsr_as_published", "rr_as_published", "csr_as_published")


@dataclass(frozen=True, slots=True)
class Recovery:
    """One judged episode.

    Attributes:
        task: the base task.
        klass: the failure's class, or `clean`.
        kind: how long the failure lasts: `transient`, `switch`, `dead end`, or `clean`.
        verdict: the judge's.
        answered: whether there is a final answer.
        extra: calls beyond the judge's best that a failure that strikes several times needs.
        protocol: what the published protocol says; None where it was not asked.
        run: where several models, trained alike, are one method's: which of them this is of.
    """

    task: str
    klass: str
    kind: str
    verdict: Verdict
    answered: bool
    extra: int = 0
    protocol: Protocol | None = None
    run: str = ""

    @property
    def recovered(self) -> bool:
        """The failure was delivered, and answered in a way that leads on."""
        return self.verdict.exposed and self.verdict.strategy

    @property
    def catastrophe(self) -> bool:
        """The answer says or implies that all is done, and it is not."""
        return self.answered and not self.verdict.stopped and not self.verdict.success

    @property
    def efficiency(self) -> float:
        """The fewest calls over the calls made; 0 for a failed episode."""
        verdict = self.verdict
        if not verdict.success:
            return 0.0
        if verdict.cost is None or verdict.best is None:
            return 1.0
        best = verdict.calls - verdict.cost + verdict.best + self.extra
        return min(1.0, best / max(1, verdict.calls))


Ratio = Callable[[Recovery], tuple[float, float]]  # what is added up above and below the line
NOTHING = (0.0, 0)
METRICS: dict[str, Ratio] = {
    "tsr": lambda r: (100.0 * r.verdict.success, 1),
    "rr": lambda r: (100.0 * r.recovered, r.verdict.exposed),
    "csr": lambda r: (100.0 * (not r.catastrophe), 1),
    "es": lambda r: (1.0, max(1, r.verdict.calls)),
    "efficiency": lambda r: (100.0 * r.efficiency, 1),
    "calls": lambda r: (float(r.verdict.calls), 1),
    "exposed": lambda r: (100.0 * r.verdict.exposed, 1),
}
AS_PUBLISHED: dict[str, Ratio] = {
    "tsr_as_published": lambda r: (100.0 * r.protocol.success, 1) if r.protocol else NOTHING,
    "rr_as_published": lambda r: (100.0 * r.protocol.recovery, r.verdict.exposed) if r.protocol else NOTHING,
    "csr_as_published": lambda r: (100.0 * (not r.protocol.unsupported), 1) if r.protocol else NOTHING,
}
METRICS |= AS_PUBLISHED
FAULTY = ("rr", "exposed", "rr_as_published")  # of episodes with a failure alone


@dataclass(frozen=True, slots=True)
class RecoverySums:
    """Sums by class and by base task in each run, of shape (classes, runs x tasks), and how many runs there are."""

    top: Array
    below: Array
    runs: int


def summed(results: Sequence[Recovery], name: str) -> RecoverySums:
    """Add a metric up."""
    classes = sorted({r.klass for r in results})
    tasks = {task: place for place, task in enumerate(sorted({r.task for r in results}))}
    runs = {run: place for place, run in enumerate(sorted({r.run for r in results}))}
    sums = np.zeros((2, len(classes), len(runs) * len(tasks)))
    for result in results:
        above, below = METRICS[name](result)
        if below:
            place = runs[result.run] * len(tasks) + tasks[result.task]
            sums[:, classes.index(result.klass), place] += (above, below)
    return RecoverySums(sums[0], sums[1], len(runs))


def estimate(results: Sequence[Recovery], name: str, seed: int = 0) -> tuple[float | None, float | None, float | None]:
    """A metric's macro mean over the classes there are, and its interval; None where nothing can be said."""
    sums = summed(results, name)
    classes, clusters = sums.top.shape

    def statistic(weights: Array) -> Array:
        return mean_of_ratios(sums.top, sums.below, weights, list(range(classes)))

    value = float(statistic(np.ones((1, clusters)))[0]) if clusters else float("nan")
    if np.isnan(value):
        return None, None, None
    places = 4 if name == "es" else 2
    if sums.runs > 1:
        low, high = crossed_bootstrap(statistic, sums.runs, clusters // sums.runs, seed)
        if low == high and name not in ("es", "calls"):
            counted = int((sums.below.sum(axis=0).reshape(sums.runs, -1).sum(axis=0) > 0).sum())
            low, high = (100 * end for end in wilson(value / 100 * counted, counted))
    elif name in SHARES and classes == 1 and sums.below.max() <= 1:
        n = int(sums.below.sum())
        low, high = (100 * end for end in wilson(value / 100 * n, n))
    else:
        low, high = cluster_bootstrap(statistic, clusters, seed)
        if low == high and name not in ("es", "calls"):
            counted = int((sums.below.sum(axis=0) > 0).sum())
            low, high = (100 * end for end in wilson(value / 100 * counted, counted))
    return round(value, places), round(low, places), round(high, places)


def table(results: Sequence[Recovery], who: Row, mode: str, seed: int = 0) -> list[Row]:
    """The long table of a run: every metric for each class, for all, for the clean ones, and by kind of failure.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        mode: the set.
        seed: of the bootstrap.
    """
    rows: list[Row] = []
    faulty = [r for r in results if r.klass != CLEAN]
    groups = {name: [r for r in faulty if r.klass == name] for name in sorted({r.klass for r in faulty})}
    groups |= {ALL: faulty, CLEAN: [r for r in results if r.klass == CLEAN]}
    for level, chosen in groups.items():
        for name in METRICS if chosen else ():
            unasked = name in AS_PUBLISHED and all(r.protocol is None for r in chosen)
            if unasked or (level == CLEAN and name in FAULTY):
                continue
            rows.append(_row(chosen, who, level, mode, name, name, seed))
    for kind in sorted({r.kind for r in faulty}):
        chosen = [r for r in faulty if r.kind == kind]
        rows += [_row(chosen, who, ALL, mode, name, f"{name}_{kind.replace(' ', '_')}", seed) for name in ("rr", "tsr")]
    return rows


def _row(results: Sequence[Recovery], who: Row, level: str, mode: str, name: str, told: str, seed: int) -> Row:
    value, low, high = estimate(results, name, seed)
    n = sum(METRICS[name](result)[1] > 0 for result in results)
    return {**who, "level": level, "mode": mode, "metric": told, "value": value, "low": low, "high": high, "n": n}
