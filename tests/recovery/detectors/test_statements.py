"""Each kind of statement: what breaks it, how far, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.recovery.detectors.flat_call import FlatCall
from sealegs.recovery.detectors.profiles import KINDS
from sealegs.recovery.detectors.relations import Before, Determined, Echoes, Equation
from sealegs.recovery.detectors.statements import (
    Filled,
    Formed,
    KnownValues,
    NeverNegative,
    OnlyKeys,
    Statement,
    Typed,
    Within,
)
from sealegs.recovery.detectors.text_forms import learn_text_forms


def formed(*texts: str) -> Formed:
    found = learn_text_forms(texts)
    assert found is not None
    return Formed(3, "a", found)


# statement, answer (the argument is always x = 5), how far, words
BROKEN: list[tuple[Statement, Any, int, str]] = [
    (Filled(9, "a"), {}, 1, "a is missing"),
    (Filled(9, "a"), {"a": None}, 0, "a is empty"),
    (Filled(9, "l.a", True), {"l": [{"a": 1}, {"a": ""}]}, 0, "l.a is empty"),
    (OnlyKeys(9, frozenset({"a"})), {"a": 1, "b": 2}, 0, "b was never in an answer"),
    (Typed(9, "a", "number"), {"a": "12"}, 0, "always a number"),
    (Typed(9, "a", "number"), {"a": True}, 0, "always a number"),
    (KnownValues(9, "a", ("open", "paid")), {"a": "shut"}, 0, 'one of "open", "paid"'),
    (formed("ORD-12", "ORD-77"), {"a": "ORD-123"}, 0, "always like 'ORD-12'"),
    (formed("ORD-12", "ORD-77"), {"a": "INV-12"}, 0, "always like"),
    (formed("2026-03-01"), {"a": "01.03.2026"}, 1, "always like"),
    (formed("ORD-12"), {"a": "no such order"}, 2, "always like"),
    (formed("a b", "c d"), {"a": 'File "/srv/app.py", line 3, in fetch: KeyError, and more'}, 2, "always like"),
    (NeverNegative(9, "a", 100.0), {"a": -1}, 0, "never negative"),
    (NeverNegative(9, "a", 100.0), {"a": -150}, 3, "never negative"),
    (Within(9, "a", 10, 20), {"a": 21}, 0, "always from 10 to 20"),
    (Within(9, "a", 10, 20), {"a": 45}, 2, "always from 10 to 20"),
    (Within(9, "a", 1, 100, True), {"a": 0.0001}, 1, "always from 1 to 100"),
    (Within(9, "a", 1, 2, False, ("u", "C")), {"a": 3, "u": "C"}, 1, "where u is C"),
    (Echoes(9, "argument:x", "a"), {"a": 6}, 0, "always repeated the argument x, here 5"),
    (Echoes(9, "b", "a", "opens"), {"a": "DE12", "b": "FR"}, 0, "always began with b"),
    (Echoes(9, "b", "a", "tail"), {"a": "I-AAAA", "b": "J-BBBB"}, 0, "always ended as b"),
    (Echoes(9, "b", "a", "day"), {"a": "2026-03-01T08:00", "b": "2026-03-02"}, 0, "always was on the day of b"),
    (Equation(9, "a", "sum", ("b", "c")), {"a": 9, "b": 3, "c": 4}, 1, "always b + c, here 7"),
    (Equation(9, "a", "percent", ("argument:x", "b")), {"a": 11, "b": 200}, 1, "the argument x % of b, here 10"),
    (Equation(9, "a", "line", ("number of l",)), {"a": 3, "l": [1, 2]}, 1, "always number of l, here 2"),
    (Equation(9, "a", "line", ("mean of l",)), {"a": 3, "l": [1, 2]}, 1, "always mean of l, here 1.5"),
    (Before(9, "a", "b"), {"a": "2026-03-02", "b": "2026-03-01T10:00"}, 0, "after b"),
    (Before(9, "a", "b", False), {"a": 3, "b": 2}, 0, "above b, 2"),
    (Determined(9, "b", "a", {"Oslo": "Norway"}), {"a": "Sweden", "b": "Oslo"}, 0, 'always "Norway"'),
]
KEPT: list[tuple[Statement, Any]] = [
    (Filled(9, "l.a", True), {"l": []}),
    (OnlyKeys(9, frozenset({"a", "b"})), {"a": 1}),
    (KnownValues(9, "a", ("open",)), {"a": None}),
    (formed("ORD-12AB", "ORD-1234"), {"a": "ORD-ABCD"}),
    (formed("Japan", "New Zealand"), {"a": "Korea"}),
    (formed("working_day"), {"a": "weekend"}),
    (Within(9, "a", 1, 2, False, ("u", "C")), {"a": 300, "u": "F"}),
    (Echoes(9, "argument:x", "a"), {"a": 5.0}),
    (Echoes(9, "b", "a", "day"), {"a": "2026-03-01T08:00", "b": "2026-03-01"}),
    (Equation(9, "a", "product", ("b", "c")), {"a": 33.33, "b": 3.333, "c": 10}),
    (Equation(9, "a", "after", ("b", "c")), {"a": 90, "b": 10, "c": 100}),
    (Before(9, "a", "b"), {"a": "2026-03-01", "b": "2026-03-01T10:00"}),
    (Determined(9, "b", "a", {"Oslo": "Norway"}), {"a": "Sweden", "b": "Malmo"}),
]


@pytest.mark.parametrize(("statement", "answer", "far", "words"), BROKEN)
def test_broken(statement: Statement, answer: Any, far: int, words: str) -> None:
    found = statement.breach(FlatCall({"x": 5}, answer))
    assert found is not None
    assert words in found[1]
    assert found[0] == far
    assert statement.family
    assert statement.sort.startswith(statement.kind)


@pytest.mark.parametrize(("statement", "answer"), KEPT)
def test_kept(statement: Statement, answer: Any) -> None:
    assert statement.breach(FlatCall({"x": 5}, answer)) is None


def test_every_kind_is_tried() -> None:
    assert {statement.kind for statement, *_ in BROKEN} == set(KINDS)


def test_a_text_that_holds_json_is_read() -> None:
    assert FlatCall({}, '{"a": [1, 2]}').number("sum of a") == 3
    assert FlatCall({}, "{no").values == {"": ["{no"]}


@given(st.lists(st.text(max_size=12).filter(bool), min_size=1, max_size=8))
def test_no_text_is_off_the_forms_that_it_gave(texts: list[str]) -> None:
    found = learn_text_forms(texts)
    assert found is not None
    assert not [text for text in texts if found.off(text)]
