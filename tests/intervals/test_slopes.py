"""Slopes and their ratio: the formulas against a search, and against the simulation of what they promise."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.intervals.known_errors import normal_interval
from sealegs.intervals.quantiles import student_point
from sealegs.intervals.slopes import ratio_interval, slope_interval

numbers = st.floats(-5, 5)


@given(numbers, numbers, st.floats(0.01, 2), st.floats(0.01, 2), st.floats(-0.9, 0.9), st.integers(2, 60))
def test_the_ratio_is_that_at_which_the_difference_may_be_0(
    above: float, below: float, first: float, second: float, alike: float, freedom: int
) -> None:
    """Fieller's ends are the ratios r at which `above - r * below` is as far from 0 as Student's t allows."""
    covariance = alike * sqrt(first * second)
    found = ratio_interval(above, below, (first, second), covariance, freedom)
    point = float(student_point(freedom))
    if found is None:
        assert abs(below) <= point * sqrt(second)
        return
    assert found[0] <= above / below <= found[1]
    for end in found:
        variance = first - 2 * end * covariance + end**2 * second
        assert abs(above - end * below) == pytest.approx(point * sqrt(variance), rel=1e-6, abs=1e-6)


def test_a_slope_and_a_ratio_are_held_in_95_of_100() -> None:
    rng = np.random.default_rng(3)
    draws, n = 4000, 8
    truth, shape = np.array([2.0, 1.0]), np.array([[0.5, 0.2], [0.2, 0.3]])
    held = np.zeros(2)
    for sample in rng.multivariate_normal(truth, shape, size=(draws, n)):
        means, covariances = sample.mean(axis=0), np.cov(sample.T) / n
        low, high = slope_interval(means[0], covariances[0, 0], n - 1)
        held[0] += low <= 2.0 <= high
        ratio = ratio_interval(means[0], means[1], (covariances[0, 0], covariances[1, 1]), covariances[0, 1], n - 1)
        held[1] += ratio is None or ratio[0] <= 2.0 <= ratio[1]
    assert (abs(held / draws - 0.95) < 0.012).all(), held / draws


def test_a_published_error_spans_196_hundredths_to_each_side() -> None:
    assert normal_interval(50.0, 2.0) == pytest.approx((46.08, 53.92), abs=0.001)
