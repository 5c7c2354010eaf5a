"""The metrics of somebody else's eval under faults, against counts by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sealegs.reports.suite_page import suite_tables
from sealegs.scoring.eval_metrics import EvalResult, eval_table, run_differences
from sealegs.scoring.metric import Row

WHO: Row = {"suite": "inspect:x", "agent": "a"}
CLEAN = [EvalResult(f"s{n}", "NP", 1, solved=n < 8) for n in range(10)]


def faulted(n: int, solved: bool, mode: str = "P1", **more: object) -> EvalResult:
    known = EvalResult(f"s{n}", mode, 1, solved=solved, clean_solved=n < 8, kinds=("error 503",))
    return replace(known, **more)  # type: ignore[arg-type]


def by_metric(results: list[EvalResult]) -> dict[tuple[str, str, str], tuple[float | None, int]]:
    return {(r["level"], r["mode"], r["metric"]): (r["value"], r["n"]) for r in eval_table(results, WHO)}


def test_every_metric_by_hand() -> None:
    arm = [
        faulted(0, True, extra_calls=1, waited=0.5),
        faulted(1, False, extra_calls=-2, early_stop=True),
        faulted(2, False, doubled=1, waited=1.5),
        faulted(3, True, kinds=()),  # the fault did not arrive
        faulted(4, False, invalid="the provider"),
        faulted(5, False, played=False, kinds=()),  # nothing that could be struck
        faulted(8, True),  # not solved without faults, and solved with one
        faulted(9, False),
    ]
    found = by_metric([*CLEAN, *arm])
    assert found["all", "NP", "clean"] == (80.0, 10)
    assert found["all", "NP", "invalid"] == (0.0, 10)
    assert found["all", "P1", "faulted"] == (50.0, 6), "0, 3 and 8 of 0, 1, 2, 3, 8, 9"
    assert found["all", "P1", "kept"] == (33.33, 3), "0 of 0, 1, 2, which were solved cleanly and struck"
    assert found["all", "P1", "exposed"] == (71.43, 7), "all but the invalid one count, the one not played too"
    assert found["all", "P1", "invalid"] == (14.29, 7), "of those that were played"
    assert found["all", "P1", "extra_calls"] == (-0.2, 5)
    assert found["all", "P1", "waits"] == (0.4, 5)
    assert found["all", "P1", "doubled"] == (20.0, 5)
    assert found["all", "P1", "early_stops"] == (20.0, 5)
    assert ("all", "P1", "right_stop") not in found, "no fault was permanent"
    assert found["all", "P1", "faulted_difference"] == (-16.67, 6), "50.0 against 4 of 6: 0, 1, 2 and 3"


def test_a_right_stop_is_counted_beside_the_score_where_the_fault_is_permanent() -> None:
    arm = [faulted(n, False, "P2", lasting=True, right_stop=n < 3) for n in range(4)]
    found = by_metric([*CLEAN, *arm])
    assert found["all", "P2", "right_stop"] == (75.0, 4)
    assert found["all", "P2", "kept"] == (0.0, 4)


def test_kinds_have_cells_of_their_own_and_modes_are_averaged() -> None:
    arm = [faulted(0, True), faulted(1, False), faulted(2, True, kinds=("error 429", "error 503"))]
    arm += [faulted(n, False, "P2") for n in range(3)]
    found = by_metric([*CLEAN, *arm])
    assert found["error 503", "P1", "kept"] == (66.67, 3)
    assert found["error 429", "P1", "kept"] == (100.0, 1)
    assert ("error 429", "P2", "kept") not in found
    assert ("error 503", "P1", "exposed") not in found
    assert found["error 503", "P1", "faulted_difference"] == (-33.33, 3), "2 of the 3 that it struck, all solved before"
    assert found["error 429", "P1", "faulted_difference"] == (0.0, 1)
    assert ("error 503", "all", "faulted_difference") not in found
    assert found["all", "all", "kept"] == (33.33, 6), "the mean of 66.67 and 0"


def test_an_episode_without_a_valid_clean_one_is_in_no_pair() -> None:
    arm = [faulted(0, True, clean_solved=None, extra_calls=9), faulted(1, True, extra_calls=1)]
    clean = [replace(CLEAN[0], invalid="the sandbox"), *CLEAN[1:]]
    found = by_metric([*clean, *arm])
    assert found["all", "P1", "kept"] == (100.0, 1)
    assert found["all", "P1", "extra_calls"] == (1.0, 1)
    assert found["all", "P1", "faulted"] == (100.0, 2)
    assert found["all", "P1", "faulted_difference"][1] == 1


@pytest.mark.parametrize("results", [CLEAN, [replace(one, invalid="x") for one in CLEAN]])
def test_a_run_without_faults_has_the_clean_rows_alone(results: list[EvalResult]) -> None:
    assert {(mode, metric) for _, mode, metric in by_metric(results)} == {("NP", "clean"), ("NP", "invalid")}


def test_two_runs_are_compared_over_what_is_valid_in_both() -> None:
    one = [*CLEAN, *(faulted(n, False) for n in range(4))]
    other = [*CLEAN, *(faulted(n, n > 0) for n in range(3)), faulted(3, True, invalid="x")]
    found = {(r["mode"], r["metric"]): (r["value"], r["n"]) for r in run_differences(one, other, WHO)}
    assert found["P1", "kept_difference"] == (66.67, 3)
    assert found["NP", "clean_difference"] == (0.0, 10)


def test_every_row_has_the_fields_of_the_long_table() -> None:
    for row in eval_table([*CLEAN, *(faulted(n, True) for n in range(3))], WHO):
        assert set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"}
        if row["value"] is not None and row["metric"] != "faulted_difference":
            assert row["low"] is not None
            assert row["high"] is not None
            assert row["low"] <= row["value"] <= row["high"]


def test_one_kind_of_fault_does_not_hide_the_figures_over_all() -> None:
    rows = eval_table([*CLEAN, *(faulted(n, True) for n in range(3))], WHO)
    (table,) = suite_tables(rows)
    assert [(level, mode) for level, mode, _ in table.lines] == [("all", "NP"), ("error 503", "P1"), ("all", "P1")]
