"""The nouns of the seam, and the paths into their data."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import paths
from sealegs.faults.call import Failure, Value, failure_body, render

from .test_kinds import JSON


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Value({"a": "é"}), '{"a": "é"}'),
        (Value("plain {text"), "plain {text"),
        (Value(None), "null"),
        (
            Failure("Gone", type="Gone", status=410, retry_after=2.0, body={"since": "May"}),
            '{"error": {"status": 410, "type": "Gone", "message": "Gone", "retry_after": 2.0, "since": "May"}}',
        ),
        (Failure("No"), '{"error": {"type": "ToolError", "message": "No"}}'),
    ],
)
def test_an_outcome_as_a_tool_message(outcome: Any, text: str) -> None:
    assert render(outcome) == text


def test_a_kept_text_is_that_of_the_very_values() -> None:
    """The texts of failures are kept: values that are equal and written differently have texts of their own."""
    for retry_after in (1, 1.0, True, 1):
        text = render(Failure("Busy", retry_after=retry_after))
        assert text == json.dumps(failure_body(Failure("Busy", retry_after=retry_after)))
    body = {"tries": [1]}
    failure = Failure("Busy", body=body)
    assert '"tries": [1]' in render(failure)
    body["tries"].append(2)
    assert '"tries": [1, 2]' in render(failure)
    assert json.loads(render(Failure("x" * 5000)))["error"]["message"] == "x" * 5000


def test_an_exception_is_no_part_of_a_failure_s_identity() -> None:
    assert Failure("x", exception=ValueError("x")) == Failure("x")
    assert "exception" not in failure_body(Failure("x", exception=ValueError("x")))["error"]


@given(JSON)
def test_every_answer_can_be_rendered(value: Any) -> None:
    text = render(Value(value))
    assert text == value if isinstance(value, str) else json.loads(text) == value


DATA = {"items": [{"price": 1, "tags": ["a"]}, {"price": 2}], "total": 3, "": {"x": 0}}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("total", (3,)),
        ("items.price", (1, 2)),
        ("items.1.price", (2,)),
        ("items.7.price", ()),
        ("items.tags", (["a"],)),
        ("items.tags.0", ("a",)),
        ("missing", ()),
        ("total.deeper", ()),
        ("", (DATA,)),
    ],
)
def test_paths_name_values(path: str, found: tuple[Any, ...]) -> None:
    assert paths.values_at(DATA, path) == found
    if found:
        assert paths.first_value(DATA, path) == found[0]
    else:
        with pytest.raises(KeyError, match=path):
            paths.first_value(DATA, path)


@given(st.sampled_from(["items.price", "items.0.price", "total", "items", "missing", ""]))
def test_replaced_is_new_data(path: str) -> None:
    before = copy.deepcopy(DATA)
    changed = paths.replace_values(DATA, path, lambda _: "new")
    assert before == DATA
    assert all(value == "new" for value in paths.values_at(changed, path))
    assert paths.replace_values(DATA, path, lambda value: value) == DATA


@given(JSON)
def test_each_leaf_is_found_by_its_path(data: Any) -> None:
    for path, leaf in paths.leaves(data):
        assert leaf in paths.values_at(data, path)
