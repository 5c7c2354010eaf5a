"""The nine implicit kinds: verified, detectable, and where they hurt."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import implicit_corruptions, paths
from sealegs.faults.call import Value
from sealegs.faults.corruption import FAMILIES, Corruption
from sealegs.faults.invariants import same_shape
from sealegs.faults.kinds import KINDS, applicable_kinds
from sealegs.faults.spec import ToolSpec

from .driver import Driven, drive
from .trip import CALL, PLACES, SPEC, TRUTH, book_trip, booked, setting, using

# For each kind, a field that only a corruption of this tool by that kind may be asked to change.
USED = {
    "physics_violation": "distance_km",
    "tool_leakage": "note",
    "irrelevant_response": "city",
    "statistical_inconsistency": "hotel_count",
    "internal_contradiction": "nights",
    "missing_required_fields": "hotels.name",
    "logic_violation": "status",
    "temporal_contradiction": "check_in",
    "fact_contradiction": "country",
}
OTHERS = [booked(city) for city in PLACES if city != "Oslo"]


def inject(kind: str, seed: object, spec: ToolSpec | None = SPEC, **parameters: Any) -> Driven:
    return drive(KINDS[kind](kind=kind, **parameters).act(CALL, setting(seed, spec)), book_trip)


def value_of(driven: Driven) -> Any:
    assert isinstance(driven.shown, Value)
    return driven.shown.value


def test_the_nine_are_those_of_the_table() -> None:
    assert set(FAMILIES) == set(implicit_corruptions()) == set(USED)
    assert {kind for kind, fault in KINDS.items() if issubclass(fault, Corruption)} == set(FAMILIES)


@pytest.mark.parametrize("kind", FAMILIES)
@given(seed=st.integers(0, 10**6))
def test_a_corruption_can_be_recognised_from_the_answer_alone(kind: str, seed: int) -> None:
    wrong = value_of(inject(kind, seed))
    assert SPEC.violations(CALL.arguments, TRUTH) == ()
    assert kind in {violation.family for violation in SPEC.violations(CALL.arguments, wrong)}
    assert same_shape(TRUTH, wrong)


@pytest.mark.parametrize("kind", FAMILIES)
@given(seed=st.integers(0, 10**6))
def test_a_used_value_is_changed(kind: str, seed: int) -> None:
    used = USED[kind]
    wrong = value_of(inject(kind, seed, using(used)))
    assert paths.values_at(wrong, used) != paths.values_at(TRUTH, used)
    assert kind in {violation.family for violation in SPEC.violations(CALL.arguments, wrong)}


@pytest.mark.parametrize("kind", FAMILIES)
def test_what_cannot_be_verified_is_not_shown(kind: str) -> None:
    driven = inject(kind, 0, using("nothing.here"))
    assert driven.shown == Value(TRUTH)
    assert kind not in applicable_kinds(using("nothing.here"), CALL.arguments, TRUTH, (1,), OTHERS)


@pytest.mark.parametrize("kind", ["tool_leakage", "missing_required_fields"])
def test_two_kinds_need_no_declaration(kind: str) -> None:
    bare = dataclasses.replace(SPEC, invariants=(), returns={}, examples=())
    for spec in (None, bare):
        wrong = value_of(inject(kind, 3, spec))
        assert wrong != TRUTH
        assert same_shape(TRUTH, wrong)


@pytest.mark.parametrize("kind", sorted(set(FAMILIES) - {"tool_leakage", "missing_required_fields"}))
def test_the_others_do(kind: str) -> None:
    bare = dataclasses.replace(SPEC, invariants=(), examples=())
    assert inject(kind, 3, bare).shown == Value(TRUTH)


def test_fitting_names_what_will_be_delivered() -> None:
    assert applicable_kinds(SPEC, CALL.arguments, TRUTH, ("task", 1), OTHERS) == FAMILIES
    assert applicable_kinds(SPEC, CALL.arguments, TRUTH, ("task", 1), {"Kyoto": OTHERS[1]}) == FAMILIES
    without = applicable_kinds(SPEC, CALL.arguments, TRUTH, ("task", 1))
    assert set(FAMILIES) - set(without) == {"irrelevant_response"}


@given(used=st.sampled_from(sorted(set(TRUTH))), seed=st.integers(0, 10**6))
def test_what_fits_is_delivered_under_any_stream(used: str, seed: int) -> None:
    spec = using(used)
    fit = applicable_kinds(spec, CALL.arguments, TRUTH, (used,), OTHERS)
    assert {"tool_leakage", "missing_required_fields"} <= set(fit)
    for kind in FAMILIES:
        delivered = inject(kind, seed, spec).shown != Value(TRUTH)
        assert delivered == (kind in fit), (kind, used)


def test_an_answer_about_the_same_thing_does_not_fit() -> None:
    alike_enough = {**TRUTH, "note": "Breakfast is served until nine."}
    assert "irrelevant_response" not in applicable_kinds(
        SPEC, CALL.arguments, TRUTH, others=[dict(TRUTH), alike_enough]
    )


def test_an_answer_that_is_already_wrong_is_not_broken_again() -> None:
    wrong = {**TRUTH, "country": "Portugal"}
    assert "fact_contradiction" not in applicable_kinds(SPEC, CALL.arguments, wrong)
