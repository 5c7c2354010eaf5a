"""Verdicts on pass rates: against scipy, by brute force over all ends of a run, and by simulation of stopped runs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sealegs.intervals.pass_rates import (
    ERROR,
    all_pass,
    confidence_sequence,
    decide,
    runs_to_hold,
    settled,
)

REQUIRED = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 1.0])


@given(st.integers(1, 60), st.data(), REQUIRED)
def test_the_verdict_is_that_of_the_exact_binomial_test(n: int, data: st.DataObject, required: float) -> None:
    passes = data.draw(st.integers(0, n))
    if required == 1:
        assert decide(passes, n, required) == ("held" if passes == n else "weakness")
        return
    higher = stats.binomtest(passes, n, required, alternative="greater").pvalue
    lower = stats.binomtest(passes, n, required, alternative="less").pvalue
    expected = "held" if higher <= ERROR else "weakness" if lower <= ERROR else "inconclusive"
    assert decide(passes, n, required) == expected


def test_no_run_says_nothing() -> None:
    assert decide(0, 0, 0.8) == "inconclusive"
    assert not settled(0, 0, 5, 0.8)
    assert confidence_sequence(0, 0) == (0.0, 1.0)


@given(st.integers(0, 12), st.integers(0, 10), st.data(), REQUIRED)
def test_runs_are_settled_only_where_no_end_changes_the_verdict(
    n: int, left: int, data: st.DataObject, required: float
) -> None:
    passes = data.draw(st.integers(0, n))
    ends = {decide(passes + more, n + counted, required) for counted in range(left + 1) for more in range(counted + 1)}
    assert settled(passes, n, left, required) == (left == 0 or (n > 0 and len(ends) == 1))


@pytest.mark.parametrize("required", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("runs", [10, 20, 60])
def test_a_stopped_experiment_errs_as_seldom_as_a_whole_one(required: float, runs: int) -> None:
    """Agents that pass exactly as often as required: each verdict at most 5 %, and the same as of all runs."""
    draws = np.random.default_rng(7).random((4000, runs)) < required
    verdicts: list[str] = []
    saved = 0
    for row in draws:
        passes = n = 0
        for n, passed in enumerate(row, 1):
            passes += int(passed)
            if settled(passes, n, runs - n, required):
                break
        saved += runs - n
        verdicts.append(decide(passes, n, required))
        assert verdicts[-1] == decide(int(row.sum()), runs, required), "stopping changed the verdict"
    slack = 3 * (ERROR * (1 - ERROR) / len(draws)) ** 0.5
    assert verdicts.count("held") / len(draws) <= ERROR + slack
    assert verdicts.count("weakness") / len(draws) <= ERROR + slack
    assert saved > 0


def test_stopping_saves_most_where_an_agent_is_weak() -> None:
    passes = n = 0
    for n in range(1, 21):
        if settled(passes, n, 20 - n, 0.8):
            break
    assert n == 8, "eight failures of twenty cannot be 80 % any more"


def test_unequal_inputs_make_the_test_err_less_often() -> None:
    """Hoeffding (1956): with the same mean, runs of different inputs spread less than equal ones."""
    chances = np.array([1.0] * 15 + [0.2] * 5)
    draws = (np.random.default_rng(3).random((20_000, 20)) < chances).sum(axis=1)
    wrong = [decide(int(passes), 20, float(chances.mean())) for passes in draws]
    assert wrong.count("held") / len(wrong) <= ERROR
    assert wrong.count("weakness") / len(wrong) <= ERROR


@pytest.mark.parametrize("rate", [0.3, 0.8, 0.97])
def test_the_sequence_holds_the_rate_at_whatever_run_one_stops(rate: float) -> None:
    """Coverage at all of 200 runs at once is 95 % or more; that of intervals of a fixed size is not."""
    draws = np.cumsum(np.random.default_rng(11).random((1500, 200)) < rate, axis=1)
    ends = {(s, n): confidence_sequence(s, n) for n in range(1, 201) for s in set(draws[:, n - 1].tolist())}
    held = sum(all(ends[int(s), n][0] <= rate <= ends[int(s), n][1] for n, s in enumerate(row, 1)) for row in draws)
    assert held / len(draws) >= 0.95


@given(st.integers(1, 200), st.data())
def test_the_sequence_s_ends_are_where_the_likelihood_ratio_says(n: int, data: st.DataObject) -> None:
    passes = data.draw(st.integers(0, n))
    low, high = confidence_sequence(passes, n)
    assert 0 <= low <= passes / n <= high <= 1
    for end, there in ((low, low > 0), (high, high < 1)):
        if there:
            ratio = stats.binom.pmf(passes, n, end) * (n + 1)
            assert ratio == pytest.approx(ERROR, rel=1e-3)


@pytest.mark.parametrize(("required", "runs"), [(0.8, 14), (0.9, 29), (0.95, 59), (0.99, 299)])
def test_so_many_passed_runs_hold(required: float, runs: int) -> None:
    assert runs_to_hold(required) == runs
    assert decide(runs, runs, required) == "held"
    assert decide(runs - 1, runs - 1, required) == "inconclusive"


def test_no_number_of_runs_shows_that_all_pass() -> None:
    assert runs_to_hold(1.0) is None


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=7), min_size=1, max_size=5), st.integers(1, 5))
def test_pass_to_the_k_is_the_share_of_choices_that_all_pass(inputs: list[list[bool]], k: int) -> None:
    shares = []
    for runs in inputs:
        chosen = list(combinations(runs, k))
        if chosen:
            shares.append(sum(map(all, chosen)) / len(chosen))
    chance, counted = all_pass([(sum(runs), len(runs)) for runs in inputs], k)
    assert counted == len(shares)
    assert chance == (pytest.approx(sum(shares) / len(shares)) if shares else None)
