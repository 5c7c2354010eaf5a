"""Metrics of any suite: values against sums by hand, and intervals at the edges."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.intervals.exact_shares import share_interval
from sealegs.scoring.metric import (
    Composite,
    Design,
    EpisodeTable,
    Metric,
    difference,
    estimate,
    merged_blocks,
    standard_error,
)


@dataclass(frozen=True)
class Played:
    """An episode as small as one can be."""

    task: str
    mode: str
    met: bool
    done: bool
    calls: int = 1


DESIGN = Design[Played](stratum=lambda one: one.mode, cluster=lambda one: one.task)
DONE = Metric[Played]("done", lambda one: one.done)
MENDED = Metric[Played]("mended", lambda one: one.done, lambda one: one.met)
CALLS = Metric[Played]("calls", lambda one: one.calls, kind="amount")
BOTH = Composite[Played]("both", (DONE, MENDED), less_is_better=("mended",))
PLAYED = st.lists(
    st.builds(
        Played, st.sampled_from("abcde"), st.sampled_from("XYZ"), st.booleans(), st.booleans(), st.integers(1, 9)
    ),
    min_size=1,
    max_size=40,
)


@given(PLAYED)
def test_a_value_is_the_mean_of_the_strata_in_which_something_counts(played: list[Played]) -> None:
    shares = [
        fmean(one.done for one in met)
        for mode in "XYZ"
        if (met := [one for one in played if one.mode == mode and one.met])
    ]
    found = estimate(MENDED, EpisodeTable(played, DESIGN))
    assert found.n == sum(one.met for one in played)
    assert found.value == (pytest.approx(100 * fmean(shares), abs=0.006) if shares else None)


@given(PLAYED)
def test_an_interval_is_around_its_value_and_inside_the_bounds(played: list[Played]) -> None:
    for metric in (DONE, MENDED, BOTH):
        found = estimate(metric, EpisodeTable(played, DESIGN))
        if found.value is not None:
            assert found.low is not None
            assert found.high is not None
            assert 0 <= found.low <= found.value + 0.01
            assert found.value - 0.01 <= found.high <= 100
            assert found.low < found.high, "an interval between 0 and 100 never vanishes"


@given(PLAYED)
def test_parts_are_what_a_filter_of_the_episodes_gives(played: list[Played]) -> None:
    table = EpisodeTable(played, DESIGN)
    estimate(MENDED, table)  # the columns are shared from here on
    for mode, part in table.by(lambda one: one.mode).items():
        alone = EpisodeTable([one for one in played if one.mode == mode], DESIGN)
        assert estimate(MENDED, part) == estimate(MENDED, alone)
        assert list(part) == list(alone)
    few = table.where(lambda one: one.task in "ab")
    assert estimate(BOTH, few) == estimate(BOTH, EpisodeTable([one for one in played if one.task in "ab"], DESIGN))


def test_clusters_that_do_not_count_do_not_narrow_an_interval() -> None:
    met = [Played(f"t{n}", mode, True, True) for n in range(5) for mode in "XY"]
    unmet = [Played(f"u{n}", mode, False, True) for n in range(95) for mode in "XY"]
    found = estimate(MENDED, EpisodeTable([*met, *unmet], DESIGN))
    assert (found.low, found.high) == (pytest.approx(100 * share_interval(5, 5)[0], abs=0.01), 100.0)


def test_an_amount_has_no_bound_and_equal_amounts_no_width() -> None:
    equal = estimate(CALLS, EpisodeTable([Played(str(n), "X", True, True, 7) for n in range(9)], DESIGN))
    assert equal == (7.0, 7.0, 7.0, 9)


def test_a_difference_is_of_the_same_clusters() -> None:
    one = EpisodeTable([Played(str(n), "X", True, n < 3) for n in range(9)], DESIGN)
    other = EpisodeTable([Played(str(n), "X", True, n < 6) for n in range(9)], DESIGN)
    found = difference(DONE, one, other)
    assert found.value == 33.33
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 33.33 <= found.high
    with pytest.raises(ValueError, match="are paired with"):
        difference(DONE, one, other.where(lambda played: played.task != "0"))


def test_a_composite_takes_what_is_better_lower_the_other_way_round() -> None:
    played = [Played(str(n), "X", n < 4, n < 3) for n in range(10)]
    found = estimate(BOTH, EpisodeTable(played, DESIGN))
    assert found.value == pytest.approx((30 + 100 - 75) / 2)


def test_how_many_tasks_a_level_has_is_the_designs() -> None:
    """60, 40, 40 and 40 of 100 tasks each solved: the width is that of chance within the levels."""
    by_level = Design[tuple[int, int, bool]](
        stratum=lambda _: "", cluster=lambda one: one[:2], block=lambda one: one[0]
    )
    solved = Metric[tuple[int, int, bool]]("solved", lambda one: one[2])
    played = [(level, n, n < (60, 40, 40, 40)[level]) for level in range(4) for n in range(100)]
    found = estimate(solved, EpisodeTable(played, by_level))
    assert found.value == 45.0
    assert found.low == pytest.approx(45 - 1.96 * 2.45, abs=0.3)
    assert found.high == pytest.approx(45 + 1.96 * 2.45, abs=0.3)


def test_blocks_that_share_a_cluster_are_one() -> None:
    clusters, blocks = np.array([0, 1, 1, 2, 3, 4, 4]), np.array([0, 0, 1, 1, 2, 3, 2])
    assert list(merged_blocks(clusters, blocks)) == [0, 0, 0, 1, 1]


def test_a_difference_counts_the_episodes_that_its_metric_counts() -> None:
    """Of ten tasks, a fault met the agent in four, and in six when another agent played."""
    one, other = (EpisodeTable([Played(str(n), "X", n < met, n % 2 == 0) for n in range(10)], DESIGN) for met in (4, 6))
    assert difference(DONE, one, other).n == 10
    assert difference(MENDED, one, other).n == difference(MENDED, other, one).n == 6
    assert difference(MENDED, one, other, relative=True).n == 6
    assert difference(BOTH, one, other).n == 10
    unmet = one.where(lambda played: not played.met)
    assert difference(MENDED, unmet, unmet) == (None, None, None, 0)


def test_nothing_gives_no_figure() -> None:
    nothing = EpisodeTable[Played]([], DESIGN)
    assert estimate(DONE, nothing) == estimate(BOTH, nothing) == (None, None, None, 0)
    assert difference(DONE, nothing, nothing) == (None, None, None, 0)


def test_the_standard_error_is_that_of_a_mean() -> None:
    played = [Played(str(n), "X", True, n % 4 == 0) for n in range(400)]
    found = standard_error(DONE, EpisodeTable(played, DESIGN))
    assert found.value == pytest.approx(100 * (0.25 * 0.75 / 400) ** 0.5, rel=0.01)
