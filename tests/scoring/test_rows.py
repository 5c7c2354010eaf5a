"""Final answers against reference rows: a table of judged texts, and what holds for all of them."""

from __future__ import annotations

import json
import math
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sealegs.scoring.answer_cells import Cell, same_cell
from sealegs.scoring.row_matching import ReferenceRows, judge_message, judge_rows
from sealegs.scoring.solution import parse_solution

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "rows.yaml").read_text(encoding="utf-8"))
RIGHT = [(case, text) for case in CASES for text in case["right"]]
WRONG = [(case, text, why) for case in CASES for why, texts in case["wrong"].items() for text in texts]


def reference(case: dict[str, Any]) -> ReferenceRows:
    rows = tuple(tuple(row) for row in case["rows"])
    return ReferenceRows(tuple(case["columns"]), rows, case.get("ordered", False))


def label(value: object) -> str:
    return value["about"] if isinstance(value, dict) else repr(value)[:60]


@pytest.mark.parametrize(("case", "text"), RIGHT, ids=label)
def test_accepted(case: dict[str, Any], text: str) -> None:
    verdict = judge_rows(text, reference(case), case.get("question", ""))
    assert (verdict.right, verdict.reason, verdict.detail) == (True, "right", "")


@pytest.mark.parametrize(("case", "text", "why"), WRONG, ids=label)
def test_rejected(case: dict[str, Any], text: str, why: str) -> None:
    verdict = judge_rows(text, reference(case), case.get("question", ""))
    assert not verdict.right
    assert verdict.reason == why
    assert verdict.detail


def test_the_table_is_a_table() -> None:
    assert len(RIGHT) + len(WRONG) >= 90
    assert {why for _, _, why in WRONG} == {"order", "cells", "rows", "columns", "unreadable", "gave up"}


MESSAGES = [
    ("<solution>5</solution>", "5", "answer", 1),
    ("<thought>hm</thought>\n<solution>\n[1, 2]\n</solution> done", "[1, 2]", "answer", 1),
    ("<solution>5</solution> no, wait: <solution>6</solution>", "6", "answer", 2),
    ("<SOLUTION>5</SOLUTION>", "5", "answer", 1),
    ("< solution >5</ solution >", "5", "answer", 1),
    ("<solution>5", "5", "answer", 1),
    ("<solution>5</solution><solution>6", "6", "answer", 2),
    ("The answer is 5.", "", "missing", 0),
    ("", "", "missing", 0),
    ("</solution>5", "", "missing", 0),
    ("<solution></solution>", "", "gave up", 1),
    ("<solution>None</solution>", "None", "gave up", 1),
    ("<solution>No solution</solution>", "No solution", "gave up", 1),
    ("<solution>No solution found.</solution>", "No solution found.", "gave up", 1),
    ("<solution>I can't answer this</solution>", "I can't answer this", "gave up", 1),
    ("<solution>The functions aren't available.</solution>", "The functions aren't available.", "gave up", 1),
    (
        "<solution>Not possible without the disabled tool</solution>",
        "Not possible without the disabled tool",
        "gave up",
        1,
    ),
    ('<solution>["No solution"]</solution>', '["No solution"]', "answer", 1),
    ("<solution>none</solution>", "none", "answer", 1),
    ("<solution>[]</solution>", "[]", "answer", 1),
    ("<solution>Nobody's Umbrella</solution>", "Nobody's Umbrella", "answer", 1),
    ("<solution>The Fox and the Tool</solution>", "The Fox and the Tool", "answer", 1),
]


@pytest.mark.parametrize(("message", "text", "kind", "given"), MESSAGES)
def test_the_last_solution_of_a_message_counts(message: str, text: str, kind: str, given: int) -> None:
    found = parse_solution(message)
    assert (found.text, found.kind, found.given) == (text, kind, given)


def test_a_message_is_judged_by_its_last_solution() -> None:
    five = ReferenceRows(("n",), ((5,),))
    assert judge_message("<solution>4</solution> or rather <solution>5</solution>", five).right
    assert not judge_message("<solution>5</solution> or rather <solution>4</solution>", five).right
    assert judge_message("It is 5.", five).reason == "missing"
    assert judge_message("<solution>No way to tell</solution>", five).reason == "gave up"


def test_a_title_that_sounds_like_giving_up_is_right_where_it_is_the_answer() -> None:
    assert judge_rows("No Solution", ReferenceRows(("title",), (("No Solution",),))).right


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "(" * 500 + ")" * 500,
        "9" * 10_000,
        "{" * 5000,
        "\x00",
        "[1, 2",
        "{'a': {1}}",
        "b'5'",
        "..." * 9,
        "1 if 2 else 3",
    ],
    ids=lambda text: repr(text)[:20],
)
def test_odd_texts_are_no_answers_and_no_crashes(text: str) -> None:
    assert not judge_rows(text, ReferenceRows(("n",), ((5,),))).right


@pytest.mark.parametrize(
    "part", ["-", "'", "**", " ", "1,", "9", "a:", "[[", "(", "a and ", "- a\n", "|", '{"a":', "is ", "can", "- "]
)
@pytest.mark.parametrize("end", ["", "5", "]"])
def test_time_grows_with_the_length_of_a_text_and_not_with_its_square(part: str, end: str) -> None:
    for reference in (ReferenceRows(("n",), ((4,),)), ReferenceRows(("n", "m"), ((4, 5),))):
        short = long = math.inf
        for _ in range(20):  # a busy machine only ever adds to what it takes, so the least of many tries counts
            short, long = (
                min(least, judging_seconds(part * (length // len(part)) + end, reference))
                for least, length in ((short, 6_250), (long, 100_000))
            )
            if long < 64 * max(short, 0.002):  # 16 times the length; its square would take 256 times as long
                break
        assert long < 64 * max(short, 0.002)


def judging_seconds(text: str, reference: ReferenceRows) -> float:
    """The processor time of a wrong answer's judgement."""
    begin = time.process_time()
    assert not judge_message(f"<solution>{text}</solution>", reference, text).right
    return time.process_time() - begin


WORDS = st.text("abcdefgh", min_size=1, max_size=6).filter(lambda word: word not in {"a", "e"})
NUMBERS = st.integers(-(10**6), 10**6) | st.integers(-(10**7), 10**7).map(lambda number: number / 100)
CELLS: st.SearchStrategy[Cell] = WORDS | NUMBERS


@st.composite
def references(draw: st.DrawFn, least: int = 1) -> ReferenceRows:
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[CELLS] * width), min_size=least, max_size=6))
    return ReferenceRows(tuple("uvw"[:width]), tuple(rows), draw(st.booleans()))


def rendered(reference: ReferenceRows) -> dict[str, str]:
    """The reference in every form that is accepted for any rows."""
    names, rows = reference.columns, reference.rows
    dicts = [dict(zip(names, row, strict=True)) for row in rows]
    bars = "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [names, ["---"] * len(names), *rows])
    forms = {
        "json": json.dumps(rows),
        "python": repr([tuple(row) for row in rows]),
        "objects": json.dumps(dicts),
        "objects, columns turned": json.dumps([dict(reversed(row.items())) for row in dicts]),
        "shouting objects": json.dumps([{name.upper(): cell for name, cell in row.items()} for row in dicts]),
        "columns": json.dumps({name: [row[place] for row in rows] for place, name in enumerate(names)}),
        "wrapped": json.dumps({"answer": rows}),
        "fenced": f"```json\n{json.dumps(rows, indent=1)}\n```",
        "in a sentence": f"The result is {json.dumps(rows)}.",
        "bars": bars,
        "with names": json.dumps([names, *rows]),
        "all text": json.dumps([[str(cell) for cell in row] for row in rows]),
    }
    if len(names) == 1:
        forms["flat"] = json.dumps([row[0] for row in rows])
    if len(rows) == 1:
        forms["one row"] = json.dumps(rows[0])
    if len(rows) == len(names) == 1:
        forms["one value"] = json.dumps(rows[0][0])
        forms["bare value"] = str(rows[0][0])
    return forms


@settings(max_examples=120)
@given(references())
def test_the_reference_is_accepted_in_every_form(reference: ReferenceRows) -> None:
    for form, text in rendered(reference).items():
        assert judge_rows(text, reference).right, (form, text)


@settings(max_examples=120)
@given(references(), st.randoms(use_true_random=False), st.booleans())
def test_shuffled_rows_have_the_same_verdict_where_no_order_is_required(
    reference: ReferenceRows, chance: Any, spoilt: bool
) -> None:
    loose = ReferenceRows(reference.columns, reference.rows)
    rows = [list(row) for row in reference.rows]
    if spoilt:
        rows[0][0] = "zzz"
    shuffled = chance.sample(rows, len(rows))
    assert judge_rows(json.dumps(shuffled), loose).right is judge_rows(json.dumps(rows), loose).right is not spoilt
    strict = judge_rows(json.dumps(shuffled), ReferenceRows(reference.columns, reference.rows, ordered=True))
    assert spoilt or strict.right is (shuffled == rows) or all(map(same_row, shuffled, rows))


def same_row(one: list[Cell], other: list[Cell]) -> bool:
    return all(map(same_cell, one, other))


@settings(max_examples=200)
@given(references(), st.data())
def test_one_changed_cell_is_always_seen(reference: ReferenceRows, data: st.DataObject) -> None:
    rows = [list(row) for row in reference.rows]
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(reference.columns) - 1))
    new = data.draw(CELLS)
    assume(not same_cell(new, rows[row][column]) and not same_cell(rows[row][column], new))
    rows[row][column] = new
    changed = ReferenceRows(reference.columns, tuple(map(tuple, rows)), reference.ordered)
    for form, text in rendered(changed).items():
        assert not judge_rows(text, reference).right, (form, text)


@settings(max_examples=120)
@given(references(least=2), st.data())
def test_a_row_too_many_or_too_few_is_always_seen(reference: ReferenceRows, data: st.DataObject) -> None:
    rows = list(reference.rows)
    fewer = ReferenceRows(reference.columns, tuple(rows[1:]), reference.ordered)
    more = ReferenceRows(reference.columns, (*rows, data.draw(st.sampled_from(rows))), reference.ordered)
    for other in (fewer, more):
        for form, text in rendered(other).items():
            assert not judge_rows(text, reference).right, (form, text)


@settings(max_examples=300)
@given(st.floats(0.001, 1e9), st.integers(2, 6))
def test_rounding_is_accepted_where_it_keeps_most_of_the_number(number: float, places: int) -> None:
    rounded = round(number, places)
    assert same_cell(rounded, number) or abs(rounded - number) > 0.05 * number or number.is_integer()
    assert not same_cell(number * 1.06, number)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.integers())
def test_whole_numbers_are_exact(given: int | float, right: int) -> None:
    assert same_cell(given, right) is (
        given == right or (isinstance(given, float) and math.isclose(given, right, abs_tol=1e-6, rel_tol=0))
    )


@given(st.text(max_size=60))
def test_any_text_gets_a_verdict(text: str) -> None:
    reference = ReferenceRows(("u", "v"), (("not this", 1), ("nor this", 2)), ordered=True)
    assert not judge_rows(text, reference).right


def test_the_page_says_what_happens(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "answers.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out == found[2]
