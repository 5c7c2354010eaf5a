"""Which arguments ask for the same."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.equal import SHORT, SPECS, ArgumentMemory, WrittenFields, arguments_key, draw_key
from sealegs.faults.matchers import equal_json
from sealegs.faults.spec import ToolSpec

SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {},
        "memo": {"default": ""},
        "count": {"default": 1},
        "ref": {"type": "string"},
        "key": {},
    },
}
PAY = ToolSpec("pay", key="key", parameters=SCHEMA)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
ARGUMENTS = st.dictionaries(st.sampled_from(["amount", "memo", "count", "ref", "key", "more"]), VALUES)


def equal(left: dict[str, Any], right: dict[str, Any], spec: ToolSpec | None = PAY) -> bool:
    return arguments_key(left, spec) == arguments_key(right, spec)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"amount": 10.0}, {"amount": 10}),
        ({"amount": 10.0}, {"amount": "10"}),
        ({"amount": 10}, {"amount": "10.00"}),
        ({"amount": 0.1}, {"amount": " 0.1 "}),
        ({"amount": 1e23}, {"amount": "1e+23"}),
        ({"amount": -0.0}, {"amount": 0}),
        ({"amount": Decimal("5.50")}, {"amount": 5.5}),
        ({"amount": [1, {"a": 2.0}]}, {"amount": (1.0, {"a": "2"})}),
        ({"amount": 5, "memo": "a"}, {"memo": "a", "amount": 5}),
        ({"amount": 5}, {"amount": 5, "memo": ""}),
        ({"amount": 5}, {"amount": 5, "count": "1.0"}),
        ({"amount": 5}, {"amount": 5, "key": None}),
        ({"amount": 5, "key": "a"}, {"amount": 5, "key": "b"}),
        ({"ref": "5"}, {"ref": 5.0}),
    ],
)
def test_one_wish_in_two_forms(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"amount": 1}, {"amount": True}),
        ({"amount": 0}, {"amount": False}),
        ({"amount": 0}, {"amount": None}),
        ({"amount": None}, {}),
        ({"amount": None}, {"amount": "None"}),
        ({"amount": True}, {"amount": "True"}),
        ({"amount": 7}, {"amount": "007"}),
        ({"amount": 9000}, {"amount": "9e3"}),
        ({"amount": 12345678901234567890}, {"amount": "12345678901234567891"}),
        ({"amount": [1]}, {"amount": "[#1]"}),
        ({"amount": 1}, {"amount": "#1"}),
        ({"amount": [1, 2]}, {"amount": [2, 1]}),
        ({"amount": "ann"}, {"amount": "Ann"}),
        ({"amount": 5, "memo": "x"}, {"amount": 5}),
        ({"ref": "1.10"}, {"ref": "1.1"}),
        ({"amount": 5}, {"ref": 5}),
    ],
)
def test_two_wishes(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert not equal(left, right)


def test_without_a_schema_nothing_is_left_out() -> None:
    assert not equal({"memo": ""}, {}, None)
    assert not equal({"key": "a"}, {"key": "b"}, None)
    assert not equal({"": 1}, {"": 2}, None)
    assert equal({"amount": 5}, {"amount": "5.0"}, None)


def test_what_cannot_be_read_is_itself() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise ValueError

    odd, circle = Odd(), []  # type: ignore[var-annotated]
    circle.append(circle)
    for value in (odd, circle, float("nan"), float("inf"), 10**5000, Decimal("1e999999"), "9" * 5000, {1, 2}, b"a"):
        assert equal({"amount": value}, {"amount": value})
    assert not equal({"amount": odd}, {"amount": Odd()})


@given(ARGUMENTS)
def test_the_way_over_json_changes_nothing(arguments: dict[str, Any]) -> None:
    assert equal(arguments, json.loads(json.dumps(arguments)))


@given(ARGUMENTS)
def test_neither_order_nor_the_key_nor_a_spelt_out_default_counts(arguments: dict[str, Any]) -> None:
    backwards = dict(reversed(arguments.items()))
    assert equal(arguments, {"memo": "", "count": 1, **backwards, "key": "another"})


@given(VALUES, VALUES)
def test_what_is_equal_as_json_is_equal(left: Any, right: Any) -> None:
    if equal_json(left, right):
        assert equal({"amount": left}, {"amount": right})


@given(st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_is_that_number(number: float) -> None:
    assert equal({"amount": number}, {"amount": str(number)})


@given(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_count_by_value(whole: int, number: float) -> None:
    assert equal({"amount": whole}, {"amount": number}) == (whole == number)
    assert equal({"amount": int(number)}, {"amount": number}) == (int(number) == number)
    assert not equal({"amount": bool(whole)}, {"amount": whole})


@given(st.text(), st.text())
def test_texts_that_are_no_numbers_are_equal_letter_by_letter(left: str, right: str) -> None:
    assert equal({"ref": left}, {"ref": right}) == (left == right)
    assert equal({"amount": f"a{left}"}, {"amount": f"a{right}"}) == (left == right)


@given(left=ARGUMENTS, right=ARGUMENTS)
def test_a_key_for_draws_tells_apart_what_asks_for_something_else(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert (draw_key(left, PAY) == draw_key(right, PAY)) == equal(left, right)
    assert len(draw_key(left, PAY)) <= SHORT


def test_a_key_for_draws_is_the_same_in_every_process() -> None:
    assert draw_key({"amount": object()}) == draw_key({"amount": object()})
    assert draw_key({"amount": "x" * 10_000}) == "8e994b85654652eacb1b8d09fd5764cc"


def nested(levels: int, inner: Any, name: str = "it's") -> Any:
    """Objects in lists in objects, with what each `repr` has to escape."""
    for _ in range(levels):
        inner = {name: [inner, "\\"]}
    return inner


def test_a_key_grows_no_faster_than_what_it_is_for() -> None:
    for levels in (12, 60):
        assert len(arguments_key({"more": nested(levels, 1)})) < 100 * levels


@pytest.mark.parametrize("levels", [5, 11, 40])
def test_what_is_nested_deeply_is_told_apart(levels: int) -> None:
    assert equal({"more": nested(levels, "1.0")}, {"more": nested(levels, 1)})
    assert not equal({"more": nested(levels, 1)}, {"more": nested(levels, 2)})
    assert not equal({"more": nested(levels, 1)}, {"more": nested(levels + 1, 1)})


def test_an_object_within_a_long_one_counts_as_any_other_of_its_class_in_draws() -> None:
    one, other = {"more": nested(11, object())}, {"more": nested(11, object())}
    assert draw_key(one) == draw_key(other)
    assert arguments_key(one) != arguments_key(other)


def escaped(levels: int, leaf: Any, first: str = "a") -> Any:
    """Objects in one another, each with a text that a form has to escape; `first`: which key is written first."""
    value = leaf
    for _ in range(levels):
        value = {"a": value, "b": 'say "x"'} if first == "a" else {"b": 'say "x"', "a": value}
    return value


@pytest.mark.parametrize("levels", [7, 8, 9, 30, 150])
def test_objects_in_one_another_have_a_key_of_a_length_that_does_not_double_with_each(levels: int) -> None:
    key = arguments_key({"x": escaped(levels, 1)})
    assert len(key) < 10_000
    assert key == arguments_key({"x": escaped(levels, 1.0, first="b")})
    assert key != arguments_key({"x": escaped(levels, 2)})
    assert key != arguments_key({"x": escaped(levels + 1, 1)})


def test_the_key_of_objects_is_as_it_was_since_draws_depend_on_it() -> None:
    found = arguments_key({"x": {"a": {"b": ["10", {"c": 1.0}]}}})
    assert (
        found == "[('x', '[(\\'a\\', \\'[(\\\\\\'b\\\\\\', \"[#10, [(\\\\\\'c\\\\\\', \\\\\\'#1\\\\\\')]]\")]\\')]')]"
    )


def test_what_is_kept_of_fields_is_bounded_and_belongs_to_its_spec() -> None:
    text = {"type": "object", "properties": {"of": {"type": "string"}}}
    for number in range(2 * SPECS):  # each is gone at once, so that its id comes again
        spec = ToolSpec("t", parameters=text if number % 2 else {"properties": {"of": {"default": 1}}})
        assert arguments_key({"of": "1.0"}, spec) == ("[('of', \"'1.0'\")]" if number % 2 else "[]")
    fields = WrittenFields(ToolSpec("t", parameters=text))
    for number in range(100):  # an agent may name any
        assert fields.key({f"of-{number}": 1, "of": "2"}) == f"[('of', \"'2'\"), ('of-{number}', '#1')]"
    assert set(fields) == {"of"}


class Unshown:
    """An object that can neither say what it is nor be hashed."""

    def __repr__(self) -> str:
        raise ValueError("not yet")

    def __hash__(self) -> int:
        raise ValueError("no id yet")


def test_an_object_that_cannot_say_what_it_is_counts_as_any_other_of_its_class_in_draws() -> None:
    one, other = Unshown(), Unshown()
    assert draw_key({"a": one}) == draw_key({"a": other})
    assert arguments_key({"a": one}) != arguments_key({"a": other})
    assert ArgumentMemory(None).known({"a": one}).key == draw_key({"a": other})
