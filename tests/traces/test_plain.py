"""Whatever Python holds becomes JSON that reads back, and nothing raises."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
from collections import OrderedDict, namedtuple
from types import MappingProxyType
from typing import Any
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sealegs.traces.json_data import to_json_data, to_json_object

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
ODD = st.recursive(
    st.floats() | st.binary() | st.complex_numbers() | st.dates() | st.decimals() | st.sets(st.integers()) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.none() | st.integers() | st.floats() | st.binary() | st.text(), inner, max_size=3)
    ),
)


def strict(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


@given(JSON)
def test_json_stays_as_it_is(value: Any) -> None:
    assert to_json_data(value) == value
    assert json.loads(strict(to_json_data(value))) == value


@given(ODD)
def test_anything_becomes_json(value: Any) -> None:
    found = to_json_data(value)
    assert json.loads(strict(found)) == found
    assert to_json_data(found) == found


class Level(enum.IntEnum):
    HIGH = 3


class Name(str):
    """A string of a kind of its own."""


@dataclasses.dataclass
class Point:
    x: int
    y: tuple[int, ...]


class Order(BaseModel):
    id: int
    total: float


class Broken:
    def __str__(self) -> str:
        raise RuntimeError


class Shy:
    def __repr__(self) -> str:
        return "a shy one"


class Unready:
    def model_dump(self) -> Any:
        raise RuntimeError

    def __str__(self) -> str:
        return "unready"


Pair = namedtuple("Pair", "left right")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        ([-math.inf], ["-inf"]),
        (b"text", "text"),
        (b"\xff\x00", "base64:/wA="),
        (bytearray(b"ab"), "ab"),
        ((1, (2,)), [1, [2]]),
        ({3, 1, 2}, [1, 2, 3]),
        ({1: "a", None: "b", (2, 3): "c"}, {"1": "a", "None": "b", "(2, 3)": "c"}),
        (Level.HIGH, 3),
        ({Level.HIGH: Level.HIGH}, {"3": 3}),
        (Name("Ann"), "Ann"),
        (decimal.Decimal("1.10"), "1.10"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (Point(1, (2, 3)), {"x": 1, "y": [2, 3]}),
        (Order(id=1, total=math.inf), {"id": 1, "total": "inf"}),
        (Pair(1, 2), [1, 2]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": 1}), {"a": 1}),
        (Broken(), "<Broken>"),
        (Shy(), "a shy one"),
        (Unready(), "unready"),
        (10**4300, hex(10**4300)),
        ("\ud800", "\ud800"),
        (Point, str(Point)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_has_no_form_for(value: Any, found: Any) -> None:
    assert to_json_data(value) == found
    assert type(to_json_data(value)) is type(found)
    strict(to_json_data(value))


def test_what_pretends_to_be_a_model() -> None:
    assert to_json_data(MagicMock(name="mock")).startswith("<MagicMock")


def test_what_holds_itself_is_cut_off() -> None:
    loop: list[Any] = [1]
    loop += [loop, {"again": loop}]
    assert to_json_data(loop) == [1, "...", {"again": "..."}]
    one = {"name": "shared"}
    assert to_json_data([one, one]) == [one, one]


def test_what_is_too_deep_is_cut_off() -> None:
    deep: Any = "bottom"
    for _ in range(5000):
        deep = [deep]
    text = strict(to_json_data(deep))
    assert text.count("[") == 100
    assert '"..."' in text


def test_a_container_that_cannot_be_walked_through_is_text() -> None:
    class Trap(dict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError

    assert to_json_data(Trap(a=1)) == "{'a': 1}"
    assert to_json_object(Trap(a=1)) == {"text": "{'a': 1}"}


def test_it_is_a_copy() -> None:
    value = {"a": [1, {"b": 2}]}
    found = to_json_data(value)
    value["a"].append(3)
    value["a"][1]["b"] = 4  # type: ignore[index]
    assert found == {"a": [1, {"b": 2}]}
