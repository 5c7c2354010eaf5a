"""When a judge calls two values equal."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sealegs.scoring.matching import Values, close, same_facts
from sealegs.tasks.value_matching import LETTER, contains_value, numbers


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (120.5, 120.50, True),
        (120.5, 120.509, True),
        (120.5, 120.9, False),
        (120.5, 122.0, False),
        ("120.5", 120.5, True),
        ("abc", 120.5, False),
        (True, 1, False),
        ("  Lisbon ", "lisbon", True),
        ("2026-03-03T09:00", "2026-03-03T09:00:00", True),
        ("2026-03-03 09:00", "2026-03-03T09:00:00Z", True),
        ("2026-03-03T09:00:30", "2026-03-03T09:00", False),
        ("2026-03-03T09:01", "2026-03-03T09:00", False),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ({"a": 1}, {"a": 1.001}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (None, "", False),
    ],
)
def test_close(left: Any, right: Any, equal: bool) -> None:
    assert close(left, right) is equal


@pytest.mark.parametrize(
    ("text", "equal"),
    [
        ("The total for INV-2041 is 1,204.50.", True),
        ("INV-2041: 1204.5 EUR", True),
        ("INV-2041: 1,304.50", False),
        ("The total is 1204.50", False),
    ],
)
def test_prose_is_compared_by_its_facts(text: str, equal: bool) -> None:
    assert same_facts(text, "Total of invoice INV-2041: 1,204.50") is equal


def test_numbers_in_ids_dates_and_times_are_no_numbers() -> None:
    text = "On 2026-03-06 at 11:30 we paid 1,204.50 for INV-2041, minus 30.5; fee: -7."
    assert numbers(text) == [1204.5, 30.5, -7.0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Receipt RC\u20115513", "RC-5513"),
        ("in all 1\u202f084.20 EUR", 1084.2),
        ("a change of -$5.20", -5.2),
        ("4 March 2026, from 14:30 to 15:30", "2026-03-04T15:30"),
        ("| 4 March | 15:30 |", "2026-03-04T15:30"),
        ("15:30 on Wednesday, 4 March", "2026-03-04T15:30"),
    ],
)
def test_values_are_found_as_people_type_them(text: str, value: object) -> None:
    assert contains_value(text, value)


def test_what_is_paid_is_compared_to_the_cent() -> None:
    assert not close(120.0, 120.5)
    assert not close(0.0161, 0.0067)
    assert not same_facts("", "Please come.")


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-3, 3),
    st.sampled_from(["a", " A", "b", "2", "1.005", "x1"]),
)


@given(st.lists(LEAVES), LEAVES)
def test_a_value_is_among_values_where_it_is_close_to_one(values: list[object], value: object) -> None:
    assert (value in Values(values)) == any(close(value, one) for one in values)


@given(st.text("ab 1_é日", max_size=12), st.text("ab 1_é日", min_size=1, max_size=3))
@example("日 日", "_")
def test_words_are_found_as_a_pattern_would_find_them(text: str, words: str) -> None:
    plain, wanted = " ".join(text.split()), " ".join(words.split())
    pattern = rf"(?<!{LETTER}){re.escape(wanted)}(?!{LETTER})"
    assert not wanted or contains_value(plain, wanted) is bool(re.search(pattern, plain))
