"""Forecasts: ranges that hold what comes."""

from __future__ import annotations

import random

import pytest

from sealegs.intervals.prediction import predicted_sum, student_ends
from sealegs.intervals.quantiles import student_point


def test_the_interval_of_what_is_left_holds_it_in_95_percent() -> None:
    rng = random.Random(5)
    held = 0
    for _ in range(600):
        seen = [rng.gammavariate(4, 3_000) for _ in range(12)]
        low, high = predicted_sum(seen, 40)
        held += low <= sum(rng.gammavariate(4, 3_000) for _ in range(40)) <= high
    assert 0.91 <= held / 600 <= 0.985


@pytest.mark.parametrize("freedom", [2, 3, 5, 11, 200])
def test_the_ends_are_those_of_students_distribution(freedom: int) -> None:
    assert student_ends(freedom) == pytest.approx(float(student_point(freedom)), rel=0.04)
