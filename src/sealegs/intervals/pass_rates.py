"""Verdicts of a number of runs on an agent's pass rate, also when the runs are stopped as soon as it is settled.

The verdict is an exact binomial test of a required pass rate (Clopper and Pearson 1934), once in each direction: of
agents that pass exactly as often as required at most 5 % are said to hold, and at most 5 % are said to be too weak.
Runs of different inputs pass with different probabilities. Then the test errs less often, not more (Hoeffding 1956).

Runs stop early only when no outcome of those that are left could change the verdict (a curtailed test), so the verdict
is the one that all runs would have given, and its error rates are those of the full test. The *estimate* of a stopped
sample is biased, though: its interval is a confidence sequence, which holds whenever one stops (Robbins 1970).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import comb, exp, lgamma, log, log1p
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Decision = Literal["held", "weakness", "inconclusive"]
ERROR = 0.05  # of either verdict, for an agent that passes exactly as often as required
STEPS = 60  # halvings in search of an end of an interval


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> NDArray[np.float64]:
    """The logarithms of 0! to n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


@lru_cache(maxsize=65536)
def _at_least(passes: int, n: int, rate: float) -> float:
    """The probability of so many passes or more in n runs at this pass rate, which is neither 0 nor 1."""
    logs, k = _log_factorials(n), np.arange(passes, n + 1)
    terms = logs[n] - logs[k] - logs[n - k] + k * log(rate) + (n - k) * log1p(-rate)
    return float(np.exp(terms).sum())


def decide(passes: int, n: int, required: float) -> Decision:
    """The verdict of n runs on a required pass rate.

    Args:
        passes: how many of them passed.
        n: runs that count.
        required: the pass rate, more than 0 and at most 1.

    Returns:
        `held` if an agent that passes less often would seldom pass so many; `weakness` if one that passes as often as
        required would seldom pass so few; `inconclusive` otherwise. A required rate of 1 can be refuted by one failure,
        and held by no number of runs: then all of them must pass.
    """
    if n == 0:
        return "inconclusive"
    if required >= 1:
        return "held" if passes == n else "weakness"
    if _at_least(passes, n, required) <= ERROR:
        return "held"
    # The chance of so few passes or fewer, as what is left of that of more.
    return "weakness" if 1 - _at_least(passes + 1, n, required) <= ERROR else "inconclusive"


def settled(passes: int, n: int, left: int, required: float) -> bool:
    """Return whether the verdict is the same however the runs that are left end; some of them may not count at all."""
    if left == 0 or n == 0:
        return left == 0
    # A pass never makes the verdict worse and a failure never better, so every other end lies between these two.
    worst, best = decide(passes, n + left, required), decide(passes + left, n + left, required)
    return worst == best == decide(passes, n, required)


def runs_to_hold(required: float) -> int | None:
    """The number of runs, all passed, that shows that the required rate is held; None where no number does."""
    return None if required >= 1 else next(n for n in range(1, 10_000_000) if required**n <= ERROR)


def confidence_sequence(passes: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a pass rate that holds at whatever run one stops, each end in [0, 1].

    It holds the rates p at which the mixture likelihood ratio with a uniform prior stays below 20:
    1 / ((n + 1) C(n, s) p^s (1 - p)^(n - s)) < 1 / 0.05 (Robbins 1970; Ville's inequality).
    """
    if n == 0:
        return 0.0, 1.0
    share = passes / n
    base = log(n + 1) + lgamma(n + 1) - lgamma(passes + 1) - lgamma(n - passes + 1)

    def inside(rate: float) -> bool:
        up = passes * log(rate) if passes else 0.0
        down = (n - passes) * log(1 - rate) if n > passes else 0.0
        return exp(min(0.0, base + up + down)) > ERROR

    return _end(inside, 0.0, share), _end(inside, 1.0, share)


def _end(inside: Callable[[float], bool], outer: float, inner: float) -> float:
    """The border between a rate outside and one inside."""
    if outer == inner:
        return outer
    for _ in range(STEPS):
        middle = (outer + inner) / 2
        if middle in (outer, inner):
            break
        if inside(middle):
            inner = middle
        else:
            outer = middle
    # The side that is not inside, so that rounding never makes the interval narrower.
    return outer


def all_pass(counts: Iterable[tuple[int, int]], k: int) -> tuple[float | None, int]:
    """The chance that k runs of one input all pass, averaged over the inputs that have k runs or more: pass^k.

    The estimate of one input is C(passes, k) / C(runs, k), which is unbiased (Yao et al. 2024).

    Args:
        counts: passes and runs of each input.
        k: how many runs.

    Returns:
        The chance in [0, 1], None where no input has k runs; and how many inputs count.
    """
    found = [comb(passes, k) / comb(runs, k) for passes, runs in counts if runs >= k]
    return (sum(found) / len(found) if found else None), len(found)
