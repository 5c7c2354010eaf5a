"""One idempotency key for all tries of a call, and for an equal call while the outcome is in doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from sealegs import tool, wrap
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import MendArguments, Retry
from sealegs.recovery.recovery_plan import RecoveryPlan
from tests.recovery.stage import Stage

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"amount": {"type": "number"}, "token": {"type": "string"}}}
PAY = ToolSpec("pay", effects=True, key="token", parameters=SCHEMA)
BUSY = Failure("busy", "ServiceUnavailable", 503)
GONE = Failure("discontinued", "Gone", 410)
PAID = Value({"id": "p1"})


def keys(stage: Stage) -> list[Any]:
    return [arguments.get("token") for _, arguments in stage.made]


def stage(*answers: Outcome, spec: ToolSpec = PAY) -> Stage:
    return Stage(RecoveryLayer(), {"pay": list(answers)}, (spec,))


def test_all_tries_of_a_call_share_a_key() -> None:
    scene = stage(BUSY, BUSY, PAID)
    assert scene.call("pay", amount=5) == PAID
    assert len(scene.made) == 3
    (key,) = set(keys(scene))
    assert str(UUID(key)) == key
    assert scene.end().turns[0].call.arguments == {"amount": 5}  # as the agent made it


def test_calls_have_keys_of_their_own_unless_the_outcome_is_in_doubt() -> None:
    scene = stage(PAID, PAID, GONE, GONE, PAID, PAID)
    for amount in (5, 5, 7, 7, 7, 7):
        scene.call("pay", amount=amount)
    first, second, *doubt, last = keys(scene)
    assert len({first, second, doubt[0], last}) == 4
    assert len(set(doubt)) == 1


def test_an_equal_call_that_went_well_meanwhile_leaves_the_doubt() -> None:
    """Two equal wishes side by side: the answer of one is lost, and then the other is answered."""
    served: list[str] = []
    scene = stage(PAID)

    def run(call: Call) -> Outcome:
        served.append(call.arguments["token"])
        nth = len(served)
        if nth == 1:  # while it is at work
            assert scene.session.call("pay", {"amount": 5}, run) == GONE
        return GONE if nth == 2 else PAID

    assert scene.session.call("pay", {"amount": 5}, run) == PAID
    assert scene.session.call("pay", {"amount": 5}, run) == PAID
    assert scene.session.call("pay", {"amount": 5}, run) == PAID
    first, lost, again, new = served
    assert again == lost
    assert len({first, lost, new}) == 3


def test_each_of_several_doubts_keeps_its_key() -> None:
    served: list[str] = []
    scene = stage(PAID)

    def run(call: Call) -> Outcome:
        served.append(call.arguments["token"])
        if len(served) == 1:
            scene.session.call("pay", {"amount": 5}, run)
        return GONE if len(served) <= 2 else PAID

    for _ in range(4):
        scene.session.call("pay", {"amount": 5}, run)
    first, second, *again, new = served
    assert sorted(again) == sorted([first, second])
    assert new not in again


def test_a_call_that_the_agent_mends_itself_carries_the_key() -> None:
    """Recovery mended the arguments, and the answer was lost; the agent then corrects them, too."""
    refused = Failure("amuont: unexpected", "ValidationError", 422, unsent=True)
    spec = replace(PAY, parameters={**SCHEMA, "required": ["amount"], "additionalProperties": False})
    scene = Stage(RecoveryLayer(MendArguments()), {"pay": [refused, GONE, PAID, PAID]}, (spec,))
    scene.call("pay", amuont=5)
    scene.call("pay", amount=5)
    scene.call("pay", amount=5)
    first, mended, again, new = keys(scene)
    assert first == mended == again != new


@pytest.mark.parametrize(
    "again",
    [
        {"amount": 5},
        {"amount": "5"},
        {"memo": "", "amount": 5.0},
        {"amount": 5.0, "token": None},
        {"amount": 5.0, "token": ""},
    ],
)
def test_an_equal_call_in_another_form_carries_the_same_key(again: dict[str, Any]) -> None:
    fields = {**SCHEMA["properties"], "memo": {"type": "string", "default": ""}}
    scene = stage(GONE, PAID, spec=replace(PAY, parameters={"type": "object", "properties": fields}))
    scene.call("pay", amount=5.0)
    scene.call("pay", **again)
    assert len(keys(scene)) == 2
    assert len(set(keys(scene))) == 1


def test_the_agents_own_key_is_used() -> None:
    scene = stage(BUSY, PAID)
    assert scene.call("pay", amount=5, token="mine") == PAID
    assert keys(scene) == ["mine", "mine"]


def test_keys_are_a_function_of_episode_and_call_on_a_virtual_clock_alone() -> None:
    def key(clock: Any, episode: str) -> str:
        seen: list[str] = []

        def pay(amount: float, token: str = "") -> str:
            seen.append(token)
            return "paid"

        session = Session(layers=[RecoveryLayer()], specs=[PAY], clock=clock, episode=episode)
        wrap(pay, session)(amount=5.0)
        return seen[0]

    assert key(VirtualClock(), "a") == key(VirtualClock(), "a") != key(VirtualClock(), "b")
    assert key(RealClock(), "a") != key(RealClock(), "a")


def test_a_key_that_the_tool_does_not_take_is_a_mistake_or_left_away(caplog: pytest.LogCaptureFixture) -> None:
    wrong = ToolSpec("pay", effects=True, key="idempotency_key", parameters=SCHEMA)
    with pytest.raises(UserError, match=r"pay has no parameter 'idempotency_key'.*it has amount, token"):
        stage(PAID, spec=wrong)
    late = stage(BUSY, PAID)
    late.session.know([replace(wrong, name="other"), wrong])
    late.session.know([wrong])
    lines = [line for line in caplog.messages if line.startswith("pay ")]
    assert lines == [
        "pay has no parameter 'idempotency_key' for its idempotency key; it has amount, token; its calls are "
        "made without a key"
    ]
    assert late.call("pay", amount=5) == BUSY
    assert late.made == [("pay", {"amount": 5})]


@pytest.mark.parametrize("service", [False, True])
def test_a_key_that_a_functions_signature_lacks_is_a_mistake_when_it_is_wrapped(service: bool) -> None:
    def pay(amount: float, memo: str = "") -> str:
        return "paid"

    def free(**more: Any) -> str:
        return "paid"

    plan = RecoveryPlan.model_validate({"tools": {"*": {"effects": True, "key": "token"}}})
    session = Session(layers=[plan.service() if service else plan.layer()], clock=VirtualClock())
    with pytest.raises(UserError, match=r"^pay has no parameter 'token' for its idempotency key; it has amount, memo$"):
        wrap(pay, session)
    with pytest.raises(UserError, match="it has none"):
        wrap(lambda: "paid", session, name="nothing")
    assert wrap(free, session)() == "paid"


def test_a_key_that_a_marked_functions_signature_lacks_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    @tool(effects=True)
    def settle(amount: float) -> str:
        return "paid"

    plan = RecoveryPlan.model_validate({"tools": {"settle": {"effects": True, "key": "token"}}})
    with Session(layers=[plan.layer()], clock=VirtualClock()):
        assert settle(5.0) == settle(6.0) == "paid"
    assert [line.split(";")[1] for line in caplog.messages] == [" it has amount"]


def test_a_default_of_the_signature_counts_as_left_out() -> None:
    seen: list[str] = []

    def pay(amount: float, memo: str = "", token: str | None = None) -> str:
        seen.append(str(token))
        raise TimeoutError

    plan = RecoveryPlan.model_validate({"tools": {"pay": {"effects": True, "key": "token"}}, "policies": ["stop"]})
    paying = wrap(pay, Session(layers=[plan.layer()], clock=VirtualClock()))
    for arguments in ({}, {"memo": ""}, {"token": None}, {"memo": "x"}):
        with pytest.raises(TimeoutError):
            paying(5.0, **arguments)
    assert len(set(seen[:3])) == 1
    assert len(set(seen)) == 2


def test_a_key_added_to_a_call_that_a_watcher_follows_is_added_once() -> None:
    """Alone in its session the layer is called before and after; under a watcher it runs as a layer."""
    for watched in (False, True):
        seen: list[str] = []

        def pay(amount: float, token: str = "", seen: list[str] = seen) -> str:
            seen.append(token)
            if len(seen) < 2:
                raise TimeoutError
            return "paid"

        scene = stage(PAID)
        clock = VirtualClock()
        watcher = scene.recorder if watched else None
        session = Session(layers=[RecoveryLayer(Retry())], specs=[PAY], clock=clock, watcher=watcher)
        assert wrap(pay, session)(amount=5.0) == "paid"
        assert len(seen) == 2
        assert len(set(seen)) == 1
