"""A rule that can come to nothing on a tool says so, once, where the tool is called."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealegs.adapters.python import wrap
from sealegs.faults import KINDS, Call, Fault, Outcome, Plan, ToolSpec, Value
from sealegs.faults.call import Moment
from sealegs.faults.misfires import ListedTool, misfires
from sealegs.inject import NO_DRY_RUN, EndlessWait, Injection, Injector, MisfireWarning, Session, VirtualClock, drive
from tests.faults.trip import SPEC, booked
from tests.inject.staging import every_kind, model_kinds, plan, rule

NEVER_ON_A_FUNCTION = {
    "forged",
    "wrong_entity",
    "silent_noop",
    "physics_violation",
    "irrelevant_response",
    "statistical_inconsistency",
    "internal_contradiction",
    "logic_violation",
    "temporal_contradiction",
    "fact_contradiction",
    "model_error",
    "altered_reply",
}


def price(item: str) -> dict[str, object]:
    """The price of an item."""
    return {"item": item, "price": 12, "stock": [1, 2]}


def warned(faults: Plan, times: int = 1, spec: ToolSpec | None = None) -> list[str]:
    """The misfire warnings while a plain function is called."""
    session = Session(faults, specs=() if spec is None else (spec,), timeout=0.0)
    tool = wrap(price, session)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(times):
            try:
                tool("pen")
            except Exception:  # whatever the fault shows
                continue
    return [str(one.message) for one in caught if issubclass(one.category, MisfireWarning)]


@pytest.mark.parametrize("fault", [*every_kind(), *model_kinds()], ids=lambda fault: fault.kind)
def test_a_kind_warns_on_a_plain_function_where_nothing_can_come_of_it(fault: object) -> None:
    messages = warned(plan(rule(fault)), times=3)  # type: ignore[arg-type]
    kind = fault.kind  # type: ignore[attr-defined]
    assert len(messages) == (kind in NEVER_ON_A_FUNCTION)
    assert all(f"rule 'rule-1' can never deliver '{kind}' on 'price'" in one for one in messages)


def test_what_is_known_before_and_what_a_run_finds_out_are_the_same() -> None:
    """The kinds of `plan check` on a plain function are those of which a run warns."""
    every = plan(*(rule(fault, id=fault.kind) for fault in [*every_kind(), *model_kinds()]))
    found = misfires(every, [ListedTool(ToolSpec("price"), dry=False)])
    assert {one.rule for one in found if one.tool} == NEVER_ON_A_FUNCTION
    assert {one.rule for one in found if not one.tool} == NEVER_ON_A_FUNCTION
    assert len(KINDS) == len(every.rules)


def test_a_rule_that_matches_no_call_says_nothing() -> None:
    logic = KINDS["logic_violation"](kind="logic_violation")
    assert warned(plan(rule(logic, tool="other"))) == []


def test_a_tool_that_turns_out_to_run_only_with_its_effect() -> None:
    """Nobody can know it before: the tool says so when it is called."""

    def book(call: Call) -> Outcome:
        return NO_DRY_RUN if call.dry else Value({"ok": True})

    session = Session(plan(rule(KINDS["silent_noop"](kind="silent_noop"))))
    with pytest.warns(MisfireWarning, match="cannot be run so"):
        session.call("book", {}, book)


def test_the_message_leads_on() -> None:
    (message,) = warned(plan(rule(KINDS["fact_contradiction"](kind="fact_contradiction"))))
    assert "ToolSpec.invariants" in message
    assert "sealegs plan check PLAN --tools MODULE" in message


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    fault=st.sampled_from([*every_kind(), *model_kinds()]),
    effects=st.sampled_from([None, True, False]),
    known=st.sets(st.sampled_from(["invariants", "examples", "returns"])),
    moment=st.sampled_from([None, "before", "during", "after"]),
    seed=st.integers(0, 10**6),
)
def test_what_is_declared_undeliverable_is_never_delivered(
    fault: Fault, effects: bool | None, known: set[str], moment: Moment | None, seed: int
) -> None:
    whole = {"invariants": SPEC.invariants, "examples": SPEC.examples, "returns": SPEC.returns}
    spec = ToolSpec("book_trip", effects=effects, **{name: whole[name] for name in known})  # type: ignore[arg-type]
    one = rule(fault, moment=moment if moment in fault.moments else None)
    injections: list[Injection] = []

    def book(call: Call) -> Outcome:
        return NO_DRY_RUN if call.dry else Value(booked("Oslo"))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        injector = Injector(plan(one, seed=seed), specs=[spec], on_injection=injections.append)
        for city in ("Oslo", "Rome", "Oslo"):
            try:
                drive(injector.layer, Call("book_trip", {"city": city}), book, VirtualClock())
            except EndlessWait:
                continue
    if one.why_never(spec, dry=False):
        assert not any(injection.delivered for injection in injections)
        assert len([warning for warning in caught if warning.category is MisfireWarning]) == 1
    else:
        assert not [warning for warning in caught if warning.category is MisfireWarning]
