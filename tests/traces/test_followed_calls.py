"""A recorder follows a call that nothing strikes without the layers, and records what it would record around them."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs import report_effect
from sealegs.adapters.python import wrap
from sealegs.faults import Plan, Rule
from sealegs.faults.call import Call, Layer, Moment, Outcome
from sealegs.faults.kinds import Connection, Delay, Error
from sealegs.faults.triggers import Nth, Probability, Tool
from sealegs.inject import Session, VirtualClock, current_call
from sealegs.inject.injection import Injection
from sealegs.inject.layer_context import FollowingWatcher
from sealegs.traces import Recorder
from sealegs.traces.events import Event

Play = Callable[[Session], object]


class Around:
    """A recorder that can only stand around the layers."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def around(self, layer: Layer) -> Layer:
        return self._recorder.around(layer)

    def injected(self, injection: Injection) -> None:
        self._recorder.injected(injection)


class Counting(Recorder):
    """A recorder that counts the calls that it follows without the layers."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self.followed: list[str] = []

    def follow(self, call: Call, run: Callable[[Call], Outcome]) -> Outcome:
        self.followed.append(call.id)
        return super().follow(call, run)


def events(play: Play, plan: Plan, *, followed: bool) -> list[Event]:
    clock = VirtualClock()
    recorder = Recorder(clock)
    assert isinstance(recorder, FollowingWatcher)
    recorder.start("one", {})
    with Session(plan, episode="one", clock=clock, watcher=recorder if followed else Around(recorder)) as session:
        try:
            play(session)
        except BaseException as error:  # also what ends a process
            recorder.wrote(f"{type(error).__name__}: {error}")
    recorder.finish("answered")
    return recorder.events


def pay(amount: float, to: str = "shop") -> Any:
    call = current_call()
    assert call is not None
    if amount < 0:
        raise ValueError(f"no {amount}")
    if amount == 13:
        raise KeyboardInterrupt
    if amount == 99:
        raise StopIteration
    report_effect("pay", to, amount=amount)
    return {"paid": amount, "to": to, "call": call.id, "parts": [amount, {"of": to}]}


async def pay_async(amount: float, to: str = "shop") -> Any:
    await asyncio.sleep(0)
    return pay(amount, to)


ALIKE = Error(exception="ValueError", message="no -1")
AMOUNTS = st.lists(st.sampled_from([1, 2.5, -1, 13, True, 10**5000, float("nan")]), min_size=1, max_size=5)
PLANS = st.sampled_from(
    [
        Plan(name="none"),
        Plan(name="other", rules=(Rule(match=Tool("search"), fault=Error(status=503)),)),
        Plan(name="drawn", rules=(Rule(match=Tool("pay*"), when=Probability(0.4), fault=Error(status=503)),)),
        Plan(name="struck", rules=(Rule(match=Tool("pay*"), fault=Error(status=503)),)),
        Plan(name="after", rules=(Rule(match=Tool("pay*"), fault=Connection(mode="reset"), moment="after"),)),
        # The tool fails as the fault does, which then has not been delivered and gives its place back.
        Plan(name="alike", rules=(Rule(match=Tool("pay*"), fault=ALIKE, moment="after", at_most=1),)),
        Plan(
            name="two",
            rules=(
                Rule(match=Tool("pay*"), when=Nth(2), fault=Delay(seconds=3)),
                Rule(match=Tool("pay*"), when=Probability(0.4), fault=Error(status=503)),
            ),
        ),
    ]
)


@given(AMOUNTS, PLANS)
def test_both_ways_record_the_same(amounts: list[float], plan: Plan) -> None:
    def play(session: Session) -> None:
        guarded = wrap(pay, session)
        for amount in amounts:
            try:
                guarded(amount, to="x")
            except Exception as error:
                session.clock.sleep(len(str(error)), lambda: None)

    assert events(play, plan, followed=True) == events(play, plan, followed=False)


@given(AMOUNTS, PLANS)
def test_both_ways_record_the_same_of_async_tools(amounts: list[float], plan: Plan) -> None:
    def play(session: Session) -> None:
        guarded = wrap(pay_async, session, name="pay")

        async def all_of_them() -> None:
            for amount in amounts:
                try:
                    await guarded(amount)
                except Exception as error:
                    await session.clock.sleep_async(len(str(error)), lambda: None)

        asyncio.run(all_of_them())

    assert events(play, plan, followed=True) == events(play, plan, followed=False)


@pytest.mark.parametrize("followed", [True, False])
def test_a_cancelled_call_is_recorded_without_an_answer(followed: bool) -> None:
    async def endless(amount: float) -> None:
        await asyncio.sleep(60)

    def play(session: Session) -> None:
        async def cancelled() -> None:
            task = asyncio.ensure_future(wrap(endless, session)(1))
            await asyncio.sleep(0.01)
            task.cancel()
            await task

        asyncio.run(cancelled())

    shown = [event for event in events(play, Plan(name="none"), followed=followed) if event.type == "shown"]
    assert [(event.outcome, event.runs, event.true) for event in shown] == [(None, 0, False)]


def test_a_tool_that_calls_another_keeps_its_own_call_and_ledger() -> None:
    def play(session: Session) -> None:
        inner = wrap(pay, session)

        def outer(amount: float) -> Any:
            inner(amount)
            report_effect("notify", "someone")
            call = current_call()
            assert call is not None
            return call.id

        assert wrap(outer, session)(2) == "call-1"
        assert current_call() is None
        report_effect("nobody's", "outside of a tool")

    found = events(play, Plan(name="none"), followed=True)
    assert found == events(play, Plan(name="none"), followed=False)
    assert [(event.call, event.action) for event in found if event.type == "effected"] == [
        ("call-2", "pay"),
        ("call-1", "notify"),
    ]


def test_what_was_recorded_does_not_change_with_the_objects() -> None:
    kept: list[dict[str, Any]] = []

    def play(session: Session) -> None:
        def note(item: dict[str, Any]) -> dict[str, Any]:
            kept.append(item)
            item["seen"] = True
            return item

        answer = wrap(note, session)({"name": "a"})
        answer["name"] = "b"

    found = events(play, Plan(name="n"), followed=True)
    assert [one.arguments for one in found if one.type == "called"] == [{"item": {"name": "a"}}]
    assert [one.outcome for one in found if one.type == "shown"] == [{"value": {"name": "a", "seen": True}}]


def test_a_call_is_followed_unless_a_fault_strikes_it() -> None:
    clock = VirtualClock()
    recorder = Counting(clock)
    plan = Plan(name="second", rules=(Rule(match=Tool("pay"), when=Nth(2), fault=Error(status=503)),))
    with Session(plan, clock=clock, watcher=recorder) as session:
        guarded = wrap(pay, session)
        guarded(1)
        with pytest.raises(Exception, match="Service Unavailable"):
            guarded(2)
        guarded(3)
    assert recorder.followed == ["call-1", "call-3"]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("in_task", [True, False])
def test_a_struck_call_goes_with_the_last_reference_to_it(moment: Moment, recorded: bool, in_task: bool) -> None:
    """Without a garbage collection, though its tool raised."""

    class Big:
        pass

    def breaks(big: Big) -> None:
        raise LookupError

    async def breaks_async(big: Big) -> None:
        raise LookupError

    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("one", {})
    struck = Plan(name="struck", rules=(Rule(match=Tool("*"), fault=Error(status=500), moment=moment),))
    session = Session(struck, clock=clock, watcher=recorder if recorded else None)

    def attempt() -> weakref.ref[Big]:
        big = Big()
        with suppress(Exception):
            wrap(breaks, session)(big)
        return weakref.ref(big)

    async def attempt_async() -> bool:
        big = Big()
        with suppress(Exception):
            await wrap(breaks_async, session)(big)
        kept = weakref.ref(big)
        del big
        return kept() is None

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(attempt_async()) if in_task else attempt()() is None
    finally:
        gc.enable()
