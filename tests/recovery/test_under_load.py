"""Drawn schedules of failing tools under load, in threads and tasks: no effect is doubled, and budgets hold.

Each call of the agent's has a script: what becomes of each run of its tool, and whether the work is done all the same.
The ledger is kept by the tool, not by the layer.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.recovery.budget import Budget
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import (
    Alternative,
    AlternativeStep,
    Breaker,
    CallArgument,
    MendArguments,
    Parse,
    ReadOn,
    Retry,
    StepField,
    Stop,
    Switch,
)
from sealegs.traces import LayerActionTaken, Recorder, TimePassed, build_record

TOOLS = (
    ToolSpec("read", effects=False),
    ToolSpec("put", effects=True, idempotent=True),
    ToolSpec("pay", effects=True),
    ToolSpec("spare", effects=True),
)
ONCE = ("pay", "spare")
WAYS = [
    Alternative(tool, (AlternativeStep("spare", {"n": CallArgument("n")}),), {"n": StepField(0, "n")})
    for tool in ("read", "pay")
]  # both go to a tool that has effects, the same deed for `pay`
BY_SPARE = {"recovery_note": "spare did this in place of pay. It is done: do not ask for it again."}
FAILURES: dict[str, tuple[Failure, bool]] = {  # with whether the work is done all the same
    "busy": (Failure("Service Unavailable", "ServiceUnavailable", 503), False),
    "lost": (Failure("Gateway Timeout", "GatewayTimeout", 504), True),
    "timeout": (Failure("no answer within 30 s", "TimeoutError"), True),
    "reset": (Failure("connection reset by peer", "ConnectionResetError"), True),
    "wait": (Failure("Too many requests", "RateLimit", 429, retry_after=0.001), False),
    "gone": (Failure("Gone", "Gone", 410), False),
    "refused": (Failure("Connection refused", "ConnectionError"), False),
    "odd": (Failure("something odd"), True),
}
BUDGET = Budget(calls=9, calls_each=3, seconds=0.2, money=1.0, prices={"pay": 0.3, "spare": 0.2, "read": 0.05})
SCRIPTS = st.lists(st.sampled_from(["fine", *FAILURES]), min_size=1, max_size=4)
SCHEDULES = st.lists(st.tuples(st.sampled_from(["read", "put", "pay"]), SCRIPTS), min_size=1, max_size=12)
Schedule = list[tuple[str, list[str]]]


@dataclass
class World:
    """The tools' side: what ran, and what was done, by the agent's call that it was for."""

    scripts: Schedule
    runs: Counter[tuple[int, str]] = field(default_factory=Counter)
    done: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, call: Call) -> Outcome:
        number = call.arguments["n"]
        with self.lock:
            place = sum(count for (owner, _), count in self.runs.items() if owner == number)
            self.runs[number, call.tool] += 1
            script = self.scripts[number][1]
            what = script[min(place, len(script) - 1)]
            if what == "fine":
                self.done[number] += call.tool in ONCE
                return Value({"n": number})
            failure, worked = FAILURES[what]
            self.done[number] += worked and call.tool in ONCE
            return failure

    async def run_async(self, call: Call) -> Outcome:
        await asyncio.sleep(0)
        outcome = self.run(call)
        await asyncio.sleep(0)
        return outcome


def guarded() -> tuple[Session, Recorder]:
    """A session under all the policies there are."""
    policy = Parse() | MendArguments() | ReadOn() | Retry(base=0.0005) | Breaker(4, 0.01) | Switch(WAYS) | Stop()
    clock = RealClock()
    recorder = Recorder(clock)
    recorder.start("load", {})
    layer = RecoveryLayer(policy, budget=BUDGET)
    return Session(layers=[layer], specs=TOOLS, others=None, clock=clock, watcher=recorder), recorder


def holds(world: World, shown: list[Outcome], recorder: Recorder) -> None:
    """What must be true of every schedule."""
    assert all(count <= 1 for count in world.done.values()), "an effect was doubled"
    for number, outcome in enumerate(shown):
        if isinstance(outcome, Value):
            by_spare = world.scripts[number][0] == "pay" and world.runs[number, "spare"]  # an action says who did it
            assert outcome.value == {"n": number, **(BY_SPARE if by_spare else {})}  # nobody's answer goes to another
    recorder.finish("answered")
    found = build_record(recorder.events)
    assert [turn.by for turn in found.turns].count("") == len(world.scripts)
    refused = sum(turn.refused for turn in found.turns)
    assert len(found.turns) - refused == sum(world.runs.values())  # each run stands in the record, and nothing else
    further = [turn for turn in found.turns if turn.by]
    assert len(further) <= BUDGET.calls
    assert max(Counter(turn.of for turn in further).values(), default=0) <= BUDGET.calls_each
    assert BUDGET.money is not None
    assert sum(BUDGET.prices.get(turn.call.tool, 0.0) for turn in further) <= BUDGET.money + 1e-9
    waits = [event.seconds or 0.0 for event in recorder.events if isinstance(event, TimePassed)]
    assert sum(waits) <= BUDGET.seconds
    ran = {(turn.call.arguments["n"], turn.call.tool) for turn in found.turns if not turn.refused}
    assert ran == set(world.runs)


@pytest.fixture(autouse=True, scope="module")
def _switching() -> Iterator[None]:
    """Threads take turns a thousand times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(usual)


@given(SCHEDULES)
@settings(max_examples=60)
def test_in_threads(schedule: Schedule) -> None:
    world, (session, recorder) = World(schedule), guarded()
    with ThreadPoolExecutor(6) as pool:
        calls = enumerate(schedule)
        shown = list(pool.map(lambda one: session.call(one[1][0], {"n": one[0]}, world.run), calls))
    holds(world, shown, recorder)


@given(SCHEDULES)
@settings(max_examples=60)
def test_in_tasks(schedule: Schedule) -> None:
    world, (session, recorder) = World(schedule), guarded()

    async def play() -> list[Outcome]:
        calls = (session.call_async(tool, {"n": n}, world.run_async) for n, (tool, _) in enumerate(schedule))
        return list(await asyncio.gather(*calls))

    holds(world, asyncio.run(play()), recorder)


@given(SCHEDULES)
@settings(max_examples=60)
def test_without_a_watcher_the_same_is_done(schedule: Schedule) -> None:
    """The short way that a session takes where nobody watches, call by call against the long one."""
    seen = []
    for watched in (True, False):
        world = World(schedule)
        clock = VirtualClock()
        recorder = Recorder(clock)
        recorder.start("one", {})
        layer = RecoveryLayer(Retry(base=0.0005) | Breaker(4, 0.01) | Switch(WAYS) | Stop(), budget=BUDGET)
        watcher = recorder if watched else None
        session = Session(layers=[layer], specs=TOOLS, others=None, clock=clock, watcher=watcher)
        shown = [session.call(tool, {"n": n}, world.run) for n, (tool, _) in enumerate(schedule)]
        seen.append((shown, world.runs, world.done, clock.now()))
    assert seen[0] == seen[1]


def test_an_action_that_another_tool_did_says_so_also_while_a_circuit_is_open() -> None:
    """The one way to such an answer in these schedules; threads come to it seldom."""
    world, clock = World([("pay", ["busy"])] * 4 + [("pay", ["fine"])]), VirtualClock()
    recorder = Recorder(clock)
    recorder.start("load", {})
    layer = RecoveryLayer(Breaker(4, 10) | Switch(WAYS), budget=BUDGET)
    session = Session(layers=[layer], specs=TOOLS, others=None, clock=clock, watcher=recorder)
    shown = [session.call("pay", {"n": number}, world.run) for number in range(5)]
    assert shown[-1] == Value({"n": 4, **BY_SPARE})
    holds(world, shown, recorder)


def test_the_checks_would_tell() -> None:
    """A layer that repeats everything is caught by them."""

    class Careless(Retry):
        def handle(self, failed_call: Any, context: Any) -> Any:
            context.may_repeat = lambda failed_call: True
            return (yield from super().handle(failed_call, context))

    world = World([("pay", ["timeout", "fine"])])
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("load", {})
    session = Session(layers=[RecoveryLayer(Careless())], specs=TOOLS, clock=clock, watcher=recorder)
    shown = [session.call("pay", {"n": 0}, world.run)]
    with pytest.raises(AssertionError, match="doubled"):
        holds(world, shown, recorder)


def test_of_many_at_once_a_half_open_circuit_lets_one_through() -> None:
    clock = VirtualClock()
    session = Session(layers=[RecoveryLayer(Breaker(1, 10))], specs=TOOLS, clock=clock)
    session.call("read", {"n": 0}, lambda call: FAILURES["busy"][0])
    clock.sleep(11, lambda: None)
    others, probes = threading.Semaphore(0), []

    def probe(call: Call) -> Outcome:
        probes.append(call)
        for _ in range(7):
            assert others.acquire(timeout=20)  # until all others have been refused
        return FAILURES["busy"][0]

    def ask(number: int) -> Outcome:
        shown = session.call("read", {"n": number}, probe)
        others.release()
        return shown

    with ThreadPoolExecutor(8) as pool:
        shown = list(pool.map(ask, range(8)))
    assert len(probes) == 1
    assert Counter(one.type for one in shown if isinstance(one, Failure)) == {"CircuitOpen": 7, "ServiceUnavailable": 1}
    again = session.call("read", {"n": 9}, probe)  # the probe failed: the while began anew
    assert isinstance(again, Failure)
    assert again.type == "CircuitOpen"
    clock.sleep(11, lambda: None)
    assert session.call("read", {"n": 10}, lambda call: Value(1)) == Value(1)
    assert session.call("read", {"n": 11}, lambda call: Value(2)) == Value(2)  # closed


def test_policies_for_some_troubles_compose_with_others() -> None:
    policy = Retry(base=0.001).only(tools=["read"]) | (Retry(base=5.0) | Stop()).only(categories=["transient"])
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("one", {})
    session = Session(layers=[RecoveryLayer(policy)], specs=TOOLS, clock=clock, watcher=recorder)
    session.call("read", {"n": 0}, lambda call: FAILURES["busy"][0])
    session.call("put", {"n": 1}, lambda call: FAILURES["gone"][0])
    actions = [
        (event.call, event.policy) for event in recorder.events if isinstance(event, LayerActionTaken) and event.policy
    ]
    tries = [("call-1", "retry")] * 5  # three quick ones, two more within `calls_each`
    assert actions == [*tries, ("call-1", "stop"), ("call-1", "layer")]
