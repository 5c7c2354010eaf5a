"""Points of distributions, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

from sealegs.intervals.exact_shares import share_interval
from sealegs.intervals.quantiles import binomial_ends, incomplete_beta, normal_point, student_point

CONFIDENCE = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@given(st.floats(0.5, 1e6), CONFIDENCE)
def test_students_point_is_scipys(freedom: float, confidence: float) -> None:
    assert float(student_point(freedom, confidence)) == pytest.approx(
        stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-6
    )


@given(CONFIDENCE)
def test_the_normals_point_is_scipys(confidence: float) -> None:
    assert normal_point(confidence) == pytest.approx(stats.norm.ppf((1 + confidence) / 2), rel=1e-9)


# Of subnormal numbers scipy's has two right digits: for a=1/64, b=2, x=5e-324 it gives 8.97e-6 in place of 9.017e-6.
@given(st.floats(0.01, 500), st.floats(0.01, 500), st.floats(0, 1, allow_subnormal=False))
def test_the_incomplete_beta_of_arrays_is_scipys(a: float, b: float, x: float) -> None:
    found = incomplete_beta(np.full(3, a), b, np.array([x, 0.5, 1.0]))
    assert found == pytest.approx(special.betainc(a, b, np.array([x, 0.5, 1.0])), rel=1e-8, abs=1e-12)


@given(st.integers(0, 400), st.integers(1, 400), CONFIDENCE)
def test_an_end_has_the_mid_p_of_its_tail(hits: int, n: int, confidence: float) -> None:
    """By scipy's binomial distribution and root finder."""
    hits, tail = min(hits, n), (1 - confidence) / 2

    def lower(k: int) -> float:
        if k == 0:
            return 0.0

        def excess(p: float) -> float:
            return float(stats.binom.sf(k, n, p) + stats.binom.pmf(k, n, p) / 2 - tail)

        return float(optimize.brentq(excess, 1e-300, 1 - 1e-16, xtol=1e-14))

    expected = lower(hits), 1 - lower(n - hits)
    assert np.array(binomial_ends(hits, n, confidence)) == pytest.approx(expected, abs=1e-6)


@given(st.floats(0, 1), st.floats(0.05, 1e4))
def test_ends_are_around_the_share_and_widen_with_confidence(share: float, n: float) -> None:
    ends = [binomial_ends(share * n, n, confidence) for confidence in (0.8, 0.95, 0.99)]
    lows, highs = [float(low) for low, _ in ends], [float(high) for _, high in ends]
    assert 0 <= lows[2] <= lows[1] <= lows[0] <= share + 1e-7
    assert share - 1e-7 <= highs[0] <= highs[1] <= highs[2] <= 1


def test_hardly_any_hits_at_high_confidence_end_near_nothing() -> None:
    """An interval of a rank asks for confidences at which the end is below the smallest number."""
    low, high = binomial_ends([0.03, 0.075, 3.97], 4, 1 - 1e-10)
    assert (low[:2] < 1e-75).all()
    assert (high[:2] > 0.99).all()
    assert high[2] == pytest.approx(1)


def test_nothing_says_nothing() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)
