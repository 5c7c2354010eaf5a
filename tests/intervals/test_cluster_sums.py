"""Intervals of ratios over clusters: properties, second formulas, and how often they hold the truth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sealegs.intervals.cluster_sums import (
    Array,
    ClusterSums,
    decrease_interval,
    interval,
    paired_interval,
    variance,
)
from sealegs.intervals.exact_shares import share_interval
from sealegs.intervals.quantiles import binomial_ends


def one_rate(hits: Array, sizes: Array, block: list[int] | None = None) -> ClusterSums:
    """A share in one mode, of experiments or of one."""
    top, below = (np.asarray(side, dtype=np.float64)[..., None, None, :] for side in (hits, sizes))
    blocks = np.zeros(top.shape[-1]) if block is None else np.array(block)
    return ClusterSums(top, below, np.zeros(1, dtype=np.intp), blocks.astype(np.intp), cases=True)


@st.composite
def drawn_sums(draw: st.DrawFn, runs: int = 1) -> ClusterSums:
    """Shares of some modes, in one part or two, over clusters of two blocks or one."""
    clusters, modes = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    shape = (modes, runs, clusters)
    seed = draw(st.integers(0, 2**32 - 1))
    source = np.random.default_rng(seed)
    below = source.integers(0, 4, size=shape).astype(np.float64)
    below[:, 0, 0] = 1  # something counts in each mode
    top = source.binomial(below.astype(int), source.choice([0.0, 0.2, 0.5, 1.0])).astype(np.float64)
    part = np.sort(source.integers(0, 2, size=modes))
    _, part = np.unique(part, return_inverse=True)
    _, block = np.unique(source.integers(0, 2, size=clusters), return_inverse=True)
    return ClusterSums(top, below, part.astype(np.intp), block.astype(np.intp), cases=True)


@given(st.one_of(drawn_sums(), drawn_sums(runs=3)))
def test_an_interval_holds_its_value_inside_the_bounds_and_widens_with_confidence(sums: ClusterSums) -> None:
    ends = [interval(sums, confidence) for confidence in (0.8, 0.95, 0.99)]
    for (low, high), (lower, higher) in pairwise(ends):
        assert 0 <= lower <= low + 1e-9
        assert low <= sums.value + 1e-9
        assert sums.value - 1e-9 <= high
        assert high - 1e-9 <= higher <= 1
        assert low < high


@given(drawn_sums())
def test_the_order_of_clusters_changes_nothing(sums: ClusterSums) -> None:
    order = np.random.default_rng(len(sums.block)).permutation(len(sums.block))
    other = ClusterSums(sums.top[..., order], sums.below[..., order], sums.part, sums.block[order], cases=True)
    assert interval(other) == pytest.approx(interval(sums), abs=1e-9)


@given(drawn_sums(), st.integers(0, 2**32 - 1))
def test_a_difference_holds_its_value_and_turns_with_its_sides(one: ClusterSums, seed: int) -> None:
    top = np.random.default_rng(seed).binomial(one.below.astype(int), 0.5).astype(np.float64)
    other = ClusterSums(top, one.below, one.part, one.block, cases=True)
    low, high = paired_interval(one, other)
    assert -1 <= low <= other.value - one.value <= high <= 1
    assert low < high
    back = paired_interval(other, one)
    assert (-float(back[1]), -float(back[0])) == pytest.approx((float(low), float(high)), abs=1e-9)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_single_independent_cases_have_the_shares_own_interval(hits: list[int]) -> None:
    found = interval(one_rate(np.array(hits), np.ones(len(hits))))
    assert found == pytest.approx(share_interval(sum(hits), len(hits)), abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=20))
def test_clusters_never_say_more_than_their_cases(clusters: list[tuple[int, int]]) -> None:
    sizes = np.array([size for _, size in clusters])
    hits = np.array([min(hit, size) for hit, size in clusters])
    low, high = interval(one_rate(hits, sizes))
    least, most = share_interval(int(hits.sum()), int(sizes.sum()))
    assert high - low >= most - least - 1e-6


def test_the_variance_is_that_of_the_jackknife() -> None:
    """With one cluster left out in turn, block by block (Wolter 2007): equal to the first order."""
    draw = np.random.default_rng(5)
    block = np.repeat([0, 1, 2], 60)
    below = draw.integers(1, 4, size=(2, 1, 180)).astype(np.float64)
    top = draw.binomial(below.astype(int), np.array([0.9, 0.5, 0.2])[block]).astype(np.float64)
    sums = ClusterSums(top, below, np.zeros(2, dtype=np.intp), block)
    total = 0.0
    for one in range(3):
        members = np.flatnonzero(block == one)
        left = np.array(
            [
                np.mean([(top[m].sum() - top[m, 0, k]) / (below[m].sum() - below[m, 0, k]) for m in range(2)])
                for k in members
            ]
        )
        total += 59 / 60 * ((left - left.mean()) ** 2).sum()
    assert float(variance(sums)) == pytest.approx(total, rel=0.02)


def test_what_the_design_fixes_is_not_counted_as_chance() -> None:
    """A level that is always solved and one that never is: of 2 x 100 tasks half are solved, whichever they are."""
    hits, level = np.repeat([1, 0], 100), [0] * 100 + [1] * 100
    fixed, mixed = interval(one_rate(hits, np.ones(200), level)), interval(one_rate(hits, np.ones(200)))
    assert fixed[1] - fixed[0] < 0.3 * (mixed[1] - mixed[0])


def test_a_rate_over_levels_is_not_narrower_than_its_levels_allow() -> None:
    """60, 40, 40 and 40 of 100 each: the standard error of the mean of four independent shares."""
    hits = np.concatenate([np.repeat([1, 0], [solved, 100 - solved]) for solved in (60, 40, 40, 40)])
    low, high = interval(one_rate(hits, np.ones(400), list(np.repeat(range(4), 100))))
    error = np.sqrt(4 * 0.6 * 0.4 / 100) / 4
    assert float(high - low) == pytest.approx(2 * 1.96 * error, rel=0.03)


def test_one_agent_twice_differs_by_no_more_than_was_not_seen() -> None:
    same = one_rate(np.repeat([1, 0], 5), np.ones(10))
    low, high = paired_interval(same, same)
    most = float(binomial_ends(0, 10)[1])
    assert (float(low), float(high)) == pytest.approx((-most, most))


def test_a_large_sample_has_the_intervals_of_the_normal() -> None:
    draw = np.random.default_rng(8)
    first, second = (draw.random((2, 20_000)) < np.array([[0.7], [0.5]])).astype(np.float64)
    one, other, ones = first, second, np.ones(20_000)
    changed = other - one
    error = changed.std(ddof=1) / np.sqrt(len(changed))
    low, high = paired_interval(one_rate(one, ones), one_rate(other, ones))
    assert (float(low), float(high)) == pytest.approx(
        (changed.mean() - 1.96 * error, changed.mean() + 1.96 * error), abs=2e-4
    )
    ratio = other.mean() / one.mean()
    error = (other - ratio * one).std(ddof=1) / one.mean() / np.sqrt(len(one))
    low, high = decrease_interval(one_rate(one, ones), one_rate(other, ones))
    assert (float(low), float(high)) == pytest.approx((1 - ratio - 1.96 * error, 1 - ratio + 1.96 * error), abs=5e-4)


def test_an_amount_has_students_interval_of_its_logarithm() -> None:
    calls = np.array([3.0, 4, 4, 5, 7, 9])
    sums = ClusterSums(calls[None, None], np.ones((1, 1, 6)), np.zeros(1, np.intp), np.zeros(6, np.intp), bounded=False)
    error = stats.t.ppf(0.975, 5) * stats.sem(calls) / calls.mean()
    low, high = interval(sums)
    assert np.log([low, high]) == pytest.approx(np.log(calls.mean()) + np.array([-error, error]))
    turned = ClusterSums(sums.below, sums.top, sums.part, sums.block, bounded=False)
    assert np.array(interval(turned)) == pytest.approx([1 / high, 1 / low], rel=1e-9)


@pytest.mark.parametrize("shift", [-10.0, -5.0, 0.0])
def test_an_amount_that_may_be_negative_has_plain_students_interval(shift: float) -> None:
    calls = np.array([-1.0, 0, 0, 2, 4, 9]) + shift
    sums = ClusterSums(calls[None, None], np.ones((1, 1, 6)), np.zeros(1, np.intp), np.zeros(6, np.intp), bounded=False)
    half = stats.t.ppf(0.975, 5) * stats.sem(calls)
    assert np.array(interval(sums)) == pytest.approx([calls.mean() - half, calls.mean() + half])


def covered(low: Array, high: Array, truth: float) -> float:
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize(("share", "tasks", "alike"), [(0.5, 4, 0.3), (0.9, 10, 0.3), (0.98, 20, 0.7), (0.8, 3, 0.1)])
def test_rates_with_epochs_hold_the_truth(share: float, tasks: int, alike: float) -> None:
    """Where the percentile bootstrap holds it in 77 to 87 % of the experiments."""
    draw, scale = np.random.default_rng(11), 1 / alike - 1
    rates = draw.beta(share * scale, (1 - share) * scale, size=(3000, tasks))
    low, high = interval(one_rate(draw.binomial(5, rates), np.full((3000, tasks), 5.0)))
    assert covered(low, high, share) > 0.93


@pytest.mark.parametrize(
    ("one", "other", "tasks"), [(0.92, 0.97, 10), (0.6, 0.75, 6), (0.95, 0.95, 20), (0.3, 0.1, 40)]
)
def test_paired_differences_hold_the_truth(one: float, other: float, tasks: int) -> None:
    """Where the percentile bootstrap holds it in 77 to 91 % of the experiments with few tasks."""
    draw = np.random.default_rng(12)
    rates = draw.beta(2 * one, 2 * (1 - one), size=(3000, tasks))
    likewise = rates * other / one if other <= one else 1 - (1 - rates) * (1 - other) / (1 - one)
    ones = np.ones(rates.shape)
    first, second = ((draw.random(rates.shape) < p).astype(np.float64) for p in (rates, likewise))
    low, high = paired_interval(one_rate(first, ones), one_rate(second, ones))
    assert covered(low, high, other - one) > 0.935


def test_rates_over_levels_hold_the_truth() -> None:
    shares, tasks = np.array([0.99, 0.95, 0.9, 0.5]), 5
    level = np.repeat(range(4), tasks)
    hits = (np.random.default_rng(13).random((3000, 4 * tasks)) < shares[level]).astype(np.float64)
    low, high = interval(one_rate(hits, np.ones(hits.shape), list(level)))
    assert 0.93 < covered(low, high, float(shares.mean())) < 0.985


def test_several_runs_hold_the_truth() -> None:
    """Three models and many tasks: nearly all of the chance is in the models."""
    draw = np.random.default_rng(14)
    models = draw.beta(16, 4, size=(3000, 1, 3, 1))
    won = (draw.random((3000, 1, 3, 60)) < models).astype(np.float64)
    sums = ClusterSums(won, np.ones(won.shape), np.zeros(1, np.intp), np.zeros(60, np.intp), cases=True)
    assert covered(*interval(sums), 0.8) > 0.93


def test_levels_without_a_success_do_not_draw_the_lower_end_up() -> None:
    """Two successes of twelve tasks, in two of four levels: 3 % is as likely as in twelve tasks of one level."""
    won = np.zeros((1, 1, 12))
    won[..., [0, 3]] = 1
    sums = ClusterSums(won, np.ones_like(won), np.zeros(1, np.intp), np.repeat(np.arange(4), 3), cases=True)
    low, high = interval(sums)
    assert low < 0.04 < 0.4 < high
    many = np.zeros((1, 1, 12))
    many[..., [0, 1, 3, 4, 6, 9]] = 1  # where half of them succeed nothing changes
    same = ClusterSums(many, np.ones_like(many), np.zeros(1, np.intp), np.repeat(np.arange(4), 3), cases=True)
    assert interval(same)[1] - interval(same)[0] < 0.6


def test_runs_that_are_alike_by_chance_are_not_taken_for_certain() -> None:
    """Three runs on 40 tasks, no further apart than tasks alone make them."""
    draw = np.random.default_rng(3)
    found = []
    for _ in range(200):
        won = (draw.random((1, 3, 40)) < 0.7).astype(float)
        sums = ClusterSums(won, np.ones_like(won), np.zeros(1, np.intp), np.zeros(40, np.intp), cases=True)
        low, high = interval(sums)
        found.append(float(high - low))
    assert np.mean(np.array(found) > np.min(found) * 1.3) > 0.4, "most are wider than what tasks alone leave open"
