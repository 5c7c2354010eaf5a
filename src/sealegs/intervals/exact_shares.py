"""Blaker's exact interval of a share, as the least that the intervals of whole counts are.

The mid-P interval (`quantiles.binomial_ends`) is right on average over shares, and falls below 92 % at some: few
counts are possible, and a small change of the share takes it out of the interval of a frequent one. Blaker's (2000),
made for 93 %, holds the truth in at least so many experiments whatever the share is: that is a theorem, not a
simulation. So the mid-P interval is never narrower than that one. The ends hardly move, and where many counts are
possible the mid-P interval is the wider one already.

The theorem holds for tasks of different levels as well: with the same mean, their count is less spread than a binomial
one on both sides of the mean (Hoeffding 1956). There the distances to the ends are multiplied by how much less the
figure varies than one share does (the root of Kish's design effect, 1965), which is estimated, so that this is no
theorem any more.

What is not in it: fractions of cases, which a cluster with several episodes is worth. Their sums take far more values
than counts do, so that the mid-P interval alone serves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from sealegs.intervals.quantiles import Array, binomial_ends

ROOM = 1.4  # error rates of the exact interval and of ours: 7 % for 5 %, so 93 %, below which no coverage is to fall
MANY = 200  # of either kind: then no single count is probable enough to matter
HALVINGS = 50  # of a bracket within [0, 1], until it is as fine as its numbers
NEGLIGIBLE = 1e-15  # of a sum, what another term adds


def share_ends(hits: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Array, Array]:
    """The mid-P interval of a share, of whole counts never narrower than Blaker's with `ROOM` times the error.

    Args:
        hits, n: successes and cases, real numbers with 0 <= hits <= n; where n is 0 the ends are 0 and 1.
        confidence: of the interval.
    """
    x, size = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    low, high = binomial_ends(x, size, confidence)
    least, most = exact_ends(x, size, 1 - ROOM * (1 - confidence))
    return np.where(np.isnan(least), low, np.minimum(low, least)), np.where(
        np.isnan(most), high, np.maximum(high, most)
    )


def exact_ends(hits: Array, n: Array, confidence: float) -> tuple[Array, Array]:
    """Blaker's interval of each share of whole counts.

    The ends have the shape of `hits` and `n`, which is one. They are nan for other counts, for more than `MANY` of both
    kinds, and where the confidence is not above 0.
    """
    x, size = np.rint(hits), np.rint(n)
    whole = (np.abs(hits - x) < 1e-6) & (np.abs(n - size) < 1e-6) & (size > 0) & (np.minimum(x, size - x) <= MANY)
    low, high = np.full(x.shape, np.nan), np.full(x.shape, np.nan)
    if whole.any() and confidence > 0:
        pairs, place = np.unique(np.stack([x[whole], size[whole]], axis=-1).astype(int), axis=0, return_inverse=True)
        error = 1 - confidence
        found = np.array([(_least_share(k, m, error), 1 - _least_share(m - k, m, error)) for k, m in pairs.tolist()])
        low[whole], high[whole] = found[place.ravel()].T
    return low, high


def counted_ends(top: Array, below: Array, mass: Array, variance: Array, confidence: float) -> tuple[Array, Array]:
    """The ends that a share of clusters is to have at least, where each has one episode and all count alike; else nan.

    Args:
        top, below: what each cluster adds above and below the line, of shape (..., ratios, runs, clusters).
        mass: how much of the figure each cluster is, of shape (..., clusters).
        variance: of the figure, of shape (...).
        confidence: of the figure's interval; that of these ends is less, by `ROOM`.
    """
    hits, sizes = (side.sum(axis=(-3, -2)) for side in (top, below))
    n, won = sizes.sum(axis=-1), hits.sum(axis=-1)
    single = ((sizes == 0) | (sizes == 1)).all(axis=-1)
    alike = (np.abs(mass * n[..., None] - sizes) < 1e-9).all(axis=-1)
    n = np.where(single & alike, n, 0.0)
    low, high = exact_ends(won, n, 1 - ROOM * (1 - confidence))
    share = np.divide(won, n, out=np.zeros(n.shape), where=n > 0)
    unit = np.divide(share * (1 - share), n, out=np.zeros(n.shape), where=n > 0)
    less = np.sqrt(np.minimum(1, np.divide(variance, unit, out=np.ones(n.shape), where=unit > 0)))
    return share - less * (share - low), share + less * (high - share)


@lru_cache(maxsize=65536)
def _least_share(x: int, n: int, error: float) -> float:
    """The lower end: the least share whose acceptability is more than the error rate (Blaker 2000; Klaschka 2010).

    The acceptability of a share is P(x or more), together with the greatest lower tail that is not more probable. As
    the share rises from where P(x or more) is half the error rate, it exceeds the error rate either within the stretch
    in which that lower tail is the same, or with the first step of that tail; both are found by halving.
    """
    if x == 0:
        return 0.0
    start = _first(lambda share: _at_least(x, n, share) > error / 2, 0.0, 1.0)
    below, above = -1, x  # the greatest count of that lower tail, and one beyond it
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if _at_most(middle, n, start) <= error / 2 else (below, middle)

    def acceptable(share: float) -> bool:
        upper = _at_least(x, n, share)
        return _at_most(below + 1, n, share) <= upper or upper + _at_most(below, n, share) > error

    return _first(acceptable, start, 1.0)


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The point from which a condition holds to the end."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _at_least(x: int, n: int, share: float) -> float:
    """P(x or more of n)."""
    if x <= 0:
        return 1.0
    if x > n or share <= 0:
        return 0.0
    if x <= n * share:  # summed from the other side, so that the first term is the greatest
        return 1 - _at_least(n - x + 1, n, 1 - share)
    choose = lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1)
    term = exp(choose + x * log(share) + (n - x) * log1p(-share))
    whole, odds = term, share / (1 - share)
    for count in range(x, n):
        term *= (n - count) / (count + 1) * odds
        whole += term
        if term <= NEGLIGIBLE * whole:
            break
    return whole


def _at_most(x: int, n: int, share: float) -> float:
    """P(x or fewer of n)."""
    return _at_least(n - x, n, 1 - share)


@lru_cache(maxsize=4096)
def share_interval(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share of independent cases (`share_ends`), each end in [0, 1]; (0, 1) where n is 0.

    What is counted over base tasks is not independent: see `cluster_sums`.

    Args:
        successes, n: how many of how many cases.
        confidence: of the interval.
    """
    low, high = share_ends(successes, n, confidence)
    return float(low), float(high)
