"""Invariants hold on right answers, and are really broken without a key lost."""

from __future__ import annotations

import operator
import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import paths
from sealegs.faults.invariants import (
    Bounds,
    Counts,
    Echo,
    Formula,
    Invariant,
    Known,
    Mean,
    NoLeak,
    OneOf,
    Ordered,
    Present,
    Requires,
    Sums,
    leaking,
    roughly_equal,
    same_shape,
    touches,
    violations,
)
from sealegs.faults.invariants.shape import LEAKS
from sealegs.faults.spec import ToolSpec

from .test_kinds import JSON
from .trip import CALL, COUNTRIES, PLACES, SPEC, TRUTH, booked

SEEDS = st.integers(0, 10**6)
FLIGHT: dict[str, Any] = {
    "departure": "2026-05-04T09:30:00Z",
    "arrival": "2026-05-04T12:05:00Z",
    "opens": "09:30",
    "closes": "18:00",
    "legs": [{"from": "2026-05-04 09:30", "to": "2026-05-04 11:00"}],
    "delay": 0,
    "share": 0.25,
    "state": "pending",
    "ticket": None,
    "tags": [],
}
ON_FLIGHT: list[Invariant] = [
    Ordered("departure", "arrival"),
    Ordered("opens", "closes"),
    Ordered("legs.from", "legs.to"),
    Ordered("argument:day", "departure"),
    Bounds("delay", 0, None),
    Bounds("share", None, 1),
    Sums("delay", ("delay",)),
    Formula("share", ("argument:part",), lambda part: part / 4, "share is a quarter of the part"),
    Requires("ticket", "state", "confirmed"),
    OneOf("state", ("confirmed", "pending"), ("teleported",)),
    Counts("delay", "tags"),
    NoLeak(),
]
ARGUMENTS = {"day": "2026-05-04", "part": 1}
CASES: list[tuple[Invariant, Mapping[str, Any], dict[str, Any]]] = [
    *((invariant, CALL.arguments, TRUTH) for invariant in (*SPEC.invariants, NoLeak(), Present(SPEC.returns))),
    *((invariant, ARGUMENTS, FLIGHT) for invariant in ON_FLIGHT),
]
BREAKABLE = [case for case in CASES if not isinstance(case[0], Echo) and case[0] != Sums("delay", ("delay",))]


@pytest.mark.parametrize("city", PLACES)
def test_right_answers_keep_every_invariant(city: str) -> None:
    assert SPEC.violations({"city": city}, booked(city)) == ()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].says())
def test_each_holds_on_the_right_answer_and_has_a_wording(case: Any) -> None:
    invariant, arguments, output = case
    assert invariant.holds(arguments, output)
    assert invariant.says()
    assert invariant.family


@pytest.mark.parametrize("case", BREAKABLE, ids=lambda case: case[0].says())
@given(seed=SEEDS)
def test_broken_really_breaks_and_keeps_the_keys(case: Any, seed: int) -> None:
    invariant, arguments, output = case
    wrong = invariant.broken(arguments, output, (), random.Random(seed))
    assert not invariant.holds(arguments, wrong)
    assert same_shape(output, wrong)
    assert violations([invariant], None, arguments, wrong)


@pytest.mark.parametrize("case", BREAKABLE, ids=lambda case: case[0].says())
@given(seed=SEEDS)
def test_the_field_in_focus_is_changed(case: Any, seed: int) -> None:
    invariant, arguments, output = case
    for field in invariant.fields():
        if field.startswith("argument:") or not paths.values_at(output, field):
            continue
        wrong = invariant.broken(arguments, output, (field,), random.Random(seed))
        assert not invariant.holds(arguments, wrong)
        alone = not isinstance(invariant, (Requires, Present))  # a rule about two fields may need the other
        assert not alone or paths.values_at(wrong, field) != paths.values_at(output, field)


FIELDS = st.sampled_from(["a", "b", "a.b", "c.a", "argument:a"])
OWN = st.sampled_from(["a", "b", "a.b", "c.a"])
VALUES = st.sampled_from(["x", "y", 1, 2.5, True, None, "2026-01-01", "09:30"])
INVARIANTS: st.SearchStrategy[Invariant] = st.one_of(
    st.builds(Bounds, OWN, st.none() | st.integers(-5, 0), st.none() | st.integers(1, 5)),
    st.builds(Sums, OWN, st.tuples(FIELDS, FIELDS)),
    st.builds(Mean, OWN, FIELDS),
    st.builds(Counts, OWN, FIELDS),
    st.builds(Formula, OWN, st.tuples(FIELDS, FIELDS), st.just(operator.add), st.just("a sum")),
    st.builds(Ordered, FIELDS, OWN),
    st.builds(Requires, OWN, OWN, VALUES),
    st.builds(OneOf, OWN, st.tuples(VALUES, VALUES), st.tuples(VALUES)),
    st.builds(Known, OWN, FIELDS, st.dictionaries(st.sampled_from(["x", "y"]), VALUES, min_size=1)),
    st.builds(Echo, st.just("a"), OWN),
    st.just(NoLeak()),
    st.just(Present({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "number"}}})),
)
OUTPUTS = st.dictionaries(st.sampled_from("abc"), JSON | VALUES, max_size=3)


@given(INVARIANTS, OUTPUTS, OUTPUTS, st.lists(OWN, max_size=2), SEEDS)
def test_any_answer_is_judged_and_broken_or_left(
    invariant: Invariant, arguments: dict[str, Any], output: dict[str, Any], focus: list[str], seed: int
) -> None:
    invariant.holds(arguments, output)
    wrong = invariant.broken(arguments, output, focus, random.Random(seed))
    assert wrong == output or not invariant.holds(arguments, wrong)
    assert same_shape(output, wrong)


class TestNumbers:
    def test_one_per_cent_is_agreement(self) -> None:
        assert roughly_equal(100, 100.9)
        assert not roughly_equal(100, 102)
        assert roughly_equal(0.01, 0.02)
        assert roughly_equal(" Oslo", "oslo")
        assert not roughly_equal(True, 2)
        assert not roughly_equal("1", 1)

    @pytest.mark.parametrize("value", [0.01, 0.3, -0.3, 0, 0.0, 1, -1, 2, 500, 1e6])
    def test_a_small_number_keeps_its_sign(self, value: float) -> None:
        for seed in range(20):
            wrong = Sums("x", ("y",)).broken({}, {"x": value, "y": value}, ("x",), random.Random(seed))["x"]
            assert not roughly_equal(wrong, value)
            assert wrong * value >= 0
            assert type(wrong) is type(value)

    def test_a_part_that_does_not_matter_is_passed_over(self) -> None:
        output = {"total": 100_001, "parts": [100_000], "tip": 1}
        wrong = Sums("total", ("parts", "tip")).broken({}, output, ("tip",), random.Random(1))
        assert wrong["tip"] == 1
        assert wrong != output

    def test_lists_of_numbers_are_summed_and_averaged(self) -> None:
        assert not Sums("total", ("parts",)).holds({}, {"total": 5, "parts": [1, 2]})
        assert Sums("total", ("parts",)).holds({}, {"total": 3, "parts": [1, 2]})
        assert not Mean("mean", "parts").holds({}, {"mean": 5, "parts": [1, 2]})
        assert Mean("mean", "parts").holds({}, {"mean": 1.5, "parts": [1, 2]})

    def test_bounds_without_a_bound_cannot_be_broken(self) -> None:
        assert Bounds("x").broken({}, {"x": 1}, (), random.Random(1)) == {"x": 1}
        assert Bounds("x").holds({}, {"x": 1e9})

    def test_a_formula_of_text_is_broken_in_its_numbers(self) -> None:
        size = Formula("size", ("chunks",), lambda n: "large" if n > 4 else "small", "size follows from chunks")
        output = {"size": "small", "chunks": 4}
        wrong = size.broken({}, output, ("size",), random.Random(3))
        assert wrong == output or not size.holds({}, wrong)


class TestOrder:
    @pytest.mark.parametrize(
        ("earlier", "later", "holds"),
        [
            ("2026-05-04", "2026-05-04", True),
            ("2026-05-05", "2026-05-04", False),
            ("2026-05-04T10:00:00", "2026-05-04", True),
            ("2026-05-04T10:00:30", "2026-05-04T10:00", True),
            ("2026-05-04T10:00", "2026-05-04 10:00:30", True),
            ("2026-05-04T10:01", "2026-05-04T10:00:30Z", False),
            ("09:30", "09:31", True),
            ("09:31", "09:30", False),
            (None, "09:30", True),
        ],
    )
    def test_times_are_compared_as_far_as_both_say(self, earlier: Any, later: Any, holds: bool) -> None:
        assert Ordered("a", "b").holds({}, {"a": earlier, "b": later}) is holds

    def test_the_form_of_a_time_stays(self) -> None:
        for field in ("departure", "arrival"):
            wrong = Ordered("departure", "arrival").broken({}, FLIGHT, (field,), random.Random(2))[field]
            assert len(wrong) == len("2026-05-04T09:30:00Z")
            assert wrong[10] == "T"
            assert wrong.endswith("Z")

    def test_midnight_is_left_where_nothing_comes_before_it(self) -> None:
        output = {"opens": "00:00", "closes": "23:59"}
        assert Ordered("opens", "closes").broken({}, output, (), random.Random(1)) == output


class TestLogic:
    def test_an_empty_ticket_is_claimed_to_be_confirmed(self) -> None:
        wrong = Requires("ticket", "state", "confirmed").broken({}, FLIGHT, (), random.Random(1))
        assert (wrong["state"], wrong["ticket"]) == ("confirmed", None)

    def test_a_value_that_is_allowed_is_no_violation(self) -> None:
        rule = OneOf("state", ("a", "b"), ("b",))
        assert rule.broken({}, {"state": "a"}, (), random.Random(1)) == {"state": "a"}


class TestFacts:
    def test_the_key_is_looked_up_without_case(self) -> None:
        known = Known("country", "argument:city", COUNTRIES)
        assert known.holds({"city": " oslo"}, {"country": "norway"})
        assert not known.holds({"city": "OSLO"}, {"country": "Japan"})
        assert known.holds({"city": "Atlantis"}, {"country": "Japan"})


class TestShape:
    @pytest.mark.parametrize("leak", LEAKS)
    def test_every_leak_is_seen(self, leak: str) -> None:
        text = leak.format(host=7, line=30)
        assert leaking({"a": [{"b": f"so {text}"}]}) == "a.0.b"
        assert leaking({"a": "Please select one from the list at https://example.com/local"}) is None

    def test_a_leaking_text_answer_is_a_violation(self) -> None:
        (violation,) = ToolSpec("t").violations({}, "java.lang.NullPointerException at com.acme.A.b(A.java:3)")
        assert violation.family == "tool_leakage"
        assert ToolSpec("t").violations({}, "Two rooms are free.") == ()

    def test_an_answer_of_another_kind_is_malformed(self) -> None:
        (violation,) = SPEC.violations(CALL.arguments, "<html>")
        assert violation.family == "malformed"

    def test_nested_fields_in_focus_are_emptied_and_their_keys_kept(self) -> None:
        wrong = Present(SPEC.returns).broken({}, TRUTH, ("hotels.price",), random.Random(1))
        assert [hotel["price"] for hotel in wrong["hotels"]] == [None, None]
        assert [hotel["name"] for hotel in wrong["hotels"]] == [hotel["name"] for hotel in TRUTH["hotels"]]

    def test_whole_objects_in_focus_keep_their_keys(self) -> None:
        wrong = Present(SPEC.returns).broken({}, TRUTH, ("hotels",), random.Random(1))
        assert [set(hotel) for hotel in wrong["hotels"]] == [{"name", "price"}] * 2

    def test_without_focus_one_field_is_drawn(self) -> None:
        present = Present(SPEC.returns)
        changed = set()
        for seed in range(60):
            wrong = present.broken({}, TRUTH, (), random.Random(seed))
            (field,) = (key for key in TRUTH if wrong[key] != TRUTH[key])
            changed.add(field)
        assert len(changed) > 10

    def test_a_required_text_may_not_be_empty(self) -> None:
        assert Present({"required": ["a"]}).missing({"a": ""}) == "a is empty"
        assert Present({"required": ["a"]}).missing({"a": 0}) is None
        assert "required" in (Present({"required": ["a"]}).missing({}) or "")


class TestTouches:
    @pytest.mark.parametrize(
        ("path", "focus", "touched"),
        [
            ("a", "a", True),
            ("a", "b", False),
            ("a.b", "a", True),
            ("a", "a.b", True),
            ("a.0.b", "a.b", True),
            ("a.b", "a.c", False),
            ("ab", "a", False),
        ],
    )
    def test_prefixes_touch(self, path: str, focus: str, touched: bool) -> None:
        assert touches(path, [focus]) is touched
