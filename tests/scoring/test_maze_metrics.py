"""Rates and intervals, against second formulas and other libraries."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sealegs.scoring import judge
from sealegs.scoring.intervals import cluster_bootstrap, crossed_bootstrap, wilson
from sealegs.scoring.maze_metrics import MazeResult, maze_table, paired_difference
from tests.scoring.staged import case, failing, record, right

SUCCESS = judge(record(right("look_up"), right("quick"), right("pay")), case())
RECOVERED = judge(record(right("look_up"), failing("quick"), right("quick"), right("pay")), case("P1"))
LOST = judge(record(right("look_up"), failing("quick")), case("P1"))
UNMET = judge(record(right("look_up"), right("quick"), right("pay")), case("P1"))
CRASHED = judge(record(answer=None, end="crashed"), case("P1"))


@given(st.integers(0, 400), st.integers(1, 400))
def test_wilson_is_scipys(successes: int, n: int) -> None:
    successes = min(successes, n)
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert wilson(successes, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_bootstrap_of_a_mean_is_near_scipys_and_seeded() -> None:
    values = np.random.default_rng(1).normal(50, 10, size=80)

    def mean(weights: np.ndarray) -> np.ndarray:
        return weights @ values / weights.sum(axis=1)

    ours = cluster_bootstrap(mean, 80, seed=3)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=5).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.7)
    assert ours == cluster_bootstrap(mean, 80, seed=3)
    assert ours != cluster_bootstrap(mean, 80, seed=4)


@pytest.mark.parametrize("over", ["runs", "tasks"])
def test_the_crossed_bootstrap_of_what_one_side_decides_is_the_bootstrap_of_that_side(over: str) -> None:
    runs, tasks = 12, 30
    values = np.random.default_rng(2).normal(50, 10, size=runs if over == "runs" else tasks)
    cells = (np.repeat(values, tasks) if over == "runs" else np.tile(values, runs)).astype(np.float64)

    def mean(weights: np.ndarray) -> np.ndarray:
        return weights @ cells / weights.sum(axis=1)

    found = crossed_bootstrap(mean, runs, tasks, seed=3)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=5).confidence_interval
    assert found == pytest.approx((theirs.low, theirs.high), abs=0.7)


def test_the_crossed_bootstrap_resamples_both_sides() -> None:
    """Against the variance of a mean over runs and tasks with an effect each (Owen 2007: the sum of both sides')."""
    draw = np.random.default_rng(4)
    cells = (draw.normal(0, 3, size=(20, 1)) + draw.normal(0, 5, size=(1, 40))).ravel()

    def mean(weights: np.ndarray) -> np.ndarray:
        return weights @ cells / weights.sum(axis=1)

    low, high = crossed_bootstrap(mean, 20, 40, seed=1)
    table = cells.reshape(20, 40)
    spread = np.sqrt(table.mean(axis=1).var() / 20 + table.mean(axis=0).var() / 40)
    assert high - low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def results() -> list[MazeResult]:
    fault = [RECOVERED, LOST, UNMET, CRASHED]
    clean = [MazeResult(f"t{i}", "C1", "NP", 1, SUCCESS) for i in range(4)]
    return clean + [MazeResult(f"t{i}", "C1", "P1", 1, verdict) for i, verdict in enumerate(fault)]


def value(rows: list, mode: str, metric: str) -> tuple[float | None, int]:  # type: ignore[type-arg]
    row = next(r for r in rows if (r["level"], r["mode"], r["metric"]) == ("all", mode, metric))
    return row["value"], row["n"]


def test_definitions_by_hand() -> None:
    rows = maze_table(results(), {"suite": "maze", "agent": "x"})
    assert value(rows, "P1", "tsr") == (50.0, 4), "recovered and unmet of four; a crash stays in the denominator"
    assert value(rows, "P1", "prr") == (50.0, 2), "one recovered of two exposed"
    assert value(rows, "P1", "rc") == (25.0, 4), "one not recovered of four"
    assert value(rows, "P1", "exposed") == (50.0, 4)
    assert value(rows, "all", "tsr") == (75.0, 8)
    assert value(rows, "all", "composite") == (round((75 + 50 + 100 - 25) / 3, 2), 8)


def test_a_mode_in_which_nobody_met_a_fault_has_no_recovery_rate() -> None:
    rows = maze_table([MazeResult("t", "C1", "P1", 1, UNMET)], {"suite": "maze", "agent": "x"})
    assert value(rows, "P1", "prr") == (None, 0)


def test_intervals_hold_their_values_and_never_vanish() -> None:
    for row in maze_table(results(), {"suite": "maze", "agent": "x"}):
        if row["value"] is not None:
            assert row["low"] is not None
            assert row["high"] is not None
            assert row["low"] <= row["value"] <= row["high"]
    perfect = [MazeResult(f"t{i}", "C1", m, 1, RECOVERED) for i, m in itertools.product(range(20), ("P1", "P2"))]
    tsr = next(
        r for r in maze_table(perfect, {"suite": "maze", "agent": "x"}) if (r["mode"], r["metric"]) == ("all", "tsr")
    )
    assert tsr["low"] == pytest.approx(100 * wilson(20, 20)[0], abs=0.01), "twenty tasks, not forty episodes"


def test_repetitions_of_a_task_do_not_narrow_its_interval() -> None:
    once = [MazeResult(f"t{i}", "C1", "P1", 1, RECOVERED if i % 2 else LOST) for i in range(20)]
    often = [replace(result, epoch=e) for result in once for e in range(1, 11)]

    def width(found: list[MazeResult]) -> float:
        row = next(
            r for r in maze_table(found, {"suite": "maze", "agent": "x"}) if (r["level"], r["metric"]) == ("C1", "tsr")
        )
        assert row["high"] is not None
        assert row["low"] is not None
        return row["high"] - row["low"]

    assert width(often) > 0.8 * width(once)


def test_paired_difference() -> None:
    one = [MazeResult(f"t{i}", "C1", "P1", 1, LOST) for i in range(10)]
    other = [MazeResult(f"t{i}", "C1", "P1", 1, RECOVERED if i < 5 else LOST) for i in range(12)]
    rows = {row["metric"]: row for row in paired_difference(one, other, {"suite": "maze", "agent": "x"})}
    tsr = rows["tsr_difference"]
    assert (tsr["value"], tsr["n"]) == (50.0, 10), "over the ten that both have"
    assert tsr["low"] is not None
    assert tsr["low"] > 0
    same = {row["metric"]: row for row in paired_difference(one, one, {"suite": "maze", "agent": "x"})}
    low, value, high = (same["tsr_difference"][name] for name in ("low", "value", "high"))
    assert (low, value, high) == (-27.75, 0.0, 27.75), "ten alike: a share of 27.75 % that differs is not excluded"
