"""A recorded episode is served again: from the record alone, under new faults, and what it lacks is reported."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.adapters.python import tool, wrap
from sealegs.faults import Call, Effect, Failure, Outcome, Plan, Rule, ToolSpec, Value
from sealegs.faults.invariants import Bounds
from sealegs.faults.kinds import (
    AnyFault,
    Delay,
    Delta,
    Error,
    Hang,
    Interrupted,
    LostAck,
    PhysicsViolation,
    SilentNoop,
    Stale,
    WrongEntity,
)
from sealegs.faults.triggers import Always, AnyCondition, Nth, Probability, Tool
from sealegs.inject import MisfireWarning, RealClock, Session, VirtualClock
from sealegs.traces import Recorder
from sealegs.traces.archive import NO_RECORD, Archive
from sealegs.traces.observed import NOT_KEPT, Observation, Trace, trace_from_events
from sealegs.traces.trace_replay import Replay, replay_trace


def seen(*calls: tuple[str, Mapping[str, Any] | None, Outcome | None], name: str = "e", **about: Any) -> Trace:
    made = [
        Observation(tool, at, 0.0, arguments, outcome, outcome) for at, (tool, arguments, outcome) in enumerate(calls)
    ]
    return Trace(name, tuple(made), about)


def plan(fault: AnyFault, when: AnyCondition | None = None, tool: str = "*") -> Plan:
    moment = fault.simplest_moment()
    return Plan(name="p", rules=(Rule(id="r", match=Tool(tool), when=when or Always(), fault=fault, moment=moment),))


SHOP = seen(
    ("search", {"q": "lamp"}, Value([{"id": 7, "price": 40}])),
    ("search", {"q": "lamp"}, Value([{"id": 8, "price": 50}])),
    ("buy", {"id": 7, "note": "today"}, Value({"order": 1})),
    ("buy", {"id": 9}, Failure("no such article", type="NotFound", status=404)),
    ("pay", {"order": 1}, None),
    ("sum", {"of": [1, 2]}, Failure("bad", type="ValueError")),
    task="lamps",
)


def test_calls_get_their_answers_in_the_order_of_the_record() -> None:
    archive = Archive(SHOP)
    answers = [archive.run(Call("search", {"q": "lamp"}, f"c{n}")) for n in range(3)]
    assert answers == [Value([{"id": 7, "price": 40}]), Value([{"id": 8, "price": 50}]), answers[1]]
    assert [one.source for one in archive.served] == ["recorded", "recorded", "repeated"]


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("search", {"q": "table"}, "the record has no call with these arguments"),
        ("search", {}, "the record has no call with these arguments"),
        ("search", {"q": "lamp", "page": 2}, "the record has no call with these arguments"),
        ("ask", {}, "the record has no such tool"),
        ("pay", {"order": 1}, "the record lacks the tool's own answer"),
    ],
)
def test_what_the_record_cannot_answer_is_refused_and_noted(name: str, arguments: dict[str, Any], why: str) -> None:
    archive = Archive(SHOP)
    outcome = archive.run(Call(name, arguments, "c1"))
    assert isinstance(outcome, Failure)
    assert outcome.type == NO_RECORD
    assert why in outcome.message
    ((one),) = archive.served
    assert (one.call, one.tool, one.arguments, one.source, one.why) == ("c1", name, arguments, "missing", why)


def test_arguments_are_equal_as_json() -> None:
    archive = Archive(SHOP)
    assert isinstance(archive.run(Call("sum", {"of": (1.0, 2)})), Failure)
    archive.run(Call("sum", {"of": [True, 2]}))
    assert [one.source for one in archive.served] == ["recorded", "missing"]


def test_some_arguments_may_be_left_out_of_the_comparison() -> None:
    archive = Archive(SHOP, ignore=["note"])
    assert archive.run(Call("buy", {"id": 7, "note": "tomorrow"})) == Value({"order": 1})
    assert archive.run(Call("buy", {"id": 7})) == Value({"order": 1})


def test_an_error_that_python_knows_comes_as_its_exception() -> None:
    outcome = Archive(SHOP).run(Call("sum", {"of": [1, 2]}))
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.exception, ValueError)
    assert str(outcome.exception) == "bad"


def test_an_answer_that_was_not_kept_is_none() -> None:
    archive = Archive(seen(("a", {}, NOT_KEPT), ("b", None, Value(1))))
    assert isinstance(archive.run(Call("a", {})), Failure)
    assert isinstance(archive.run(Call("b", {})), Failure)
    assert [one.why for one in archive.served] == [
        "the record lacks the tool's own answer",
        "the record did not keep the arguments of all calls of this tool",
    ]


def test_what_an_agent_does_to_an_answer_does_not_reach_the_record() -> None:
    archive = Archive(SHOP)
    archive.run(Call("search", {"q": "lamp"})).value.clear()  # type: ignore[union-attr]
    assert Archive(SHOP).run(Call("search", {"q": "lamp"})) == Value([{"id": 7, "price": 40}])


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.integers()), max_size=30))
def test_without_faults_the_recorded_calls_get_the_recorded_answers(calls: list[tuple[str, int, int]]) -> None:
    trace = seen(*((name, {"n": n}, Value(answer)) for name, n, answer in calls))
    found = replay_trace(trace)
    assert [turn.shown for turn in found.record.turns] == [call.said for call in trace.calls]
    assert not found.missing
    assert all(one.source == "recorded" for one in found.served)


def test_the_recorded_calls_meet_the_new_faults_and_not_the_old() -> None:
    first = Recorder(VirtualClock())
    first.start("e", {"task": "t"})
    session = Session(plan(Delta(offset=0.5, fields=("price",)), Nth(1)), watcher=first)
    for _ in range(3):
        session.call("quote", {}, lambda call: Value({"price": 40}))
    first.finish("answered", answer="60")
    found = replay_trace(trace_from_events(first.events), plan(Error(status=503), Nth(2)))
    shown = [turn.shown for turn in found.record.turns]
    assert shown[0] == shown[2] == Value({"price": 40})
    assert isinstance(shown[1], Failure)
    assert found.record.exposed
    assert found.record.about == {"replay_of": {"task": "t"}, "plan": found.record.about["plan"]}
    assert [turn.faulted for turn in found.record.turns] == [False, True, False]


def search(q: str) -> Any:
    """The agent's own tool, which must never run."""
    RAN.append(q)


def buy(id: int) -> Any:
    """Another one."""
    RAN.append(id)


def shopper(session: Replay) -> str:
    """Searches until it works, then buys."""
    finds, buys = wrap(search, session), wrap(buy, session)
    for _ in range(5):
        try:
            article = finds("lamp")[0]["id"]
            break
        except Exception:
            continue
    return f"order {buys(article)['order']} of {session.trace.about['task']}"


RAN: list[Any] = []
BOUGHT = seen(("search", {"q": "lamp"}, Value([{"id": 7}])), ("buy", {"id": 7}, Value({"order": 1})), task="lamps")


def test_an_agent_plays_against_the_record() -> None:
    found = replay_trace(BOUGHT, plan(Error(status=503), Nth(1), "search"), shopper)
    assert found.record.answer == "order 1 of lamps"
    assert found.record.end.reason == "answered"
    assert [turn.call.tool for turn in found.record.turns] == ["search", "search", "buy"]
    assert RAN == []
    assert [one.source for one in found.served] == ["recorded", "recorded"]


def test_a_lost_answer_used_the_record_up_and_a_second_try_repeats_it() -> None:
    found = replay_trace(BOUGHT, plan(LostAck(), Nth(1), "search"), shopper)
    assert found.record.answer == "order 1 of lamps"
    assert [(one.tool, one.source) for one in found.served] == [
        ("search", "recorded"),
        ("search", "repeated"),
        ("buy", "recorded"),
    ]


def test_a_dry_run_uses_nothing_up_and_leaves_no_effect() -> None:
    effect = Effect("order", "lamp", {}, "old")
    call = Observation("buy", 0.0, 0.0, {"id": 7}, Value({"order": 1}), None, effects=(effect,))
    trace = Trace("e", (call, call))
    found = replay_trace(trace, plan(SilentNoop(), Nth(1)))
    first, second = found.record.turns
    assert first.faulted
    assert first.shown == Value({"order": 1})
    assert first.effects == ()
    assert [(one.action, one.call) for one in second.effects] == [("order", "call-2")]
    assert [one.source for one in found.served] == ["recorded", "recorded"]


def test_what_an_agent_does_off_the_record_is_reported() -> None:
    def other(session: Replay) -> str:
        try:
            return str(wrap(lambda q: 1, session, name="search")(q="table"))
        except Exception as error:
            return f"{type(error).__name__}"

    found = replay_trace(BOUGHT, agent=other)
    assert found.record.answer == NO_RECORD
    (missing,) = found.missing
    assert (missing.tool, missing.arguments) == ("search", {"q": "table"})


def test_marked_tools_find_the_replay() -> None:
    @tool
    def search(q: str) -> Any:
        raise AssertionError("the real tool ran")

    found = replay_trace(BOUGHT, agent=lambda session: search("lamp")[0]["id"])
    assert found.record.answer == "7"
    assert search.__name__ == "search"


def test_an_async_agent_with_calls_in_parallel() -> None:
    trace = seen(*((f"t{n}", {"n": n}, Value(n)) for n in range(10)))

    async def agent(session: Replay) -> list[int]:
        async def inside(n: int) -> int:
            raise AssertionError("the real tool ran")

        tools = [wrap(inside, session, name=f"t{n}") for n in range(10)]
        return list(await asyncio.gather(*(one(n) for n, one in enumerate(tools))))

    assert replay_trace(trace, plan(Delay(seconds=3)), agent).record.answer == str(list(range(10)))


def test_an_agent_with_threads() -> None:
    trace = seen(*(("t", {"n": n % 5}, Value(n)) for n in range(200)))

    def agent(session: Replay) -> list[int]:
        def inside(n: int) -> int:
            raise AssertionError("the real tool ran")

        guarded = wrap(inside, session, name="t")
        with ThreadPoolExecutor(8) as pool:
            return sorted(pool.map(guarded, [n % 5 for n in range(200)]))

    found = replay_trace(trace, agent=agent)
    assert found.record.answer == str(list(range(200)))
    assert all(one.source == "recorded" for one in found.served)


def test_an_agent_that_breaks_down_or_hangs_is_a_result() -> None:
    def broken(session: Replay) -> None:
        raise LookupError("no lamp")

    found = replay_trace(BOUGHT, agent=broken)
    assert (found.record.end.reason, found.record.end.detail) == ("crashed", "LookupError: no lamp")
    hung = replay_trace(BOUGHT, plan(Hang(), Nth(1)))
    assert hung.record.end.reason == "hung"
    gave_up = replay_trace(BOUGHT, plan(Hang(), Nth(1)), timeout=30)
    assert gave_up.record.end.reason == "answered"
    assert len(gave_up.record.turns) == 2


def test_an_agent_with_its_own_timeout_on_the_real_clock() -> None:
    async def agent(session: Replay) -> str:
        async def search(q: str) -> Any: ...

        try:
            return str(await asyncio.wait_for(wrap(search, session)("lamp"), 0.05))
        except TimeoutError:
            return "gave up"

    found = replay_trace(BOUGHT, plan(Hang()), agent, clock=RealClock())
    assert found.record.answer == "gave up"
    assert found.record.turns[0].faulted


def test_the_same_plan_strikes_the_same_calls_as_in_the_recording() -> None:
    faults = plan(Error(status=500), Probability(0.4))
    first = Recorder(VirtualClock())
    first.start("monday", {})
    session = Session(faults, episode="monday", watcher=first)
    for n in range(40):
        session.call("t", {"n": n}, lambda call: Value(1))
    first.finish("answered")
    trace = trace_from_events(first.events)
    again = replay_trace(trace, faults)
    assert [turn.faulted for turn in again.record.turns] == [call.faulted for call in trace.calls]
    assert not again.missing  # where the fault stood in the recording, it stands again


def test_a_call_whose_answer_a_fault_of_the_recording_took_is_missing() -> None:
    first = Recorder(VirtualClock())
    first.start("e", {})
    session = Session(plan(Error(status=500), Nth(1)), watcher=first)
    session.call("t", {}, lambda call: Value(1))
    first.finish("answered")
    found = replay_trace(trace_from_events(first.events))
    assert found.missing[0].why == "the record lacks the tool's own answer"


def test_faults_that_look_back_see_the_replay_s_answers() -> None:
    trace = seen(("t", {}, Value(1)), ("t", {}, Value(2)))
    found = replay_trace(trace, plan(Stale(), Nth(2)))
    assert [turn.shown for turn in found.record.turns] == [Value(1), Value(1)]


def test_nothing_of_a_replay_is_left_behind() -> None:
    before = threading.active_count()
    replay_trace(BOUGHT, plan(Hang()), timeout=1)
    assert threading.active_count() == before


LETTERS = seen(("spell", {"word": "oar"}, Value(["o", "a", "r"])))


@pytest.mark.parametrize("sync", [True, False])
def test_an_answer_in_pieces_is_served_in_chunks_and_the_tool_never_runs(sync: bool) -> None:
    def letters(word: str) -> Iterator[str]:
        raise AssertionError("a replay runs no tool")
        yield word

    async def letters_async(word: str) -> AsyncIterator[str]:
        raise AssertionError("a replay runs no tool")
        yield word

    async def heard(session: Replay) -> list[str]:
        return [chunk async for chunk in wrap(letters_async, session, name="spell")("oar")]

    def agent(session: Replay) -> str:
        if not sync:
            return "".join(asyncio.run(heard(session)))
        return "".join(wrap(letters, session, name="spell")("oar"))

    assert replay_trace(LETTERS, agent=agent).record.answer == "oar"
    broken = replay_trace(LETTERS, plan(Interrupted(after=2)), agent)
    assert broken.record.end.reason == "crashed"
    assert broken.record.turns[0].faulted


SLOW = Trace(
    "e",
    (
        Observation("a", 0.0, 2.0, {}, Value([1, 2]), Value([1, 2])),
        Observation("a", 3.0, 5.0, {}, Value([3]), Value([3])),
        Observation("b", 9.0, None, {}, Value([4]), Value([4])),  # a fault had a part in its time
    ),
)


def test_answers_take_as_long_as_they_did() -> None:
    clock = VirtualClock()
    found = replay_trace(SLOW, clock=clock, timeout=1.0)  # the tool's own time is not the session's to cut short
    assert clock.now() == 7.0
    assert [turn.shown for turn in found.record.turns] == [Value([1, 2]), Value([3]), Value([4])]
    assert found.instant == 1
    again = trace_from_events(found.events)
    assert [call.seconds for call in again.calls] == [2.0, 5.0, 0.0]
    clock = VirtualClock()
    assert replay_trace(SLOW, clock=clock, latency="none").instant == 0
    assert clock.now() == 0.0


def test_a_fault_s_wait_comes_on_top_of_the_recorded_one() -> None:
    clock = VirtualClock()
    replay_trace(SLOW, plan(Delay(seconds=10.0), Nth(1), "a"), clock=clock)
    assert clock.now() == 17.0


@pytest.mark.parametrize("sync", [True, False])
def test_chunks_begin_after_the_recorded_time(sync: bool) -> None:
    clock = VirtualClock()

    def inside() -> Iterator[int]:
        yield 0

    async def inside_async() -> AsyncIterator[int]:
        yield 0

    async def heard(session: Replay) -> list[float]:
        return [clock.now() async for _ in wrap(inside_async, session, name="a")()]

    def agent(session: Replay) -> list[float]:
        return [clock.now() for _ in wrap(inside, session, name="a")()] if sync else asyncio.run(heard(session))

    assert replay_trace(SLOW, agent=agent, clock=clock).record.answer == "[2.0, 2.0]"


def test_recorded_time_really_passes_on_the_real_clock() -> None:
    trace = Trace("e", (Observation("a", 0.0, 0.15, {}, Value(1), Value(1)),))
    clock = RealClock()
    replay_trace(trace, clock=clock)
    assert 0.14 < clock.now() < 5.0


PRICES = seen(("price", {"item": "lamp"}, Value({"price": 40})), ("price", {"item": "sofa"}, Value({"price": 90})))


def test_recorded_arguments_are_examples_of_other_entities() -> None:
    found = replay_trace(PRICES, plan(WrongEntity(), Nth(1)))
    assert [turn.shown for turn in found.record.turns] == [Value({"price": 90}), Value({"price": 90})]
    assert not found.unfit
    assert not found.missing


def test_a_fault_that_must_know_more_of_a_tool_is_named() -> None:
    with pytest.warns(MisfireWarning, match="the tool declares none"):
        found = replay_trace(PRICES, plan(PhysicsViolation()))
    (unfit,) = found.unfit
    assert (unfit.rule, unfit.kind, unfit.tool, unfit.calls) == ("r", "physics_violation", "price", 2)
    assert unfit.lacking == ("invariants",)
    assert not found.record.exposed
    spec = ToolSpec("price", invariants=(Bounds("price", minimum=0, maximum=1000),))
    known = replay_trace(PRICES, plan(PhysicsViolation()), specs=[spec])
    assert not known.unfit
    assert [turn.faulted for turn in known.record.turns] == [True, True]


def test_further_calls_of_a_fault_may_go_to_a_world() -> None:
    spec = ToolSpec("price", examples=({"item": "bed"},))

    def other(call: Call) -> Outcome:
        assert call.dry
        return Value({"price": 300})

    found = replay_trace(PRICES, plan(WrongEntity()), specs=[spec], other=other)
    assert [turn.shown for turn in found.record.turns] == [Value({"price": 300})] * 2
    alone = replay_trace(PRICES, plan(WrongEntity()), specs=[spec])
    assert not alone.record.exposed
    assert not alone.missing  # the agent asked for nothing that the record lacks
    assert [one.dry for one in alone.served if one.source == "missing"] == [True, True]
