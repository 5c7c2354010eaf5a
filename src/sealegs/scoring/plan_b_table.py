"""Rates of `highwater` with their errors, as rows of the long table.

Accuracy is the share of right answers over all episodes, crashed and cut-off ones too. `accuracy_drop` is how many
points it falls under errors, `accuracy_decrease` the same as a share of what it was, both over the problems that were
played in both modes. What was done after the first refusal is over the episodes that met one. Questions that differ in
a value alone are one cluster in every interval and standard error, since an agent does alike on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sealegs.scoring.intervals import Array, bootstrap_error, cluster_bootstrap, wilson
from sealegs.scoring.metrics import ALL, Row
from sealegs.scoring.plan_b import PlanBVerdict

CLEAN = "no errors"
Statistic = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class PlanBResult:
    """One judged episode.

    Attributes:
        problem: its id.
        origin: the question that it was made from, which is shared by those that differ in a value alone.
        level: the setting.
        mode: `no errors`, or what strikes.
        epoch: from 1.
        verdict: of the judge.
    """

    problem: str
    origin: str
    level: str
    mode: str
    epoch: int
    verdict: PlanBVerdict


SHARES: dict[str, Callable[[PlanBVerdict], bool]] = {
    "accuracy": lambda v: v.right,
    "gave_up": lambda v: v.gave_up,
}
AFTER: dict[str, Callable[[PlanBVerdict], bool]] = {
    "recovered": lambda v: v.right,
    "searched_again": lambda v: v.searched,
    "found_plan_b": lambda v: v.found,
    "composed_it": lambda v: v.composed,
    "gave_up_after": lambda v: v.gave_up,
    "looped": lambda v: v.looped,
}
MEANS: dict[str, Callable[[PlanBVerdict], float]] = {
    "turns": lambda v: float(v.turns),
    "calls": lambda v: float(v.calls),
}


def plan_b_table(results: Sequence[PlanBResult], who: Row, seed: int = 0) -> list[Row]:
    """The long table of a run.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        seed: of the bootstrap.
    """
    rows: list[Row] = []
    for level in dict.fromkeys(result.level for result in results):
        at = [result for result in results if result.level == level]
        for mode in dict.fromkeys(result.mode for result in at):
            here = [result for result in at if result.mode == mode]
            rows += [{**who, "level": level, "mode": mode, **row} for row in _cell(here, mode, seed)]
        rows += [{**who, "level": level, "mode": ALL, **row} for row in _drop(at, seed)]
    return rows


def _cell(results: Sequence[PlanBResult], mode: str, seed: int) -> list[Row]:
    rows: list[Row] = []
    for name, share in SHARES.items():
        rows += _share(name, results, share, seed)
    for name, amount in MEANS.items():
        ratio, clusters = _ratio(results, amount)
        low, high = cluster_bootstrap(ratio, clusters, seed)
        rows.append(_row(name, _value(ratio, clusters), low, high, len(results)))
    if mode != CLEAN:
        rows += _share("exposed", results, lambda v: v.exposed, seed)[:1]
        exposed = [result for result in results if result.verdict.exposed]
        for name, share in AFTER.items():
            rows += _share(name, exposed, share, seed)[:1] if exposed else []
    return rows


def _share(name: str, results: Sequence[PlanBResult], share: Callable[[PlanBVerdict], bool], seed: int) -> list[Row]:
    """A share in per cent, and its standard error."""
    ratio, clusters = _ratio(results, lambda verdict: 100.0 * share(verdict))
    value = _value(ratio, clusters)
    low, high = cluster_bootstrap(ratio, clusters, seed)
    if low == high:  # all alike: resampling knows no more than they
        low, high = (100 * end for end in wilson(value / 100 * clusters, clusters))
    error = bootstrap_error(ratio, clusters, seed)
    n = len(results)
    return [_row(name, value, low, high, n), _row(f"{name}_se", error, None, None, n)]


def _drop(results: Sequence[PlanBResult], seed: int) -> list[Row]:
    """How much lower accuracy is under errors, over what was played in both modes."""
    clean = {(one.problem, one.epoch): one for one in results if one.mode == CLEAN}
    faulty = {(one.problem, one.epoch): one for one in results if one.mode != CLEAN}
    both = [(clean[key], faulty[key]) for key in clean if key in faulty]
    if not both:
        return []
    origins = {name: place for place, name in enumerate(dict.fromkeys(one.origin for one, _ in both))}
    sums = np.zeros((3, len(origins)))
    for one, other in both:
        sums[:, origins[one.origin]] += (1, one.verdict.right, other.verdict.right)

    def drop(weights: Array) -> Array:
        count, before, after = (weights @ part for part in sums)
        found: Array = 100 * (before - after) / count
        return found

    def decrease(weights: Array) -> Array:
        _, before, after = (weights @ part for part in sums)
        share: Array = np.divide(before - after, before, out=np.full(before.shape, np.nan), where=before > 0)
        return 100 * share

    rows = []
    for name, statistic in (("accuracy_drop", drop), ("accuracy_decrease", decrease)):
        value = _value(statistic, len(origins))
        if not np.isnan(value):
            low, high = cluster_bootstrap(statistic, len(origins), seed)
            if low == high:  # all alike: resampling knows no more than they
                spread = 100 * (1 - wilson(len(origins), len(origins))[0])
                low, high = max(-100.0, value - spread), min(100.0, value + spread)
            rows.append(_row(name, value, low, high, len(both)))
    return rows


def _ratio(results: Sequence[PlanBResult], amount: Callable[[PlanBVerdict], float]) -> tuple[Statistic, int]:
    """The mean amount of an episode under weights of the clusters, and how many clusters there are."""
    origins = {name: place for place, name in enumerate(dict.fromkeys(result.origin for result in results))}
    top, count = np.zeros(len(origins)), np.zeros(len(origins))
    for result in results:
        top[origins[result.origin]] += amount(result.verdict)
        count[origins[result.origin]] += 1

    def ratio(weights: Array) -> Array:
        found: Array = (weights @ top) / (weights @ count)
        return found

    return ratio, len(origins)


def _value(statistic: Statistic, clusters: int) -> float:
    return float(statistic(np.ones((1, clusters)))[0])


def _row(metric: str, value: float, low: float | None, high: float | None, n: int) -> Row:
    told = [None if one is None or np.isnan(one) else round(one, 2) for one in (value, low, high)]
    return {"metric": metric, "value": told[0], "low": told[1], "high": told[2], "n": n}
