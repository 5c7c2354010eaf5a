"""Two samples of different tasks: levels count alike, and the difference has Newcombe's interval."""

from __future__ import annotations

import numpy as np
import pytest

from sealegs.scoring.cluster_sums import ClusterSums, interval
from sealegs.scoring.independent_sets import independent_interval, levels_alike
from sealegs.scoring.intervals import share_interval
from sealegs.scoring.quantiles import Array


def level(hits: Array | list[int], below: Array | list[int] | None = None) -> ClusterSums:
    """A share in one mode of one level's tasks, of experiments or of one."""
    top = np.asarray(hits, dtype=np.float64)[..., None, None, :]
    whole = np.ones(top.shape) if below is None else np.asarray(below, dtype=np.float64)[..., None, None, :]
    return ClusterSums(top, whole, np.zeros(1, np.intp), np.zeros(top.shape[-1], np.intp), cases=True)


def test_one_level_has_newcombes_interval_of_two_shares() -> None:
    one, other = levels_alike([level([1] * 6 + [0] * 14)], [level([1] * 25 + [0] * 5)], [20])
    low, high = independent_interval(one, other)
    (least, most), (under, over) = share_interval(6, 20), share_interval(25, 30)
    change = 25 / 30 - 6 / 20
    assert low == pytest.approx(change - np.hypot(25 / 30 - under, most - 6 / 20))
    assert high == pytest.approx(change + np.hypot(over - 25 / 30, 6 / 20 - least))


def test_a_level_counts_for_as_many_tasks_as_it_is_given() -> None:
    easy, hard = level([1] * 9 + [0]), level([1] + [0] * 9)
    one, other = levels_alike([easy, hard], [easy, level([1, *[0] * 9] * 5)], [30, 10])
    assert one.value == pytest.approx(0.9 * 0.75 + 0.1 * 0.25)
    assert other.value == pytest.approx(one.value)


def test_a_level_without_a_figure_in_one_sample_counts_in_neither() -> None:
    met, unmet = level([1, 0, 1, 1]), level([0, 0, 0], [0, 0, 0])
    alone = levels_alike([met], [met], [4])
    both = levels_alike([met, level([0, 0, 0])], [met, unmet], [4, 3])
    for mine, theirs in zip(alone, both, strict=True):
        assert mine.value == theirs.value
        assert np.allclose(interval(mine), interval(theirs))
    assert np.isnan(levels_alike([unmet], [met], [1])[0].value)


def test_exchanging_the_samples_turns_the_interval_round() -> None:
    sides = [[level([1, 1, 0]), level([0, 0, 1, 1])], [level([1, 0, 0, 0]), level([1, 1])]]
    one, other = levels_alike(sides[0], sides[1], [1, 1])
    low, high = independent_interval(one, other)
    assert np.allclose(independent_interval(other, one), (-high, -low))
    assert -1 <= low < other.value - one.value < high <= 1


def test_with_one_task_in_each_level_it_is_as_wide_as_without_levels() -> None:
    solved = [1, 1, 0, 0]
    one, other = levels_alike([level([hit]) for hit in solved], [level([hit]) for hit in (1, 1, 1, 0)], [1] * 4)
    plain = levels_alike([level(solved)], [level([1, 1, 1, 0])], [4])
    low, high = independent_interval(one, other)
    least, most = independent_interval(*plain)
    assert low <= least + 1e-9
    assert most - 1e-9 <= high


@pytest.mark.parametrize(
    ("shares", "others", "tasks"),
    [((0.9, 0.5), (0.9, 0.5), 10), ((0.9, 0.8, 0.7, 0.6), (0.6, 0.5, 0.4, 0.3), 1)],
)
def test_it_holds_the_true_difference(shares: tuple[float, ...], others: tuple[float, ...], tasks: int) -> None:
    draw = np.random.default_rng(8)

    def levels(rates: tuple[float, ...]) -> list[ClusterSums]:
        return [level((draw.random((1500, tasks)) < rate).astype(np.float64)) for rate in rates]

    low, high = independent_interval(*levels_alike(levels(shares), levels(others), [1] * len(shares)))
    truth = float(np.mean(others) - np.mean(shares))
    assert np.mean((low <= truth) & (truth <= high)) >= 0.93
