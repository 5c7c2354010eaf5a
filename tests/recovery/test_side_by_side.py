"""Calls side by side, in threads and tasks, and callers who go away: budgets hold, waits do not depend on order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.plan_files import plan_from
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.recovery.budget import Budget, BudgetTracker
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Breaker, Retry
from sealegs.traces import Recorder, TimePassed
from sealegs.traces.observed import trace_from_events
from sealegs.traces.record import build_record
from tests.recovery.stage import BUSY, FINE, READS

QUICK = Retry(base=0.001)


def test_parallel_calls_share_one_budget() -> None:
    made = 0

    async def busy(call: Call) -> Outcome:
        nonlocal made
        made += 1
        await asyncio.sleep(0)
        return BUSY

    async def play() -> None:
        layer = RecoveryLayer(Retry(base=0.02), budget=Budget(calls=3))
        session = Session(layers=[layer], specs=[READS], clock=RealClock())
        await asyncio.gather(*(session.call_async("price", {"n": n}, busy) for n in range(8)))

    asyncio.run(play())
    assert made == 8 + 3


def test_threads_cannot_overdraw_a_purse() -> None:
    tracker = BudgetTracker(Budget(calls=500, calls_each=9, money=50.0, prices={"t": 0.25}))
    with ThreadPoolExecutor(8) as pool:
        had = sum(pool.map(lambda _: tracker.claim(["t"], 0), range(4000)))
    assert (had, tracker.calls, tracker.money) == (200, 200, 50.0)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9), st.booleans()), max_size=30))
def test_a_purse_is_never_overdrawn(claims: Sequence[tuple[int, int, bool]]) -> None:
    tracker = BudgetTracker(Budget(calls=9, calls_each=4, seconds=20, money=2.0, prices={"t": 0.3}))
    for count, seconds, back in claims:
        if tracker.claim(["t"] * count, 1, seconds) and back:
            tracker.give_back(["t"])
        assert 0 <= tracker.calls <= 9
        assert tracker.seconds <= 20
        assert tracker.money <= 2.0 + 1e-6


Order = list[tuple[str, int]]
CALLS = [(tool, n) for tool in ("price", "rate") for n in range(3)]


@given(st.permutations([*CALLS, *CALLS]))
@settings(max_examples=30)
def test_waits_do_not_depend_on_the_order_of_the_calls(order: Order) -> None:
    assert waits(order) == waits([*CALLS, *CALLS])


def waits(order: Order) -> Mapping[tuple[str, int], list[float | None]]:
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("order", {})
    specs = [READS, ToolSpec("rate", effects=False)]
    layer = RecoveryLayer(Retry(seed=3), budget=Budget(calls=99))
    session = Session(layers=[layer], specs=specs, clock=clock, watcher=recorder, episode="e")
    found: dict[tuple[str, int], list[float | None]] = {}
    for tool, n in order:
        before = len(recorder.events)
        session.call(tool, {"n": n}, lambda call: BUSY)
        found.setdefault((tool, n), []).extend(e.seconds for e in recorder.events[before:] if isinstance(e, TimePassed))
    assert all(len(set(each)) == 6 for each in found.values())  # each wait is drawn anew
    return found


def test_a_circuit_lets_one_call_through() -> None:
    clock = VirtualClock()
    layer = RecoveryLayer(Breaker(failures=1, seconds=10))
    session = Session(layers=[layer], specs=[READS], clock=clock)
    session.call("price", {}, lambda call: BUSY)
    clock.sleep(11, lambda: None)
    inside: list[Outcome] = []

    def probe(call: Call) -> Outcome:
        inside.append(session.call("price", {}, lambda call: FINE))
        return FINE

    assert session.call("price", {}, probe) == FINE
    (meanwhile,) = inside
    assert isinstance(meanwhile, Failure)
    assert meanwhile.type == "CircuitOpen"
    assert session.call("price", {}, lambda call: FINE) == FINE


def hanging(at: int) -> Session:
    """A session in which call number `at` of the tool hangs, and those before fail."""
    rules = [
        {"match": {"tool": "price"}, "when": {"first": at}, "fault": {"kind": "error", "status": 503}},
        {"match": {"tool": "price"}, "when": {"nth": at + 1}, "fault": {"kind": "hang"}},
    ]
    clock = RealClock()
    recorder = Recorder(clock)
    recorder.start("gone", {})
    plan = plan_from({"name": "p", "rules": rules})
    session = Session(plan, layers=[RecoveryLayer(QUICK)], specs=[READS], clock=clock, watcher=recorder)
    session.recorder = recorder  # type: ignore[attr-defined]
    return session


@pytest.mark.parametrize("at", [1, 2])
def test_a_caller_who_goes_in_the_middle_of_a_retry_leaves_a_whole_record(at: int) -> None:
    session = hanging(at)

    async def play() -> None:
        async def fine(call: Call) -> Outcome:
            return FINE

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(session.call_async("price", {}, fine), 0.2)

    asyncio.run(play())
    recorder: Recorder = session.recorder  # type: ignore[attr-defined]
    recorder.finish("answered")
    found = build_record(recorder.events)
    assert [turn.by for turn in found.turns] == ["", *["retry"] * at]
    assert found.turns[-1].shown is None
    assert found.turns[-1].faulted
    assert [call.by for call in trace_from_events(recorder.events).calls] == ["", *["retry"] * at]


def test_a_tool_that_ends_the_episode_in_a_retry_leaves_a_whole_record() -> None:
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("ended", {})
    session = Session(layers=[RecoveryLayer()], specs=[READS], clock=clock, watcher=recorder)
    answers: list[Any] = [BUSY, KeyboardInterrupt()]

    def run(call: Call) -> Outcome:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[no-any-return]

    with pytest.raises(KeyboardInterrupt):
        session.call("price", {}, run)
    recorder.finish("crashed")
    first, second = build_record(recorder.events).turns
    assert (first.shown, second.shown, second.by) == (BUSY, None, "retry")


def test_one_layer_serves_threads() -> None:
    layer = RecoveryLayer(QUICK, budget=Budget(calls=10_000))
    clock = RealClock()
    recorder = Recorder(clock)
    recorder.start("threads", {})
    session = Session(layers=[layer], specs=[READS], clock=clock, watcher=recorder)
    lock = threading.Lock()
    failed: set[int] = set()

    def run(call: Call) -> Outcome:
        with lock:
            n = call.arguments["n"]
            if n in failed:
                return Value({"price": float(n)})
            failed.add(n)
            return BUSY

    with ThreadPoolExecutor(8) as pool:
        shown = list(pool.map(lambda n: session.call("price", {"n": n}, run), range(100)))
    assert shown == [Value({"price": float(n)}) for n in range(100)]
    recorder.finish("answered")
    assert len(build_record(recorder.events).turns) == 200


def test_a_layer_stands_in_one_session() -> None:
    layer = RecoveryLayer(QUICK)
    Session(layers=[layer], episode="first")
    with pytest.raises(RuntimeError, match=r"session \(episode 'first'\).*RecoveryService"):
        Session(layers=[layer])
    with pytest.raises(ValueError, match="appears twice"):
        Session(layers=[twice := RecoveryLayer(QUICK), twice])
