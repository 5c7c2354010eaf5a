"""The calculator against Python's own arithmetic, and what it refuses."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.suites.micro.calculator import BadExpression, evaluate_expression

NUMBERS = st.one_of(st.integers(0, 999).map(str), st.decimals(0, 99, places=2).map(str))


def joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(parts, st.sampled_from(["+", "-", "*", "/", " % "]), parts).map("".join)
    return st.one_of(pair, pair.map("({})".format), parts.map("-{}".format), parts.map("({})**2".format))


@given(st.recursive(NUMBERS, joined, max_leaves=8))
def test_it_agrees_with_python(expression: str) -> None:
    exact = re.sub(r"\d+(?:\.\d+)?", lambda found: f"Fraction('{found[0]}')", expression.replace("**2", "**TWO"))
    try:
        expected = eval(exact.replace("TWO", "2"), {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(BadExpression, match="divides by zero"):
            evaluate_expression(expression)
        return
    assert float(evaluate_expression(expression)) == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("150 * 1.10", 165),
        ("0.15 * 230", 34.5),
        ("70 / 1.75 ** 2", 22.85714286),
        ("70 / 1.75^2", 22.85714286),
        ("0.1 + 0.2", 0.3),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("2 ** 3 ** 2", 512),
        ("7 % 3", 1),
        ("1,250 + 1", 1251),
        ("3 × 4 ÷ 6", 2),
        ("sqrt(2)", 1.414213562),
        ("round(2.675, 1)", 2.7),
        ("max(1, 2 + 3)", 5),
        ("2 * pi", 6.283185307),
        ("1e3 + 1", 1001),
        ("48 / 24 =", 2),
    ],
)
def test_known_values(expression: str, value: float) -> None:
    found = evaluate_expression(expression)
    assert found == value
    assert isinstance(found, int) is float(value).is_integer()


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 / 0",
        "0 ** -1",
        "(1",
        "1)",
        "2(3)",
        "1 +",
        "* 2",
        "__import__('os')",
        "abs",
        "sqrt(-1)",
        "(-1) ** 0.5",
        "9 ** 9 ** 9",
        "10 ** 400",
        "(" * 40 + "1" + ")" * 40,
        "1 + " * 100 + "1",
        "min()",
        "sqrt(1, 2)",
        "[].__class__",
        "1 if 1 else 2",
        "15% of 230",
    ],
)
def test_refusals(expression: str) -> None:
    with pytest.raises(BadExpression):
        evaluate_expression(expression)


@given(st.text(alphabet="0123456789+-*/%^(). ,esqrtpimanxround", max_size=40))
def test_any_text_gets_an_answer_or_a_refusal(text: str) -> None:
    with suppress(BadExpression):
        assert math.isfinite(evaluate_expression(text))
