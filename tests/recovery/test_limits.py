"""What the layer must not do: repeat what may be done, show half an alternative, raise, believe or doubt too much."""

from __future__ import annotations

from typing import Any

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.invariants import Bounds, Violation
from sealegs.faults.plan_files import plan_from
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.budget import Budget
from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import (
    Advise,
    Alternative,
    AlternativeStep,
    Breaker,
    CallArgument,
    Retry,
    StepField,
    Stop,
    Switch,
)
from sealegs.recovery.policies.mend_arguments import repair_arguments
from sealegs.recovery.policies.policy import AtOnce
from sealegs.recovery.signature import Signature
from sealegs.traces.observed import trace_from_events
from tests.recovery.stage import ACTS, BUSY, FINE, GONE, READS, Stage

PAY = Call("pay", {})
WORDS = (
    "[Errno 111] Connection refused",
    "card charged 100.00; receipt e-mail failed: [Errno 111] Connection refused",
    "order 7731 placed, but the confirmation webhook hit its rate limit",
    "transfer booked; audit log: getaddrinfo failed: Name or service not known",
    "charge captured; ledger sync skipped: circuit open",
    "Tool not found: pay",
    "Rate limit exceeded, retry in 20 s",
    "pay() missing 1 required positional argument: 'amount'",
    "Input validation error: 'amount' is a required property",
    "1 validation error for payArguments",
    "HTTPSConnectionPool: Max retries exceeded (ConnectTimeoutError: connect timeout=5)",
    "connection reset by peer",
)


@pytest.mark.parametrize("status", [None, 400, 404, 409, 422, 429, 501, 503])
@pytest.mark.parametrize("message", WORDS)
def test_words_and_statuses_prove_nothing(message: str, status: int | None) -> None:
    for specs in ((), (ACTS,)):
        scene = Stage(RecoveryLayer(), {"pay": [Failure(message, status=status)]}, specs)
        scene.call("pay", amount=1)
        assert len(scene.made) == 1


def test_what_never_left_may_be_made_again() -> None:
    refused: list[Outcome] = [Failure("Connection refused", "ConnectError", unsent=True), FINE]
    scene = Stage(RecoveryLayer(), {"pay": refused}, (ACTS,))
    assert scene.call("pay", amount=1) == FINE


def test_a_status_proves_only_where_the_tool_is_declared_to_answer_by_its_own() -> None:
    own = ToolSpec("pay", effects=True, statuses="own")
    refused: list[Outcome] = [Failure("Too many", "RateLimit", 429), FINE]
    assert Stage(RecoveryLayer(), {"pay": list(refused)}, (own,)).call("pay") == FINE
    assert Stage(RecoveryLayer(), {"pay": list(refused)}, (ACTS,)).call("pay") == refused[0]
    assert Stage(RecoveryLayer(), {"pay": [BUSY, FINE]}, (own,)).call("pay") == BUSY


def test_no_other_tool_takes_the_place_of_one_that_may_have_worked_before() -> None:
    """An idempotent tool may be repeated; when its last try never leaves, the first may have done the work."""
    unsent = Failure("Connection refused", "ConnectError", unsent=True)
    way = Alternative("pay", (AlternativeStep("wire", {}),), {})
    specs = (ToolSpec("pay", effects=True, idempotent=True), ToolSpec("wire", effects=True))
    scene = Stage(RecoveryLayer(active_policy([way])), {"pay": [BUSY, unsent], "wire": [FINE]}, specs)
    scene.call("pay")
    assert {tool for tool, _ in scene.made} == {"pay"}


def two_steps(*more: Alternative) -> Switch:
    way = Alternative(
        "price",
        (AlternativeStep("find", {}), AlternativeStep("quote", {"id": StepField(0, "id")})),
        {"price": StepField(1, "net")},
    )
    return Switch([way, *more])


SPECS = (READS, ToolSpec("find", effects=False), ToolSpec("quote", effects=False), ToolSpec("book", effects=True))


def test_half_an_alternative_is_never_the_answer() -> None:
    scripts: dict[str, list[Outcome]] = {"price": [GONE], "find": [Value({"id": 1})], "quote": [Value({"net": 2})]}
    short = Stage(RecoveryLayer(two_steps(), budget=Budget(calls_each=1)), scripts, SPECS)
    shown = short.call("price")
    assert isinstance(shown, Failure)
    assert shown.message == "Gone\n\nRecovery gave up: 0 of 1 further calls for this one are spent."
    assert len(short.made) == 1  # not even begun
    scripts["quote"] = [GONE]
    assert Stage(RecoveryLayer(two_steps()), scripts, SPECS).call("price") == GONE


def test_an_answer_without_what_is_read_is_no_answer() -> None:
    for lacking in ({"find": [Value({})]}, {"quote": [Value({"gross": 3})]}):
        scripts: dict[str, Any] = {"price": [GONE], "find": [Value({"id": 1})], "quote": [Value({"net": 2})], **lacking}
        scene = Stage(RecoveryLayer(two_steps()), scripts, SPECS)
        assert scene.call("price") == GONE
        assert "left" in scene.actions


def test_what_was_given_back_can_be_spent() -> None:
    scripts: dict[str, list[Outcome]] = {"price": [GONE], "find": [GONE], "quote": [FINE], "last": [Value({"net": 2})]}
    other = Alternative("price", (AlternativeStep("last", {}),), {"price": StepField(0, "net")})
    specs = (*SPECS, ToolSpec("last", effects=False))
    scene = Stage(RecoveryLayer(two_steps(other), budget=Budget(calls=2)), scripts, specs)
    assert scene.call("price") == Value({"price": 2})


def test_an_alternative_whose_first_step_did_something_is_the_last() -> None:
    first = Alternative("price", (AlternativeStep("book", {}), AlternativeStep("quote", {})), {})
    second = Alternative("price", (AlternativeStep("book", {}),), {})
    scripts: dict[str, list[Outcome]] = {"price": [GONE], "book": [FINE], "quote": [GONE]}
    scene = Stage(RecoveryLayer(Switch([first, second])), scripts, SPECS)
    scene.call("price")
    assert [tool for tool, _ in scene.made] == ["price", "book", "quote"]


def test_arguments_that_were_left_out_are_left_out() -> None:
    way = Alternative(
        "price",
        (AlternativeStep("quote", {"item": CallArgument("name"), "day": CallArgument("day")}),),
        {"price": StepField(0, "p")},
    )
    scene = Stage(RecoveryLayer(Switch([way])), {"price": [GONE], "quote": [Value({"p": 1})]}, SPECS)
    scene.call("price", name="pen")
    assert scene.made[1] == ("quote", {"item": "pen"})


def test_the_answer_of_an_action_stays_with_a_warning() -> None:
    spec = ToolSpec("pay", effects=True, invariants=(Bounds("price", minimum=0),))
    scene = Stage(RecoveryLayer(), {"pay": [Value({"price": -1})]}, (spec,))
    shown = scene.call("pay")
    assert isinstance(shown, Value)
    assert shown.value["price"] == -1
    assert "may have been done" in shown.value["recovery_note"]
    (turn,) = scene.end().turns
    assert turn.shown == Value({"price": -1})


def test_an_answer_that_says_it_is_a_part_is_let_through() -> None:
    part = Value({"rows": [1], "truncated": True})
    assert Stage(RecoveryLayer(), {"price": [part]}, (ToolSpec("price"),)).call("price") == part


@pytest.mark.parametrize(
    "answer",
    [{"text": ""}, {"text": "SELECT name FROM users"}, {"text": "see http://db.internal/x"}, {"text": "x", "more": 1}],
)
def test_of_a_tool_that_declares_a_schema_alone_that_alone_is_checked(answer: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    scene = Stage(RecoveryLayer(), {"query": [Value(answer)]}, (ToolSpec("query", returns=schema),))
    assert scene.call("query") == Value(answer)
    assert len(scene.made) == 1


def test_a_schema_of_a_list_or_a_text_is_held_against_such() -> None:
    spec = ToolSpec("list", effects=False, returns={"type": "array", "items": {"type": "integer"}})
    assert Stage(RecoveryLayer(), {"list": [Value([1])]}, (spec,)).call("list") == Value([1])
    assert Stage(RecoveryLayer(), {"list": [Value("[1, 2,]")]}, (spec,)).call("list") == Value([1, 2])
    shown = Stage(RecoveryLayer(), {"list": [Value(["a"])]}, (spec,)).call("list")
    assert isinstance(shown, Failure)


class Broken(AtOnce):
    """A policy with a mistake in it."""

    name = "broken"

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        raise ZeroDivisionError


class Puzzled:
    """A detector, and an adviser, with a mistake in it."""

    def findings(self, call: Call, value: Any) -> list[Violation]:
        raise KeyError("price")

    def advice(self, call: Call, signature: Signature) -> None:
        raise KeyError("price")


def test_what_breaks_down_is_warned_of_and_costs_no_call() -> None:
    scene = Stage(RecoveryLayer(Broken() | Retry() | Advise(Puzzled())), {"price": [BUSY, FINE]}, (READS,))
    with pytest.warns(RuntimeWarning, match="'broken' failed on a call of 'price'"):
        assert scene.call("price") == FINE
    scene = Stage(RecoveryLayer(detectors=[Puzzled()]), {"price": [FINE]}, (READS,))
    with pytest.warns(RuntimeWarning, match="KeyError"):
        assert scene.call("price") == FINE
    scene = Stage(RecoveryLayer(), {"price": [FINE]}, (ToolSpec("price", returns={"type": "nonsense"}),))
    with pytest.warns(RuntimeWarning, match="check of an answer"):
        assert scene.call("price") == FINE


def test_fields_may_refer_to_definitions() -> None:
    schema = {
        "type": "object",
        "properties": {"hit": {"$ref": "#/$defs/Hit"}, "hits": {"type": "array", "items": {"$ref": "#/$defs/Hit"}}},
        "$defs": {"Hit": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}},
    }
    assert repair_arguments({"hit": '{"id": 3}', "hits": '{"id": 4}'}, schema) == {
        "hit": {"id": 3},
        "hits": [{"id": 4}],
    }
    assert repair_arguments({"hit": None}, schema) is None


def test_a_refused_call_is_recorded_and_is_no_observation_of_the_tool() -> None:
    scene = Stage(RecoveryLayer(Breaker(failures=1, seconds=99) | Stop()), {"price": [BUSY]}, (READS,))
    scene.call("price")
    scene.call("price")
    scene.recorder.finish("answered")
    first, second = trace_from_events(scene.recorder.events).calls
    assert (first.said, second.said) == (BUSY, None)
    assert isinstance(second.shown, Failure)
    assert second.shown.type == "CircuitOpen"
    assert "refused" in scene.actions


def test_a_breaker_counts_its_own_tool_alone() -> None:
    way = Alternative("price", (AlternativeStep("quote", {}),), {"price": StepField(0, "net")})
    policy = Switch([way]) | Breaker(failures=3, seconds=99)
    scene = Stage(RecoveryLayer(policy), {"price": [GONE], "quote": [GONE]}, SPECS)
    scene.call("price")
    scene.call("price")
    assert "opened" not in scene.actions
    scene.call("price")
    assert "opened" in scene.actions


def test_a_retry_of_a_duplicated_fault_keeps_each_attempt_apart() -> None:
    rules = [{"match": {"tool": "price"}, "when": {"nth": 2}, "fault": {"kind": "duplicate"}}]
    rules.append({"match": {"tool": "price"}, "when": {"nth": 1}, "fault": {"kind": "error", "status": 503}})
    rules[1]["moment"] = "before"
    again = ToolSpec("price", idempotent=True)  # may be repeated, and has an effect that a fault can repeat
    scene = Stage(RecoveryLayer(active_policy()), {"price": [FINE]}, (again,))
    scene.session = Session(
        plan_from({"name": "p", "rules": rules}),
        layers=[RecoveryLayer(active_policy())],
        specs=[again],
        clock=VirtualClock(),
        watcher=scene.recorder,
    )
    assert scene.call("price") == FINE
    first, second = scene.end().turns
    assert (first.said, second.said, second.by) == (None, FINE, "retry")
