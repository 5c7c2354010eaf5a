"""The rungs of the ladder: what each rule finds, what it leaves to others, and that forgeries leave nothing to find."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults import paths
from sealegs.faults.call import Value
from sealegs.faults.corruption import FAMILIES, can_corrupt
from sealegs.faults.kinds import KINDS
from sealegs.faults.rungs.contradiction import Exchange, contradictions
from sealegs.faults.rungs.forgery import forgeries, written_over
from sealegs.faults.rungs.glance import glance
from sealegs.faults.rungs.visible_rung import keeps_structure, visible_rung

from .driver import drive
from .trip import CALL, PLACES, SPEC, TRUTH, book_trip, booked, setting, using

OSLO: Mapping[str, Any] = {"city": "Oslo"}
OTHERS = tuple(booked(city) for city in PLACES if city != "Oslo")


def changed(**fields: Any) -> dict[str, Any]:
    return {**TRUTH, **fields}


@pytest.mark.parametrize(
    ("wrong", "rung"),
    [
        (changed(confirmation_id=""), "glance"),
        (changed(country=None), "glance"),
        (changed(city="Kyoto"), "glance"),
        (changed(note="Traceback (most recent call last): File x"), "glance"),
        (changed(price_per_night=-120.5, room_price=-361.5, total_price=-351.5), "glance"),
        (changed(country="Japan"), "glance"),  # general knowledge
        (changed(total_price=370.5), "arithmetic"),
        (changed(check_in="2026-06-04"), "arithmetic"),
        (changed(hotel_count=3), "arithmetic"),
        (changed(nights=4), "arithmetic"),
        (changed(nights=4, room_price=482.0, total_price=492.0), None),  # right in itself
        (changed(confirmation_id="OSL-7732"), None),
        (changed(distance_km=30_000), None),  # a limit that only the makers know
        (TRUTH, None),
    ],
)
def test_a_wrong_answer_is_on_the_highest_rung_that_tells_it(wrong: Any, rung: str | None) -> None:
    assert visible_rung(SPEC, OSLO, TRUTH, wrong) == rung


def test_what_a_rule_finds_in_the_truth_too_tells_nothing() -> None:
    truth, wrong = {"holiday": "", "total": 3}, {"holiday": "", "total": 4}
    assert glance({}, truth)
    assert visible_rung(None, {}, truth, wrong) is None
    assert visible_rung(None, {}, truth, {"holiday": "", "total": ""}) == "glance"


@pytest.mark.parametrize(
    ("arguments", "answer", "found"),
    [
        ({}, {"unit_price": -1}, True),
        ({}, {"price_difference": -1}, False),
        ({}, {"latitude": 91}, True),
        ({}, {"latitude": -90, "mean_celsius": -40}, False),
        ({"on": "2026-03-02"}, {"on": "2026-03-02T09:00"}, False),
        ({"on": "2026-03-02"}, {"on": "2026-03-03T09:00"}, True),
        ({"name": " ada "}, {"name": "Ada"}, False),
        ({"name": None}, {"name": "Ada"}, False),
        ({"items": [1]}, {"items": [2]}, False),
        ({}, {"rows": [{"sku": ""}]}, True),
    ],
)
def test_a_glance_knows_no_tool(arguments: dict[str, Any], answer: dict[str, Any], found: bool) -> None:
    assert bool(glance(arguments, answer)) == found


LEAVES = [path for path, value in paths.leaves(TRUTH) if not isinstance(value, bool)]


@settings(max_examples=40)
@given(used=st.sampled_from(LEAVES), seed=st.integers(0, 10**6))
def test_a_forgery_changes_what_is_used_and_leaves_nothing_to_find(used: str, seed: int) -> None:
    spec = using(used)
    for number, (edit, wrong) in enumerate(forgeries(spec, OSLO, TRUTH, OTHERS, random.Random(seed))):
        assert paths.values_at(wrong, used) != paths.values_at(TRUTH, used)
        assert list(spec.violations(OSLO, wrong)) == []
        assert written_over(TRUTH, edit) == wrong
        assert keeps_structure(spec, wrong)
        # Worked out here, by hand, and not by the declared relations.
        assert wrong["room_price"] == pytest.approx(wrong["price_per_night"] * wrong["nights"], rel=0.01)
        assert wrong["total_price"] == pytest.approx(wrong["room_price"] + wrong["tax"], rel=0.001)
        assert wrong["hotel_count"] == len(wrong["hotels"])
        prices = [hotel["price"] for hotel in wrong["hotels"]]
        assert wrong["mean_hotel_price"] == pytest.approx(sum(prices) / len(prices), rel=0.001)
        assert wrong["check_in"] <= wrong["check_out"]
        assert (wrong["city"], wrong["country"]) == ("Oslo", "Norway")
        if number > 4:
            break


def test_some_of_every_sort_can_be_forged_and_what_is_known_cannot() -> None:
    can = {used for used in LEAVES if next(forgeries(using(used), OSLO, TRUTH, OTHERS, random.Random(1)), None)}
    assert {"total_price", "nights", "check_out", "confirmation_id", "hotels.0.price", "distance_km"} <= can
    assert {"city", "country", "hotel_count"}.isdisjoint(can)


@pytest.mark.parametrize("rung", ["glance", "arithmetic"])
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_a_corruption_with_a_rung_is_on_it_or_not_shown(rung: str, seed: int) -> None:
    for family in FAMILIES:
        fault = KINDS[family](kind=family, rung=rung)  # type: ignore[call-arg]
        shown = drive(fault.act(CALL, setting(seed)), book_trip).shown
        assert isinstance(shown, Value)
        if shown.value != TRUTH:
            assert visible_rung(SPEC, OSLO, TRUTH, shown.value) == rung, family
            assert keeps_structure(SPEC, shown.value) or family == "missing_required_fields"


def test_each_visible_rung_has_families_here() -> None:
    fits = {
        rung: {family for family in FAMILIES if can_corrupt(family, SPEC, OSLO, TRUTH, (1,), OTHERS, rung)}
        for rung in ("glance", "arithmetic")
    }
    assert {"missing_required_fields", "irrelevant_response", "fact_contradiction"} <= fits["glance"]
    assert {"statistical_inconsistency", "internal_contradiction", "temporal_contradiction"} <= fits["arithmetic"]
    assert fits["glance"].isdisjoint({"statistical_inconsistency"})


CODES = st.from_regex(r"[A-Z]{2,3}-[0-9]{3,5}", fullmatch=True)
AMOUNTS = st.floats(1, 1e5).map(lambda value: round(value, 2))


@given(code=CODES, other=CODES, before=AMOUNTS, now=AMOUNTS)
def test_one_thing_has_one_value(code: str, other: str, before: float, now: float) -> None:
    earlier = [Exchange({"sku": code}, {"sku": code, "unit_price": before, "status": "open"})]
    same = contradictions(earlier, Exchange({"item": code}, {"unit_price": now, "status": "done"}))
    assert bool(same) == (abs(before - now) > max(0.011, 0.0005 * max(before, now)))
    assert all((one.thing, one.field, one.before, one.now) == (code, "unit_price", before, now) for one in same)
    if other != code:
        assert contradictions(earlier, Exchange({"item": other}, {"unit_price": now})) == ()


@pytest.mark.parametrize(
    ("arguments", "answer", "found"),
    [
        ({"sku": "MO-2110"}, {"price": 20.0}, True),
        ({"sku": "MO-2110", "quantity": 3}, {"price": 20.0}, False),  # another quantity: another question
        ({"sku": "MO-2110", "price": 20.0}, {}, False),  # an argument contradicts nothing
        ({}, {"lines": [{"sku": "MO-2110", "price": 20.0}]}, True),
        ({"sku": "MO-2110"}, {"price": "twenty"}, False),
        ({"on": "2026-03-02"}, {"price": 20.0}, False),  # a day names no thing
    ],
)
def test_what_counts_as_the_same_question(arguments: dict[str, Any], answer: dict[str, Any], found: bool) -> None:
    earlier = [Exchange({"quantity": 1, "day": "2026-03-02"}, {"sku": "MO-2110", "price": 10.0})]
    assert bool(contradictions(earlier, Exchange(arguments, answer))) == found


def test_a_plan_s_values_come_in_turn_and_what_the_answer_lacks_is_skipped() -> None:
    fault = KINDS["forged"](kind="forged", values=[{"tax": 12.0}, {"nowhere": 1}, {"hotels.1.price": 1.5}])  # type: ignore[call-arg]
    shown = [
        drive(fault.act(CALL, setting(spec=None, earlier=tuple(Value(n) for n in range(times)))), book_trip).shown
        for times in range(4)
    ]
    values = [one.value for one in shown if isinstance(one, Value)]
    assert values[0] == {**TRUTH, "tax": 12.0} == values[3]
    assert values[1] == TRUTH
    assert values[2]["hotels"][1] == {**TRUTH["hotels"][1], "price": 1.5}


def test_forging_what_declares_nothing_is_reported_beforehand() -> None:
    bare = dataclasses.replace(SPEC, invariants=(), returns={})
    assert "values" in KINDS["forged"](kind="forged").misfit(bare)  # type: ignore[call-arg]
    assert not KINDS["forged"](kind="forged", values=[{"tax": 1}]).misfit(bare)  # type: ignore[call-arg]
