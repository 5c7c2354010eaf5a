"""Tests of the difference of two figures of the same clusters: by its interval, and by the signs of what clusters add.

The interval (`cluster_sums.paired_interval`) takes account of blocks, but is calibrated at 95 % only: far out it is too
short for few clusters. Fisher's randomisation test is exact however few there are. The P value is the greater of both.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sealegs.intervals.cluster_sums import ROUNDING, ClusterSums, Ends, paired_change, paired_interval
from sealegs.intervals.quantiles import Array

LEAST_P = 1e-10  # a smaller one says nothing more
ROUNDS = 60  # in search of a P value, which needs about eight
CLOSE = 1e-7  # of an interval's end to 0, where that is the P value's
FLIPPED = 14  # clusters that differ, up to which the randomisation test goes through all signs


def paired_p(one: ClusterSums, other: ClusterSums) -> float:
    """The P value of the test that two figures are equal.

    It is the least error rate at which their interval leaves out 0, and never less than `randomisation_p`, so the
    interval of few clusters may leave out 0 where the test sees no difference.

    Args:
        one, other: of one experiment each, without leading axes.

    Returns:
        at least `LEAST_P`, and 1 where the figures are equal.
    """
    if not abs(float(other.value - one.value)) > ROUNDING:
        return 1.0
    change = float(other.value - one.value)
    by_interval = interval_p(change, lambda confidence: paired_interval(one, other, confidence))
    return max(by_interval, float(randomisation_p(one, other)))


def differ(one: ClusterSums, other: ClusterSums, error: float) -> NDArray[np.bool_]:
    """Return whether the test of `paired_p` tells two figures apart, in each of many experiments.

    Args:
        one, other: of the same clusters; they may have leading axes.
        error: the test's error rate.

    Returns:
        Of shape (...), their leading axes.
    """
    low, high = paired_interval(one, other, 1 - error)
    found: NDArray[np.bool_] = ((low > 0) | (high < 0)) & (randomisation_p(one, other) <= error)
    return found


def randomisation_p(one: ClusterSums, other: ClusterSums) -> Array:
    """The P value of the test that flips, cluster by cluster, which sample is which (Fisher 1935).

    Exact where all clusters that differ do so by as much (for one rate of 0 and 1 it is McNemar's two-sided exact test)
    and for up to `FLIPPED` clusters that differ; beyond that a normal approximation, corrected for continuity. Of shape
    (...), the leading axes of both.
    """
    change = paired_change(one, other)
    found = np.ones(change.shape[:-1])
    for place in np.ndindex(found.shape):
        found[place] = _flipped_p(change[place][np.abs(change[place]) > ROUNDING])
    return found


def _flipped_p(changes: Array) -> float:
    """The share of all choices of signs under which the sum of these changes is at least as far from 0 as it is."""
    count, sizes, seen = len(changes), np.abs(changes), abs(float(changes.sum()))
    if not count:
        return 1.0
    if np.ptp(sizes) < 1e-9 * sizes.max():  # only their number matters
        fewer = min(int((changes > 0).sum()), int((changes < 0).sum()))
        return min(1.0, float(2 * sum(comb(count, least) for least in range(fewer + 1)) / 2**count))
    if count > FLIPPED:
        z = max(0.0, seen - float(sizes.min())) / float(np.sqrt((sizes**2).sum()))
        return 2 * NormalDist().cdf(-z)
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(np.abs(sums) >= seen - 1e-9))


def interval_p(change: float, ends: Callable[[float], Ends]) -> float:
    """The least error rate at which the interval of a difference leaves out 0.

    Args:
        change: the difference, which is not 0.
        ends: the interval's ends at a confidence.
    """
    normal = NormalDist()

    def nearest(z: float) -> float:
        """The distance from 0, on the side of the change, of the nearer end of the interval of this width."""
        low, high = ends(2 * normal.cdf(z) - 1)
        return float(low if change > 0 else -high)

    near, far = 0.0, -normal.inv_cdf(LEAST_P / 2)
    left, right = abs(change), nearest(far)
    if right > 0:
        return LEAST_P
    moved = 0
    for _ in range(ROUNDS):  # by false position in Illinois' form: the ends are nearly linear in z
        z = (near * right - far * left) / (right - left)
        end = nearest(z)
        if abs(end) < CLOSE:
            break
        if end > 0:
            near, left, right = z, end, right / 2 if moved > 0 else right
        else:
            far, right, left = z, end, left / 2 if moved < 0 else left
        moved = 1 if end > 0 else -1
    return min(1.0, 2 * normal.cdf(-z))
