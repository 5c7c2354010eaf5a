"""What a frozen dataclass promises, of those that are made quickly, too."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.frozen import quickly_frozen


@quickly_frozen
class Quick:
    first: Any
    second: int = 2
    third: list[int] = field(default_factory=list)
    apart: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Plain:
    first: Any
    second: int = 2
    third: list[int] = field(default_factory=list)
    apart: int = field(default=0, compare=False)


numbers = st.integers(0, 2)
given_fields = st.fixed_dictionaries(
    {"first": numbers}, optional={"second": numbers, "third": st.lists(numbers, max_size=1), "apart": numbers}
)


@given(given_fields, given_fields)
def test_they_are_made_compared_and_shown_like_others(one: dict[str, Any], other: dict[str, Any]) -> None:
    quick, plain = Quick(**one), Plain(**one)
    assert repr(quick) == repr(plain).replace("Plain", "Quick")
    assert (quick == Quick(**other)) is (plain == Plain(**other))
    assert hash(replace(quick, third=())) == hash(replace(plain, third=()))  # type: ignore[arg-type]
    assert type(quick) is Quick
    assert quick != plain


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, replace, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_is_equal(copied: Any) -> None:
    one = Quick({"a": [1]}, 3, [4], 5)
    again = copied(one)
    assert (again, again.apart, type(again)) == (one, 5, Quick)


def test_a_default_is_made_anew_for_each() -> None:
    assert Quick(1).third is not Quick(1).third


def test_nothing_of_them_can_be_changed() -> None:
    one: Any = Quick(1)
    with pytest.raises(FrozenInstanceError):
        one.second = 3
    with pytest.raises(FrozenInstanceError):
        del one.second
    with pytest.raises(AttributeError):
        object.__setattr__(one, "other", 1)
    assert one == Quick(1)


@pytest.mark.parametrize("given", [{}, {"first": 1, "fourth": 2}])
def test_what_a_class_does_not_take_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"Quick\.__init__\(\) .* argument"):
        Quick(**given)
