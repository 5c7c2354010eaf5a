"""Rates over many verdicts, each with an interval, as rows of one long table.

TSR is the share of successes, PRR the share of recoveries among the episodes whose fault was delivered, RC the mean of
the redundancy over all episodes of a mode, all in per cent. Over several modes each is the mean of the modes' values
(PRR and RC over fault modes alone), as in the published tables. The composite score is
((mean TSR over NP and P1-P4) + (mean PRR) + 100 - (mean RC)) / 3. A crashed or cut-off episode stays in every
denominator. Intervals cluster by base task.

Where recovery had a hand in a run, three more say whose the recoveries are: `reached`, the share of the exposed
episodes in which a fault reached the agent; `prr_agent`, the share of successes among those; `prr_layer`, the share
of the exposed ones that are successes in which no fault reached it. In each mode PRR = reached x prr_agent + prr_layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from sealegs.scoring.intervals import Array, cluster_bootstrap, wilson
from sealegs.scoring.judge import Verdict

CLEAN = "NP"
ALL = "all"
OVER_FAULTS = ("rc", "exposed", "doubled", "wrong_effects")  # over the episodes of fault modes


class Row(TypedDict, total=False):
    """One row of the long table; an agent's rows have `agent`, a model's `model`. Rates are in per cent."""

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


@dataclass(frozen=True, slots=True)
class Result:
    """One judged episode."""

    task: str
    level: str
    mode: str
    epoch: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums by mode and base task, each of shape (modes, tasks): what every metric is made of."""

    modes: tuple[str, ...]
    episodes: Array
    success: Array
    published: Array
    exposed: Array
    recovered: Array
    published_recovered: Array
    redundancy: Array
    reached: Array
    reached_recovered: Array
    by_layer: Array
    doubled: Array
    wrong_effects: Array


Metric = Callable[[Tally, Array], Array]


def tally(results: Sequence[Result]) -> Tally:
    """Add the results up by mode and base task."""
    modes = tuple(sorted({r.mode for r in results}))
    tasks = {name: i for i, name in enumerate(sorted({r.task for r in results}))}
    sums = np.zeros((12, len(modes), len(tasks)))
    for result in results:
        v = result.verdict
        values = (
            1,
            v.success,
            v.published,
            v.exposed,
            v.recovered,
            v.exposed and v.published,
            v.redundancy,
            v.reached,
            v.reached and v.success,
            v.recovered_by == "layer",
            v.doubled > 0,
            v.wrong > 0,
        )
        sums[:, modes.index(result.mode), tasks[result.task]] += values
    return Tally(modes, *sums)


def _faulty(t: Tally) -> list[int]:
    return [i for i, mode in enumerate(t.modes) if mode != CLEAN]


def mean_of_ratios(top: Array, bottom: Array, weights: Array, modes: list[int]) -> Array:
    """Mean over modes of sum(top) / sum(bottom), for each row of weights; modes with nothing below are left out."""
    if not modes:
        return np.full(len(weights), np.nan)
    above, below = weights @ top[modes].T, weights @ bottom[modes].T
    ratios = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    counted = (~np.isnan(ratios)).sum(axis=1)
    sums = np.nansum(ratios, axis=1)
    mean: Array = np.divide(sums, counted, out=np.full(len(weights), np.nan), where=counted > 0)
    return mean


def tsr(t: Tally, weights: Array) -> Array:
    """Task success rate in per cent, the mean over the modes, for each row of cluster weights."""
    return 100 * mean_of_ratios(t.success, t.episodes, weights, list(range(len(t.modes))))


def tsr_as_published(t: Tally, weights: Array) -> Array:
    """TSR by the published judge's rules."""
    return 100 * mean_of_ratios(t.published, t.episodes, weights, list(range(len(t.modes))))


def prr(t: Tally, weights: Array) -> Array:
    """Perturbation recovery rate in per cent: recovered among exposed."""
    return 100 * mean_of_ratios(t.recovered, t.exposed, weights, _faulty(t))


def prr_as_published(t: Tally, weights: Array) -> Array:
    """PRR by the published judge's rules."""
    return 100 * mean_of_ratios(t.published_recovered, t.exposed, weights, _faulty(t))


def rc(t: Tally, weights: Array) -> Array:
    """Redundancy cost in per cent: over all episodes of the fault modes."""
    return 100 * mean_of_ratios(t.redundancy, t.episodes, weights, _faulty(t))


def exposed(t: Tally, weights: Array) -> Array:
    """Share of the fault modes' episodes in which a fault was delivered, in per cent."""
    return 100 * mean_of_ratios(t.exposed, t.episodes, weights, _faulty(t))


def reached(t: Tally, weights: Array) -> Array:
    """Share of the exposed episodes in which a fault reached the agent, in per cent."""
    return 100 * mean_of_ratios(t.reached, t.exposed, weights, _faulty(t))


def prr_agent(t: Tally, weights: Array) -> Array:
    """Share of successes among the episodes in which a fault reached the agent, in per cent."""
    return 100 * mean_of_ratios(t.reached_recovered, t.reached, weights, _faulty(t))


def prr_layer(t: Tally, weights: Array) -> Array:
    """Share of the exposed episodes that are successes in which recovery kept every fault from the agent, per cent."""
    return 100 * mean_of_ratios(t.by_layer, t.exposed, weights, _faulty(t))


def doubled(t: Tally, weights: Array) -> Array:
    """Share of the fault modes' episodes in which something was done twice, in per cent."""
    return 100 * mean_of_ratios(t.doubled, t.episodes, weights, _faulty(t))


def wrong_effects(t: Tally, weights: Array) -> Array:
    """Share of the fault modes' episodes in which something was done that no step of the task does, in per cent."""
    return 100 * mean_of_ratios(t.wrong_effects, t.episodes, weights, _faulty(t))


def composite(t: Tally, weights: Array) -> Array:
    """The composite score, for each row of cluster weights."""
    score: Array = composite_score(tsr(t, weights), prr(t, weights), rc(t, weights))
    return score


def composite_score(tsr: Any, prr: Any, rc: Any) -> Any:
    """(TSR + PRR + 100 - RC) / 3, all in per cent: TSR the mean over NP and P1-P4, PRR and RC over P1-P4."""
    return (tsr + prr + 100 - rc) / 3


METRICS: dict[str, Metric] = {
    "tsr": tsr,
    "prr": prr,
    "rc": rc,
    "tsr_as_published": tsr_as_published,
    "prr_as_published": prr_as_published,
    "exposed": exposed,
    "doubled": doubled,
    "wrong_effects": wrong_effects,
    "composite": composite,
}
AIDED: dict[str, Metric] = {"reached": reached, "prr_agent": prr_agent, "prr_layer": prr_layer}  # with recovery alone
SHARES = {
    "tsr": "episodes",
    "tsr_as_published": "episodes",
    "exposed": "episodes",
    "doubled": "episodes",
    "wrong_effects": "episodes",
    "prr": "exposed",
    "prr_as_published": "exposed",
    "reached": "exposed",
    "prr_agent": "reached",
    "prr_layer": "exposed",
}


def table(results: Sequence[Result], who: Row, seed: int = 0) -> list[Row]:
    """The long table of a run: every metric for each cell, each level, each mode and all.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        seed: of the bootstrap.
    """
    rows: list[Row] = []
    for level in (*sorted({r.level for r in results}), ALL):
        for mode in (*sorted({r.mode for r in results}), ALL):
            chosen = [r for r in results if level in (ALL, r.level) and mode in (ALL, r.mode)]
            if chosen:
                rows += _cell(chosen, who, level, mode, seed)
    return rows


def _cell(results: Sequence[Result], who: Row, level: str, mode: str, seed: int) -> list[Row]:
    t = tally(results)
    rows: list[Row] = []
    aided = any(r.verdict.calls_by_layer or r.verdict.put_right for r in results)
    for name, metric in (METRICS | (AIDED if aided else {})).items():
        if (name == "composite") != (mode == ALL) and name == "composite":
            continue
        if mode == CLEAN and name not in ("tsr", "tsr_as_published"):
            continue
        if name == "composite" and CLEAN not in t.modes:
            continue
        value, low, high = estimate(metric, t, name, seed)
        n = counted(name, t)
        rows.append(
            {**who, "level": level, "mode": mode, "metric": name, "value": value, "low": low, "high": high, "n": n}
        )
    return rows


def counted(name: str, t: Tally) -> int:
    """How many episodes a metric is over: those exposed for PRR, those of fault modes for RC and exposure, else all."""
    if SHARES.get(name) in ("exposed", "reached"):
        return int(getattr(t, SHARES[name]).sum())
    return int(t.episodes[_faulty(t)].sum() if name in OVER_FAULTS else t.episodes.sum())


def estimate(metric: Metric, t: Tally, name: str, seed: int) -> tuple[float | None, float | None, float | None]:
    """A metric's value and interval, rounded to a hundredth; None where nothing can be said."""
    clusters = t.episodes.shape[1]
    value = float(metric(t, np.ones((1, clusters)))[0])
    if np.isnan(value):
        return None, None, None
    below = getattr(t, SHARES.get(name, "episodes"))
    independent = name in SHARES and below.max() <= 1 and (below.sum(axis=1) > 0).sum() == 1
    if independent:
        low, high = wilson(value / 100 * below.sum(), int(below.sum()))
        return round(value, 2), round(100 * low, 2), round(100 * high, 2)
    low, high = cluster_bootstrap(lambda w: metric(t, w), clusters, seed)
    if low == high:  # all clusters alike: resampling knows no more than they; a mean of numbers in [0, 1] varies no
        low, high = (100 * end for end in wilson(value / 100 * clusters, clusters))  # more than a share of that size
    return round(value, 2), round(low, 2), round(high, 2)


def paired_difference(one: Sequence[Result], other: Sequence[Result], who: Row, seed: int = 0) -> list[Row]:
    """How much higher each metric is in `other` than in `one`, over the episodes that both have.

    The metric's name gets `_difference`; both runs are resampled together by base task.
    """
    shared = {(r.task, r.mode, r.epoch) for r in one} & {(r.task, r.mode, r.epoch) for r in other}
    left, right = (tally([r for r in run if (r.task, r.mode, r.epoch) in shared]) for run in (one, other))
    rows: list[Row] = []
    for name, metric in METRICS.items():
        rows += _difference(name, metric, left, right, who, seed)
    return rows


def _difference(name: str, metric: Metric, left: Tally, right: Tally, who: Row, seed: int) -> Iterable[Row]:
    clusters = left.episodes.shape[1]
    if clusters == 0:
        return

    def difference(weights: Array) -> Any:
        return metric(right, weights) - metric(left, weights)

    value = float(difference(np.ones((1, clusters)))[0])
    if np.isnan(value):
        return
    low, high = cluster_bootstrap(difference, clusters, seed)
    if low == high:  # all clusters alike: so many could still differ, each at most by all there is
        _, others = wilson(0, clusters)
        low, high = value - others * (100 + value), value + others * (100 - value)
    n = int(left.episodes.sum())
    yield {
        **who,
        "level": ALL,
        "mode": ALL,
        "metric": f"{name}_difference",
        "value": round(value, 2),
        "low": round(low, 2),
        "high": round(high, 2),
        "n": n,
    }
