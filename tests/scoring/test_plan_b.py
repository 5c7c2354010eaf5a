"""The verdict on an episode of highwater, and the rates over many."""

from collections.abc import Sequence

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.scoring.highwater_judge import TERMS, HighwaterVerdict, judge_highwater
from sealegs.scoring.highwater_metrics import CLEAN, HighwaterResult, highwater_table
from sealegs.scoring.metric import Row
from sealegs.scoring.row_matching import Reason, ReferenceRows
from sealegs.traces import EpisodeEnded, FaultInjected, Record, Turn

WAYS = (("whole",), ("part", "rest"))
RIGHT = ReferenceRows(("name",), (("Ada",),))
OFF = Failure("unavailable", type="FunctionUnavailable")


def turn(tool: str, shown: Outcome, faulted: bool = False, **arguments: object) -> Turn:
    injections = (FaultInjected(tool, "r", "error", False, True, 0, 0.0, None, None),) if faulted else ()
    return Turn(Call(tool, arguments), None, shown, injections)


def verdict(turns: Sequence[Turn], answer: str | None, end: str = "answered") -> HighwaterVerdict:
    text = None if answer is None else f"<solution>{answer}</solution>"
    record = Record("e", {}, tuple(turns), text, EpisodeEnded(end), ("a",) * len(turns))  # type: ignore[arg-type]
    return judge_highwater(record, RIGHT, WAYS)


REFUSED = turn("whole", OFF, faulted=True)
SEARCHED = turn("search_tools", Value([]))
OTHER = turn("part", OFF, faulted=True)
FLAGS = ("right", "exposed", "gave_up", "searched", "found", "composed", "looped")
PART, REST = turn("part", Value([[1]])), turn("rest", Value([["Ada"]]))


@pytest.mark.parametrize(
    ("turns", "answer", "end", "flags", "term"),
    [
        ([turn("whole", Value([["Ada"]]))], "Ada", "answered", "right", ""),
        ([REFUSED, SEARCHED, PART, REST], "Ada", "answered", "right exposed searched found composed", ""),
        ([REFUSED, PART, REST], "Bo", "answered", "exposed found composed", "wrong answer"),
        ([REFUSED, PART], "Bo", "answered", "exposed found", "did not finish plan B"),
        ([REFUSED, SEARCHED], "Bo", "answered", "exposed searched", "did not find plan B"),
        ([REFUSED], "I could not find it.", "answered", "exposed gave_up", "gave up"),
        ([REFUSED, REFUSED, REFUSED], None, "steps", "exposed looped", "looped"),
        ([REFUSED, PART, REST], None, "steps", "exposed found composed", "cut off"),
        ([turn("other", Value([[1]]))], "Bo", "answered", "", "never exposed"),
        ([turn("part", Value([[1]]))], "Bo", "answered", "", "wrong answer"),
        ([], None, "crashed", "", "crashed"),
        ([OTHER, turn("whole", Value([["Ada"]]))], "Ada", "answered", "right exposed found composed", ""),
        ([PART, REST, REFUSED], "Ada", "answered", "right exposed", ""),
    ],
)
def test_verdicts(turns: list[Turn], answer: str | None, end: str, flags: str, term: str) -> None:
    found = verdict(turns, answer, end)
    flagged = {name for name in FLAGS if getattr(found, name)}
    assert (flagged, found.term) == (set(flags.split()), term)
    assert found.turns == len(turns) + (answer is not None)
    assert term in {"", *TERMS}


def result(problem: int, mode: str, right: bool, exposed: bool = False, turns: int = 2) -> HighwaterResult:
    reason: Reason = "right" if right else "cells"
    judged = HighwaterVerdict(right, reason, exposed, False, turns, 1, exposed, right, right, False, "")
    return HighwaterResult(f"p{problem}", f"d{problem // 2}", "open", mode, 1, judged)


def rows(results: Sequence[HighwaterResult]) -> dict[tuple[str, str], Row]:
    return {(row["mode"], row["metric"]): row for row in highwater_table(results, {"suite": "highwater", "agent": "a"})}


def test_rates() -> None:
    clean = [result(n, CLEAN, n < 8) for n in range(10)]
    faulty = [result(n, "external errors", n < 4, exposed=n != 9, turns=4) for n in range(10)]
    found = rows([*clean, *faulty])
    assert found[CLEAN, "accuracy"]["value"] == 80
    assert found["external errors", "accuracy"]["value"] == 40
    assert found["all", "accuracy_drop"]["value"] == 40
    assert found["all", "accuracy_decrease"]["value"] == 50
    assert found["external errors", "exposed"]["value"] == 90
    assert found["external errors", "recovered"] | {"low": None, "high": None} == {
        "suite": "highwater",
        "agent": "a",
        "level": "open",
        "mode": "external errors",
        "metric": "recovered",
        "value": 44.44,
        "low": None,
        "high": None,
        "n": 9,
    }
    assert found["external errors", "turns"]["value"] == 4
    assert (CLEAN, "recovered") not in found


def test_the_standard_error_is_that_of_clusters() -> None:
    """With p the share of clusters that are right: sqrt(p (1 - p) / clusters)."""
    results = [result(n, CLEAN, (n // 2) % 2 == 0) for n in range(400)]  # 200 clusters of two that agree
    error = rows(results)[CLEAN, "accuracy_se"]["value"]
    assert error == pytest.approx(100 * (0.25 / 200) ** 0.5, rel=0.08)


def test_the_drop_is_paired() -> None:
    alone = [result(n, "external errors", True) for n in range(10, 20)]
    both = [result(n, mode, mode == CLEAN) for n in range(4) for mode in (CLEAN, "external errors")]
    found = rows([*both, *alone])
    assert found["all", "accuracy_drop"]["value"] == 100
    assert found["all", "accuracy_drop"]["n"] == 4


def test_what_is_kept_and_what_is_gained() -> None:
    """Of four that are right without errors, three stay so; of six that are not, one becomes so."""
    clean = [result(n, CLEAN, n < 4) for n in range(10)]
    faulty = [result(n, "external errors", n in (0, 1, 2, 9)) for n in range(10)]
    found = rows([*clean, *faulty])
    assert (found["all", "kept"]["value"], found["all", "kept"]["n"]) == (75, 4)
    assert (found["all", "gained"]["value"], found["all", "gained"]["n"]) == (16.67, 6)
    assert ("all", "gained") not in rows(
        [result(n, mode, True) for n in range(4) for mode in (CLEAN, "external errors")]
    )


def test_all_alike_is_not_certain() -> None:
    row = rows([result(n, CLEAN, True) for n in range(10)])[CLEAN, "accuracy"]
    assert (row["value"], row["high"]) == (100, 100)
    assert row["low"] is not None
    assert 40 < row["low"] < 90
    drop = rows([result(n, mode, True) for n in range(10) for mode in (CLEAN, "external errors")])[
        "all", "accuracy_drop"
    ]
    assert drop["value"] == 0
    assert drop["low"] is not None
    assert drop["high"] is not None
    assert -60 < drop["low"] < -10
    assert drop["high"] == -drop["low"]
