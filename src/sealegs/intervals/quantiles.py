"""Points of the normal, Student's and the binomial distribution, for arrays of real parameters, with numpy alone.

Sealegs does without scipy; the tests hold each of these to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import lgamma
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
TERMS = 3000  # of a continued fraction, at most; about as many as the root of its parameters are needed
ROUNDS = 100  # of a search, which needs about eight
_TINY = 1e-300
_log_gamma = np.vectorize(lgamma, otypes=[np.float64])


@lru_cache(maxsize=64)
def normal_point(confidence: float) -> float:
    """The z for which a standard normal lies between -z and z with this probability."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def student_point(freedom: ArrayLike, confidence: float = 0.95) -> Array:
    """The t for which Student's distribution lies between -t and t with this probability.

    P(|T| > t) is I_x(v / 2, 1 / 2) with x = v / (v + t^2), which is solved for x.

    Args:
        freedom: degrees of freedom v, more than 0; they need not be whole.
        confidence: the probability.

    Returns:
        Of the shape of `freedom`.
    """
    v = np.atleast_1d(np.asarray(freedom, dtype=np.float64))
    front = _log_gamma((v + 1) / 2) - _log_gamma(v / 2) - _log_gamma(0.5)

    def tail(odds: Array) -> tuple[Array, Array]:
        x, rest = _shares(odds)
        slope = np.exp(front + v / 2 * np.log(x) + 0.5 * np.log(rest))
        return incomplete_beta(v / 2, 0.5, x, rest), slope

    odds = _root(tail, np.log(v) - 2 * np.log(normal_point(confidence)), 1 - confidence)
    found: Array = np.sqrt(v * np.exp(-odds)).reshape(np.shape(freedom))
    return found


def binomial_ends(hits: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Array, Array]:
    """The mid-P interval of a share (Lancaster 1961; Agresti and Gottard 2005), each end in [0, 1].

    An end is the share at which P(more hits) + P(as many hits) / 2 is (1 - confidence) / 2, and likewise with fewer:
    Clopper and Pearson's with half of what was seen, which takes most of their excess away.
    In between whole numbers the probabilities are those of the incomplete beta function.

    Args:
        hits, n: successes and cases, real numbers with 0 <= hits <= n; where n is 0 the ends are 0 and 1.
        confidence: of the interval.

    Returns:
        The lower and the upper ends, each of the shape that `hits` and `n` have together.
    """
    x, size = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    both = np.concatenate([x.ravel(), (size - x).ravel()])
    ends = _least_share(both, np.concatenate([size.ravel()] * 2), (1 - confidence) / 2)
    low, rest = ends.reshape(2, *x.shape)
    return low, 1 - rest


def _least_share(x: Array, n: Array, tail: float) -> Array:
    """The share at which so many hits or more, what was seen counted half, have this probability; 0 for no hits."""
    found = np.zeros(x.shape)
    every = (n > 0) & (n - x < 1e-6)  # P(as many hits) is p ** n then
    found[every] = np.exp(np.log(2 * tail) / np.maximum(n[every], _TINY))
    some = (x > 0.02) & ~every  # of fewer, the end is below 10 ** -75
    if not some.any():
        return found
    x, n = x[some], n[some]
    most = n - x
    choose = _log_gamma(n + 1) - _log_gamma(x + 1) - _log_gamma(most + 1)

    def more(odds: Array) -> tuple[Array, Array]:
        p, q = _shares(odds)
        seen = np.exp(choose + x * np.log(p) + most * np.log(q))
        return incomplete_beta(x + 1, most, p, q) + seen / 2, seen * (most * p + x * q) / 2

    z, share = -NormalDist().inv_cdf(tail), x / n
    wilson = (share + z * z / (2 * n) - z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    start = np.log(wilson / (1 - wilson))
    p, _ = _shares(_root(more, start, tail))
    found[some] = p
    return found


def incomplete_beta(a: ArrayLike, b: ArrayLike, x: ArrayLike, rest: ArrayLike | None = None) -> Array:
    """The regularised incomplete beta function I_x(a, b).

    By its continued fraction (Abramowitz and Stegun 26.5.8) in Lentz's form.

    Args:
        a, b: parameters, more than 0.
        x: from 0 to 1.
        rest: 1 - x, where it is known better than by subtraction.

    Returns:
        From 0 to 1, of the shape that the parameters have together.
    """
    given = [np.asarray(one, dtype=np.float64) for one in (a, b, x)]
    given.append(1 - given[2] if rest is None else np.asarray(rest, dtype=np.float64))
    shape = np.broadcast_shapes(*(one.shape for one in given))
    a, b, x, y = (np.broadcast_to(one, shape).ravel() for one in given)
    turned = x > (a + 1) / (a + b + 2)  # there the fraction of the other side converges, this one's does not
    a, b, x, y = np.where(turned, b, a), np.where(turned, a, b), np.where(turned, y, x), np.where(turned, x, y)
    with np.errstate(divide="ignore"):
        logs = _log_gamma(a + b) - _log_gamma(a) - _log_gamma(b) + a * np.log(x) + b * np.log(y)
    found = np.exp(logs) * (_fraction(a, b, x) - 1) / a
    whole: Array = np.clip(np.where(turned, 1 - found, found), 0, 1)
    return whole.reshape(shape)


def _fraction(a: Array, b: Array, x: Array) -> Array:
    fraction, c, d = np.ones(x.shape), np.ones(x.shape), np.zeros(x.shape)
    for step in range(TERMS):
        m = step // 2
        if step == 0:
            term = np.ones(x.shape)
        elif step % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _safe(1 + term * d)
        c = _safe(1 + term / c)
        fraction = fraction * (c * d)
        if (np.abs(c * d - 1) < 1e-12).all():
            break
    return fraction


def _root(tail: Callable[[Array], tuple[Array, Array]], start: Array, wanted: float) -> Array:
    """The log odds at which a tail has this probability, by Newton's method on its logarithm.

    The logarithm of such a tail is concave in the log odds, so that from the second round on every step is one towards
    the root from its left.

    Args:
        tail: of the log odds: the probability and its slope.
        start: where to begin.
        wanted: the probability.
    """
    odds = start
    for _ in range(ROUNDS):
        found, slope = tail(odds)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (np.log(wanted) - np.log(found)) * found / slope
        step = np.clip(np.nan_to_num(step, nan=3.0, posinf=3.0, neginf=-3.0), -30, 30)
        odds = odds + step
        if (np.abs(step) < 1e-6).all():  # the next one would be less than its square
            break
    return odds


def _shares(odds: Array) -> tuple[Array, Array]:
    """The share of these log odds, and the rest."""
    small = np.exp(-np.minimum(np.abs(odds), 700))  # a share of 0 has no logarithm
    less, more = small / (1 + small), 1 / (1 + small)
    return np.where(odds < 0, less, more), np.where(odds < 0, more, less)


def _safe(value: Array) -> Array:
    return np.where(np.abs(value) > _TINY, value, _TINY)
