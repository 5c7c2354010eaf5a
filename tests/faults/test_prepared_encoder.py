"""The prepared encoder writes what `json.JSONEncoder` writes, and refuses what that refuses."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.call import PreparedEncoder, Value, render

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
KEYS = st.text() | st.integers() | st.booleans() | st.none()
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"allow_nan": False}, {"ensure_ascii": False, "default": str})


def written(encoder: json.JSONEncoder, value: Any) -> str:
    try:
        return encoder.encode(value)
    except (TypeError, ValueError) as error:
        return repr(error)


@pytest.mark.parametrize("options", OPTIONS)
@given(value=DATA)
def test_it_writes_what_the_usual_encoder_writes(options: dict[str, Any], value: Any) -> None:
    assert written(PreparedEncoder(**options), value) == written(json.JSONEncoder(**options), value)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("value", [object, math.nan, {"a": math.inf}, {(): 1}, "\ud800", {"ü": "\u2028"}, (1, [2])])
def test_it_refuses_what_the_usual_encoder_refuses(options: dict[str, Any], value: Any) -> None:
    assert written(PreparedEncoder(**options), value) == written(json.JSONEncoder(**options), value)


def test_it_does_without_the_interpreters_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)
    value = {"a": [1, 2.5, "ü", None]}
    assert PreparedEncoder(allow_nan=False).encode(value) == json.dumps(value)


def test_data_that_holds_itself_ends_in_an_error() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(RecursionError):
        PreparedEncoder().encode(circle)
    with pytest.raises(ValueError, match="Circular reference"):
        render(Value(circle))
