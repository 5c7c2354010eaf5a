"""Calls whose caller leaves before they have an outcome: they are not under way any more."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sealegs.adapters.python import wrap
from sealegs.faults.call import Call, Failure, Outcome, Value, Wait
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import CallArgument, Retry, Verify
from sealegs.recovery.policies.completion_check import Check, ListedEntry

LOST = Failure("no answer in time", "Timeout", 504)
PAY = ToolSpec("pay", effects=True)
LOOK = ToolSpec("list_payments", effects=False)
BOOKED = ListedEntry("payments", {"reference": CallArgument("reference"), "amount": CallArgument("amount")})


def test_a_task_that_is_cancelled_leaves_nothing_under_way() -> None:
    rows: list[str] = []
    begun: list[asyncio.Event] = []

    async def pay(reference: str) -> dict[str, int]:
        rows.append(reference)
        if begun:
            begun.pop().set()
            await asyncio.sleep(60)
        rows.pop()
        raise ConnectionError("reset")

    async def list_payments() -> dict[str, Any]:
        return {"payments": [{"reference": row} for row in rows]}

    where = ListedEntry("payments", {"reference": CallArgument("reference")})
    layer = RecoveryLayer(active_policy(checks={"pay": Check("list_payments", {}, where, settles=0)}))
    made = wrap([pay, list_payments], Session(layers=[layer], specs=[PAY, LOOK]))[0]

    async def both() -> Any:
        begun.append(entered := asyncio.Event())
        task = asyncio.create_task(made("r"))
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await made("r")

    assert asyncio.run(both())["done"] is True


def test_a_caller_that_leaves_during_recovery_leaves_nothing_under_way() -> None:
    layer = RecoveryLayer(Retry() | Verify({"pay": Check("list_payments", {}, BOOKED, settles=2)}))
    Session(layers=[layer], specs=[PAY, LOOK], others=None, clock=VirtualClock())
    arguments = {"reference": "r", "amount": 5}
    for steps_taken in range(3):
        call = layer(Call("pay", arguments, f"left-{steps_taken}"))
        next(call)
        if steps_taken:
            assert isinstance(call.send(LOST), Wait)
        if steps_taken == 2:
            assert next(call).tool == "list_payments"  # type: ignore[union-attr]
        call.close()
    call = layer(Call("pay", arguments, "last"))
    next(call)
    call.send(LOST)
    next(call)
    with pytest.raises(StopIteration) as end:
        call.send(Value({"payments": [arguments]}))
    assert isinstance(end.value.value, Value)


def test_a_check_for_some_failures_alone_leaves_nothing_under_way() -> None:
    policy = Verify({"pay": Check("list_payments", {}, BOOKED, settles=0)}).only(categories=["unknown"])
    session = Session(layers=[RecoveryLayer(policy)], specs=[PAY, LOOK], others=None, clock=VirtualClock())
    arguments = {"reference": "r", "amount": 5}
    answers = [LOST, Failure("?", "Strange")]

    def run(call: Call) -> Outcome:
        return Value({"payments": [arguments]}) if call.tool == "list_payments" else answers.pop(0)

    assert session.call("pay", arguments, run) == LOST
    assert isinstance(session.call("pay", arguments, run), Value)
