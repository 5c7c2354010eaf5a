"""A tool that really hangs is given up: cancelled in a task, left behind in a thread."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.inject import Session, VirtualClock
from sealegs.inject.deadline import was_left_running, with_deadline, with_deadline_async
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import Alternative, AlternativeStep, StepField
from sealegs.recovery.service import RecoveryService
from tests.recovery.stage import ACTS, FINE, READS

SHORT = 0.05
CALL = Call("price", {}, "call-1")


def seen(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failure)
    assert (outcome.type, outcome.status) == ("Timeout", 408)
    assert isinstance(outcome.exception, TimeoutError)
    return outcome


def test_a_thread_that_hangs_is_not_waited_for_and_may_still_do_its_work() -> None:
    go_on, done = threading.Event(), threading.Event()

    def hangs(call: Call) -> Outcome:
        go_on.wait(10)
        done.set()
        return FINE

    began = time.monotonic()
    assert "may still be at work" in seen(with_deadline(hangs, SHORT)(CALL)).message
    assert time.monotonic() - began < 5
    assert not done.is_set()
    go_on.set()
    assert done.wait(5)


def test_a_task_that_hangs_is_cancelled() -> None:
    cancelled: list[bool] = []

    async def hangs(call: Call) -> Outcome:
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.append(True)
        return FINE

    assert "cancelled" in seen(asyncio.run(as_coroutine(with_deadline_async(hangs, SHORT)))).message
    assert cancelled == [True]


async def as_coroutine(run: Callable[[Call], object]) -> Outcome:
    return await run(CALL)  # type: ignore[misc, no-any-return]


def test_a_task_that_does_not_heed_its_cancellation_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sealegs.inject.deadline.GRACE", SHORT)
    go_on = asyncio.Event()

    async def stubborn(call: Call) -> Outcome:
        while not go_on.is_set():
            try:
                await go_on.wait()
            except asyncio.CancelledError:
                continue
        return FINE

    async def play() -> Outcome:
        found = await as_coroutine(with_deadline_async(stubborn, SHORT))
        go_on.set()
        return found

    seen(asyncio.run(play()))


def test_an_answer_in_the_moment_of_the_cancellation_is_an_answer() -> None:
    async def late(call: Call) -> Outcome:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return FINE
        return Value("never")

    assert asyncio.run(as_coroutine(with_deadline_async(late, SHORT))) == FINE


def test_a_failure_that_the_cancellation_became_is_no_answer() -> None:
    """What clients make of a cancellation does not say what was done before."""

    async def translates(call: Call) -> Outcome:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return Failure("the client was closed", "ConnectionError")
        return Value("never")

    found = seen(asyncio.run(as_coroutine(with_deadline_async(translates, SHORT))))
    assert was_left_running(found)
    assert "may have done its work before" in found.message


def test_a_caller_who_goes_takes_the_run_with_it() -> None:
    cancelled: list[bool] = []

    async def hangs(call: Call) -> Outcome:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return FINE

    async def play() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(as_coroutine(with_deadline_async(hangs, 50)), SHORT)

    asyncio.run(play())
    assert cancelled == [True]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_what_a_tool_raises_passes_through(error: BaseException) -> None:
    def raises(call: Call) -> Outcome:
        raise error

    async def raises_async(call: Call) -> Outcome:
        raise error

    with pytest.raises(type(error)):
        with_deadline(raises, 5)(CALL)
    if isinstance(error, Exception):
        with pytest.raises(type(error)):
            asyncio.run(as_coroutine(with_deadline_async(raises_async, 5)))


def test_a_worker_has_the_caller_s_context() -> None:
    who = contextvars.ContextVar("who", default="nobody")
    who.set("Ann")
    assert with_deadline(lambda call: Value(who.get()), 5)(CALL) == Value("Ann")


@pytest.mark.parametrize("made", [RecoveryLayer, RecoveryService])
def test_a_hanging_read_is_tried_again_and_an_action_is_not(made: type[RecoveryLayer] | type[RecoveryService]) -> None:
    go_on = threading.Event()
    runs: list[str] = []

    def run(call: Call) -> Outcome:
        runs.append(call.tool)
        if runs.count(call.tool) == 1:
            go_on.wait(10)
        return FINE

    session = Session(layers=[made(deadline=SHORT)], specs=[READS, ACTS], clock=VirtualClock())
    assert session.call("price", {}, run) == FINE
    assert "find out before you ask again" in seen(session.call("pay", {}, run)).message
    assert runs == ["price", "price", "pay"]
    go_on.set()


def test_the_deadline_holds_for_tools_that_are_switched_to() -> None:
    way = Alternative("price", (AlternativeStep("quote", {}),), {"price": StepField(0, "net")})
    gone = Failure("Gone", "Gone", 410)

    async def hangs(call: Call) -> Outcome:
        await asyncio.sleep(60)
        return FINE

    async def fails(call: Call) -> Outcome:
        return gone

    layer = RecoveryLayer(active_policy([way]), deadline=SHORT)
    session = Session(layers=[layer], specs=[READS], others={"quote": hangs}, clock=VirtualClock())
    began = time.monotonic()
    shown = asyncio.run(session.call_async("price", {}, fails))
    assert isinstance(shown, Failure)
    assert time.monotonic() - began < 5


def test_a_deadline_of_nothing_is_none() -> None:
    with pytest.raises(ValueError, match="more than 0"):
        RecoveryLayer(deadline=0)
    with pytest.raises(ValueError, match="more than 0"):
        RecoveryService(deadline=-1)
