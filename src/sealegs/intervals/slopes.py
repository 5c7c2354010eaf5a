"""The intervals of a regression's slope, and of the ratio of two slopes."""

from __future__ import annotations

from math import sqrt

from sealegs.intervals.quantiles import student_point


def slope_interval(slope: float, variance: float, freedom: float) -> tuple[float, float]:
    """Student's interval at 95 % of an estimate with this variance and these degrees of freedom."""
    half = float(student_point(freedom)) * sqrt(variance)
    return slope - half, slope + half


def ratio_interval(
    above: float, below: float, variances: tuple[float, float], covariance: float, freedom: float
) -> tuple[float, float] | None:
    """All values r for which `above - r * below` may be 0 (Fieller 1954), at 95 %.

    Args:
        above, below: the estimates.
        variances: theirs.
        covariance: of both.
        freedom: degrees of freedom of these.

    Returns:
        The ends; None where `below` may itself be 0, so that the ratio may be any.
    """
    square = float(student_point(freedom)) ** 2
    a = below**2 - square * variances[1]
    b = above * below - square * covariance
    c = above**2 - square * variances[0]
    if a <= 0:
        return None
    root = sqrt(max(0.0, b * b - a * c))
    return (b - root) / a, (b + root) / a
