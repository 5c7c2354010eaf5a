"""Rates of `maze` by hand, and what their intervals count."""

import itertools
from dataclasses import replace

import pytest

from sealegs.intervals.quantiles import binomial_ends
from sealegs.scoring import judge
from sealegs.scoring.maze_metrics import MazeResult, maze_table, paired_difference
from tests.scoring.staged import case, failing, record, right

SUCCESS = judge(record(right("look_up"), right("quick"), right("pay")), case())
RECOVERED = judge(record(right("look_up"), failing("quick"), right("quick"), right("pay")), case("P1"))
LOST = judge(record(right("look_up"), failing("quick")), case("P1"))
UNMET = judge(record(right("look_up"), right("quick"), right("pay")), case("P1"))
CRASHED = judge(record(answer=None, end="crashed"), case("P1"))


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


def test_a_mode_in_which_nobody_met_a_fault_has_neither_a_recovery_rate_nor_a_redundancy() -> None:
    """The tables say `not exposed` there, and the rows must not say 0, which is the best redundancy."""
    unmet = [MazeResult("t", "C1", "P1", 1, UNMET)]
    rows = maze_table(unmet, {"suite": "maze", "agent": "x"})
    for metric in ("prr", "prr_as_published", "rc"):
        assert value(rows, "P1", metric) == value(rows, "all", metric) == (None, 0), metric
    assert value(rows, "P1", "exposed") == (0.0, 1)
    met = maze_table([*unmet, MazeResult("t", "C1", "P2", 1, LOST)], {"suite": "maze", "agent": "x"})
    assert value(met, "P1", "rc") == (None, 0)
    assert value(met, "all", "rc") == (50.0, 2), "over all modes the published mean, in which a fault not met costs 0"


def test_recovery_by_rung_by_hand() -> None:
    outcomes = [
        ("glance", RECOVERED),
        ("glance", LOST),
        ("second_source", LOST),
        ("second_source", UNMET),
        ("", RECOVERED),
    ]
    found = [MazeResult(f"t{i}", "C1", "P3", 1, one, rung) for i, (rung, one) in enumerate(outcomes)]
    rows = maze_table(found, {"suite": "maze", "agent": "x"})
    assert value(rows, "P3", "prr") == (50.0, 4)
    assert value(rows, "P3", "prr_glance") == (50.0, 2)
    assert value(rows, "P3", "prr_second_source") == (0.0, 1), "who met no fault had none to recover from"
    assert value(rows, "all", "prr_glance") == (50.0, 2)
    assert {row["metric"] for row in rows}.isdisjoint({"prr_arithmetic", "prr_across"}), "nobody met one"


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
    assert tsr["low"] == pytest.approx(100 * binomial_ends(20, 20)[0], abs=0.01), "twenty tasks, not forty episodes"


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
    assert (low, value, high) == (-25.89, 0.0, 25.89), "ten alike: a share of 25.89 % that differs is not excluded"
