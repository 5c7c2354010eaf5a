"""What the layer does about a failed call, what it leaves alone, and what it writes down."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.invariants import Bounds
from sealegs.faults.plan_files import plan_from
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.budget import Budget
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import (
    Advice,
    Advise,
    Alternative,
    AlternativeStep,
    Breaker,
    CallArgument,
    Fixed,
    Policy,
    Retry,
    StepField,
    Stop,
    Switch,
)
from sealegs.recovery.signature import Signature
from tests.recovery.stage import ACTS, BUSY, FINE, GONE, READS, Stage

OTHER = Alternative(
    "price",
    (AlternativeStep("quote", {"item": CallArgument("name"), "currency": Fixed("EUR")}),),
    {"price": StepField(0, "quote.amount")},
)
OWN = ToolSpec("pay", effects=True, statuses="own")
QUOTE = Value({"quote": {"amount": 2.49}})


def stage(
    policy: Policy | None, scripts: dict[str, list[Outcome]], *specs: ToolSpec, budget: Budget | None = None
) -> Stage:
    return Stage(RecoveryLayer(policy, budget=budget), scripts, specs or (READS, ACTS))


def test_a_transient_failure_is_retried_until_it_is_over() -> None:
    scene = stage(None, {"price": [BUSY, BUSY, FINE]})
    assert scene.call("price", name="pen") == FINE
    assert len(scene.made) == 3
    assert 0 < scene.clock.now() <= 1.5
    assert scene.actions == ["tried", "retried", "retried"]


def test_every_attempt_is_a_turn_of_the_record() -> None:
    scene = stage(None, {"price": [BUSY, FINE]})
    scene.call("price", name="pen")
    first, second = scene.end().turns
    assert (first.call.id, first.by, first.shown, first.said) == ("call-1", "", BUSY, BUSY)
    assert (second.call.id, second.by, second.shown, second.said) == ("call-1.1", "retry", FINE, FINE)
    assert (first.call.nth, second.call.nth) == (0, 1)


def test_a_permanent_failure_is_not_retried() -> None:
    scene = stage(None, {"price": [GONE]})
    assert scene.call("price", name="pen") == GONE
    assert len(scene.made) == 1


def test_an_action_is_not_made_twice_unless_nothing_can_have_happened() -> None:
    scene = stage(None, {"pay": [BUSY, FINE]})
    assert scene.call("pay", amount=5) == BUSY
    refused = Failure("Too many requests", "RateLimit", 429, retry_after=7)
    scene = stage(None, {"pay": [refused, FINE]})
    assert scene.call("pay", amount=5) == refused
    scene = stage(None, {"pay": [replace(refused, unsent=True), FINE]})
    assert scene.call("pay", amount=5) == FINE
    assert scene.clock.now() == 7
    scene = stage(None, {"pay": [BUSY, FINE]}, ToolSpec("pay", effects=True, idempotent=True))
    assert scene.call("pay", amount=5) == FINE


def test_a_tool_that_nothing_is_known_of_is_taken_for_an_action() -> None:
    scene = stage(None, {"mystery": [BUSY, FINE]})
    assert scene.call("mystery") == BUSY


def test_a_declared_alternative_takes_over() -> None:
    scene = stage(active_policy([OTHER]), {"price": [GONE], "quote": [QUOTE]})
    assert scene.call("price", name="pen") == Value({"price": 2.49})
    assert scene.made == [("price", {"name": "pen"}), ("quote", {"item": "pen", "currency": "EUR"})]
    first, second = scene.end().turns
    assert (second.call.tool, second.by, second.shown, second.said) == ("quote", "switch", QUOTE, QUOTE)
    assert first.shown == GONE


def test_no_alternative_for_what_may_have_been_done() -> None:
    way = Alternative("pay", (AlternativeStep("wire", {"amount": CallArgument("amount")}),), {"id": StepField(0, "id")})
    scene = stage(active_policy([way]), {"pay": [BUSY], "wire": [Value({"id": 1})]})
    scene.call("pay", amount=5)
    assert [tool for tool, _ in scene.made] == ["pay"]
    scene = stage(active_policy([way]), {"pay": [GONE], "wire": [Value({"id": 1})]}, OWN)
    assert scene.call("pay", amount=5) == Value({"id": 1})


def test_an_alternative_that_may_have_worked_is_the_last() -> None:
    ways = [Alternative("pay", (AlternativeStep(tool, {}),), {}) for tool in ("wire", "cheque")]
    scene = stage(active_policy(ways), {"pay": [GONE], "wire": [BUSY], "cheque": [FINE]}, OWN)
    scene.call("pay")
    assert [tool for tool, _ in scene.made] == ["pay", "wire"]


def test_a_wrong_answer_is_asked_for_again_and_never_believed() -> None:
    spec = ToolSpec("price", effects=False, invariants=(Bounds("price", minimum=0),))
    wrong = Value({"price": -50})
    assert stage(None, {"price": [wrong, FINE]}, spec).call("price") == FINE
    shown = stage(None, {"price": [wrong]}, spec).call("price")
    assert isinstance(shown, Failure)
    assert shown.type == "SuspectAnswer"
    assert "at least 0" in shown.message


def test_malformed_json_is_read_only_where_nothing_is_invented() -> None:
    broken = Value("{'price': 2.5,}")
    scene = stage(None, {"price": [broken]})
    assert scene.call("price") == FINE
    assert len(scene.made) == 1
    (turn,) = scene.end().turns
    assert (turn.said, turn.shown) == (broken, FINE)
    shown = stage(None, {"price": [Value('{"price": 2')]}).call("price")
    assert isinstance(shown, Failure)


def test_arguments_are_mended_by_the_schema() -> None:
    parameters = {
        "type": "object",
        "properties": {"item": {"type": "string"}, "count": {"type": "integer"}, "size": {"enum": ["S", "M"]}},
        "required": ["item", "count"],
        "additionalProperties": False,
    }
    bad = Failure("Validation error: count is not of type integer", "ValidationError", 422)
    scene = stage(None, {"buy": [bad, FINE]}, ToolSpec("buy", parameters=parameters, effects=True, statuses="own"))
    assert scene.call("buy", items="pen", count="3", size="m", colour="red") == FINE
    assert scene.made[1][1] == {"item": "pen", "count": 3, "size": "M"}


def test_parts_are_read_to_the_end() -> None:
    pages: list[Outcome] = [
        Value({"rows": [1, 2], "truncated": True, "next_cursor": "b"}),
        Value({"rows": [3], "truncated": False}),
    ]
    spec = ToolSpec("list", effects=False, parameters={"type": "object", "properties": {"cursor": {"type": "string"}}})
    scene = stage(None, {"list": pages}, spec)
    assert scene.call("list") == Value({"rows": [1, 2, 3], "truncated": False})
    assert scene.made == [("list", {}), ("list", {"cursor": "b"})]


def test_a_circuit_opens_and_closes_again() -> None:
    breaker = Breaker(failures=3, seconds=10)
    scene = stage(Retry(tries={"transient": 1}) | breaker, {"price": [BUSY, BUSY, BUSY, BUSY, FINE]})
    scene.call("price")
    scene.call("price")
    shown = scene.call("price")
    assert isinstance(shown, Failure)
    assert shown.type == "CircuitOpen"
    assert len(scene.made) == 4
    scene.clock.sleep(10, lambda: None)
    assert scene.call("price") == FINE
    assert scene.call("price") == FINE


def test_a_layer_begins_with_every_circuit_closed() -> None:
    policy = Breaker(failures=1, seconds=1000)
    stage(policy, {"price": [BUSY]}).call("price")
    assert stage(policy, {"price": [FINE]}).call("price") == FINE


@pytest.mark.parametrize(
    ("budget", "calls"),
    [
        (Budget(calls=1), 2),
        (Budget(calls_each=2), 3),
        (Budget(seconds=0.0), 1),
        (Budget(money=0.25, prices={"price": 0.1}), 3),
    ],
)
def test_a_budget_holds(budget: Budget, calls: int) -> None:
    scene = stage(None, {"price": [BUSY]}, budget=budget)
    scene.call("price")
    assert len(scene.made) == calls


def test_a_hang_is_given_up_and_retried() -> None:
    plan = plan_from({"name": "p", "rules": [{"match": {"tool": "price"}, "fault": {"kind": "hang"}, "at_most": 1}]})
    layer = RecoveryLayer()
    session = Session(plan, layers=[layer], specs=[READS], clock=VirtualClock(), timeout=5)
    assert session.call("price", {}, lambda call: FINE) == FINE
    assert session.clock.now() >= 5


def test_the_report_says_what_was_tried() -> None:
    shown = stage(None, {"price": [BUSY]}).call("price")
    assert isinstance(shown, Failure)
    assert (shown.status, shown.type) == (503, "ServiceUnavailable")
    assert "3 further tries" in shown.message


class Sage:
    """Advises the same for everything."""

    def advice(self, call: Call, signature: Signature) -> Advice | None:
        return Advice("Recovery: wait and try again.", "busy", 0.1)


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        (BUSY, "Service Unavailable\n\nRecovery: wait and try again."),
        (Value("truncated text"), None),
        (Value({"price": "x"}), {"price": "x", "recovery_note": "Recovery: wait and try again."}),
    ],
)
def test_the_modest_form_appends_and_does_nothing_else(outcome: Outcome, shown: Any) -> None:
    scene = stage(Advise(Sage()), {"price": [outcome]})
    seen = scene.call("price")
    text = seen.message if isinstance(seen, Failure) else seen.value
    assert text == (shown if shown is not None else "truncated text\n\nRecovery: wait and try again.")
    assert len(scene.made) == 1
    (turn,) = scene.end().turns
    assert turn.shown == outcome  # the tool's answer, with the remark left away


def test_policies_can_be_kept_to_some_troubles() -> None:
    policy = Retry().only(categories={"transient"}, tools=["pr*"]) | Stop().only(tools=["never"])
    scene = stage(policy, {"price": [BUSY, FINE]})
    assert scene.call("price") == FINE
    scene = stage(Retry().only(tools=["other"]), {"price": [BUSY, FINE]})
    assert scene.call("price") == BUSY


def test_only_tools_that_can_be_reached_are_switched_to() -> None:
    layer = RecoveryLayer(Switch([OTHER]))
    session = Session(layers=[layer], specs=[READS], clock=VirtualClock())
    assert session.call("price", {"name": "pen"}, lambda call: GONE) == GONE
    layer = RecoveryLayer(Switch([OTHER]))
    others = {"quote": lambda call: QUOTE}
    session = Session(layers=[layer], specs=[READS], others=others, clock=VirtualClock())
    assert session.call("price", {"name": "pen"}, lambda call: GONE) == Value({"price": 2.49})


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.tuples(st.sampled_from(["price", "pay", "mystery"]), DATA), max_size=8))
def test_answers_in_which_nothing_is_wrong_pass_as_they_are(answers: list[tuple[str, Any]]) -> None:
    layer = RecoveryLayer(active_policy([OTHER]))
    session = Session(layers=[layer], specs=[ACTS], others=None, clock=VirtualClock())
    for tool, value in answers:
        if isinstance(value, dict):
            value = {key: item for key, item in value.items() if key not in ("truncated", "partial", "incomplete")}
        if "SELECT" in json.dumps(value) or "http" in json.dumps(value):
            continue
        answer = Value(value)
        assert session.call(tool, {}, lambda call, answer=answer: answer) is answer  # type: ignore[misc]
    assert session.clock.now() == 0
