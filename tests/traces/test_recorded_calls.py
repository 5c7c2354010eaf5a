"""A recorder follows calls whose tools an adapter runs, and records what it would record around the layers."""

from __future__ import annotations

import asyncio
import gc
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs import report_effect
from sealegs.adapters.python import wrap
from sealegs.faults import Plan, Rule
from sealegs.faults.call import Moment, PartialExecution
from sealegs.faults.kinds import Error, RateLimit
from sealegs.faults.triggers import Always, Every, Probability, Tool
from sealegs.inject import Injection, ModelTurn, Session, VirtualClock, current_call, tool_state
from sealegs.traces import Event, Recorder, event_notes, event_overflow
from sealegs.traces.event_notes import EventNote
from sealegs.traces.event_overflow import Moved
from sealegs.traces.events import MessageWritten
from sealegs.traces.kept_events import KeptEvents
from tests.inject.test_tool_entry import CALLS, RULES
from tests.traces.test_followed_calls import Around, Counting

# A fault may be tried on a tool that lacks what it needs.
pytestmark = pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")
CALM = Plan(name="calm")
STRUCK = Plan(name="struck", rules=(Rule(match=Tool("*"), fault=Error(status=500), moment="before"),))
DRAWN = Plan(name="drawn", rules=(Rule(match=Tool("*"), when=Probability(0), fault=Error(status=500)),))
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2) | st.integers(0, 3) | st.none(), inner, max_size=3)
        | st.tuples(inner)
        | st.frozensets(st.integers(), max_size=2)
    ),
    max_leaves=6,
)


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool has its way in after two calls."""
    monkeypatch.setattr(tool_state, "SOON", 0)


def watched(
    plan: Plan = CALM, *, most: int = 10**6, followed: bool = True, timeout: float | None = None
) -> tuple[Session, Recorder]:
    clock = VirtualClock()
    recorder = Recorder(clock, most=most)
    recorder.start("one", {})
    watcher = recorder if followed else Around(recorder)
    return Session(plan, episode="one", clock=clock, timeout=timeout, watcher=watcher), recorder


def notes(recorder: Recorder) -> int:
    """How many of what it keeps are no events yet."""
    return sum(isinstance(one, EventNote | tuple) for one in recorder._kept.recent)


def played(
    rules: list[Rule],
    calls: list[tuple[Any, bool, int | None]],
    answers: list[Any],
    in_task: bool,
    timeout: float | None,
    followed: bool,
) -> tuple[list[Any], str]:
    """What the tool and the agent see, and what is recorded."""
    seen: list[Any] = []
    left = iter(answers)

    def pay(amount: Any, to: str = "x") -> Any:
        call = current_call()
        assert call is not None
        seen.append(("ran", call.id, call.tool, repr(call.arguments), call.nth, call.dry))
        session.clock.sleep(0.5, lambda: None)
        if amount is None:
            raise ValueError("nothing to pay")
        report_effect("pay", to)
        answer = next(left, "paid")
        return PartialExecution(answer) if amount == "1" else answer

    async def pay_async(amount: Any, to: str = "x") -> Any:
        await asyncio.sleep(0)
        return pay(amount, to)

    session, recorder = watched(Plan(name="p", seed=5, rules=tuple(rules)), followed=followed, timeout=timeout)
    called = wrap(pay_async if in_task else pay, session, name="pay")
    turn = ModelTurn(["pay", "get", "pay"])

    async def attempt(amount: Any, named: bool) -> Any:
        answer = called(amount=amount) if named else called(amount, "y")
        return await answer if in_task else answer

    async def all_of_them() -> None:
        for amount, named, place in calls:
            try:
                if place is not None:
                    with turn.call(place):
                        seen.append(repr(await attempt(amount, named)))
                else:
                    seen.append(repr(await attempt(amount, named)))
            except Exception as error:
                seen.append((type(error).__name__, str(error)))

    asyncio.run(all_of_them())
    assert current_call() is None
    recorder.finish("answered")
    return seen, repr(recorder.events)


@settings(deadline=None)
@given(RULES, CALLS, st.lists(ANSWERS, max_size=12), st.booleans(), st.none() | st.just(0.9))
def test_what_is_seen_and_recorded_is_the_same(
    rules: list[Rule],
    calls: list[tuple[Any, bool, int | None]],
    answers: list[Any],
    in_task: bool,
    timeout: float | None,
) -> None:
    calls = [(1, True, None), (2, False, None), *calls]
    of_one = played(rules, calls, answers, in_task, timeout, True)
    assert of_one == played(rules, calls, answers, in_task, timeout, False)


@pytest.mark.parametrize("in_task", [False, True])
@pytest.mark.parametrize("gone", [KeyboardInterrupt, asyncio.CancelledError, SystemExit])
def test_a_call_whose_caller_is_gone_is_recorded_the_same(in_task: bool, gone: type[BaseException]) -> None:
    late = Plan(name="late", rules=(Rule(match=Tool("*"), fault=Error(status=500), moment="after"),))

    def recorded(followed: bool) -> str:
        session, recorder = watched(late, followed=followed)

        def pay(amount: int) -> int:
            report_effect("pay", str(amount))
            if amount > 2:
                raise gone
            return amount

        async def pay_async(amount: int) -> int:
            return pay(amount)

        called = wrap(pay_async if in_task else pay, session, name="pay")
        for amount in range(5):
            with suppress(BaseException):
                asyncio.run(called(amount)) if in_task else called(amount)
        assert current_call() is None
        return repr(recorder.events)

    assert recorded(True) == recorded(False)


@pytest.mark.parametrize(
    "plan", [CALM, Plan(name="p", rules=(Rule(match=Tool("*"), when=Probability(0), fault=Error(status=500)),))]
)
def test_plain_calls_are_noted_and_become_events_when_they_are_read(plan: Plan) -> None:
    session, recorder = watched(plan)
    pay = wrap(lambda amount, to="x": {"paid": amount}, session, name="pay")
    for amount in range(9):
        pay(amount, to="y")
    assert notes(recorder) == 14  # the first two calls took the long way
    first = recorder.events
    assert notes(recorder) == 0
    assert all(one is other for one, other in zip(recorder.events, first, strict=True))


@pytest.mark.parametrize("given", [[1], {"a": 1}, (1,), {1}, object(), type("Text", (str,), {})("a")])
def test_what_can_be_changed_is_recorded_as_it_was(given: Any) -> None:
    session, recorder = watched()

    def keep(item: Any) -> Any:
        return item

    called = wrap(keep, session)
    for _ in range(4):
        answer = called(given)
    before = repr(recorder.events)
    if isinstance(given, list):
        given.append(2)
    elif isinstance(given, dict):
        given["b"] = 2
    elif isinstance(given, set):
        given.add(2)
    assert answer is given
    assert repr(recorder.events) == before


@pytest.mark.parametrize("answer", [{"a": 1, "b": "c"}, [1, "a"], {"a": [1]}, [[1]], {"a": {"b": 1}}])
def test_an_answer_that_the_agent_changes_is_recorded_as_it_was(answer: Any) -> None:
    session, recorder = watched()
    called = wrap(lambda: answer, session, name="ask")
    for _ in range(4):
        called()
    before = repr(answer)
    if isinstance(answer, list):
        answer[0].append(2) if isinstance(answer[0], list) else answer.append(2)
    elif isinstance(answer["a"], list):
        answer["a"].append(2)
    elif isinstance(answer["a"], dict):
        answer["a"]["c"] = 2
    else:
        answer["d"] = 2
    shown = [event.outcome for event in recorder.events if event.type == "shown"]
    assert [repr(one["value"]) for one in shown] == [before] * 4


@given(calls=st.integers(0, 60), most=st.integers(2, 40), read=st.integers(0, 60))
def test_whatever_has_room_the_events_are_the_same(calls: int, most: int, read: int) -> None:
    def recorded(most: int) -> list[Event]:
        session, recorder = watched(most=most)
        pay = wrap(lambda amount: report_effect("pay") or float(amount), session, name="pay")
        for amount in range(calls):
            pay(amount)
            if amount == read:
                assert len(recorder.events) == 1 + 3 * (amount + 1)
                recorder.note({"noted": "late"})
        assert len(recorder._kept.recent) <= most + 3  # those of one call
        return recorder.events

    assert recorded(most) == recorded(10**6)


@given(answers=st.lists(ANSWERS), most=st.integers(2, 20), tools=st.integers(1, 3))
def test_notes_in_the_file_are_read_as_those_in_memory(answers: list[Any], most: int, tools: int) -> None:
    def recorded(most: int) -> list[Event]:
        session, recorder = watched(DRAWN, most=most)
        wrapped = [wrap(lambda given: given, session, name=f"ask-{number}") for number in range(tools)]
        for number, answer in enumerate(answers):
            wrapped[number % tools](answer)
        return recorder.events

    assert repr(recorded(most)) == repr(recorded(10**6))  # some answers are no numbers, and equal to nothing


@given(
    answers=st.lists(ANSWERS | st.just(ValueError), max_size=40),
    most=st.integers(2, 20),
    read=st.integers(0, 40),
    moment=st.sampled_from([None, "before", "after"]),
    fault=st.sampled_from([Error(status=500), RateLimit(retry_after=2.0)]),
)
def test_struck_calls_are_read_the_same_wherever_they_have_room(
    answers: list[Any], most: int, read: int, moment: Any, fault: Any
) -> None:
    plan = Plan(name="struck", rules=(Rule(match=Tool("*"), fault=fault, moment=moment),))

    def recorded(most: int, followed: bool = True) -> str:
        session, recorder = watched(plan, most=most, followed=followed)

        def ask(number: int) -> Any:
            if answers[number] is ValueError:
                raise ValueError(number)
            return answers[number]

        called = wrap(ask, session, name="ask")
        for number in range(len(answers)):
            with suppress(Exception):
                called(number)
            if number == read:
                assert recorder.events
        return repr(recorder.events)  # some answers are no numbers, and equal to nothing

    assert recorded(most) == recorded(10**6) == recorded(10**6, followed=False)


def test_a_note_of_several_events_may_come_first() -> None:
    class Two(EventNote):
        __slots__ = ()

        def events(self) -> tuple[MessageWritten, ...]:
            return MessageWritten("one"), MessageWritten("two")

    for room in (False, True):
        kept = KeptEvents(most=2)
        kept.append(Two())
        kept.append(MessageWritten("three"))
        assert kept.first == MessageWritten("one")
        if room:
            kept.make_room()
        for _ in range(2):
            assert [event.text for event in kept.events()] == ["one", "two", "three"]  # type: ignore[union-attr]


def test_no_event_is_made_of_a_note_that_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    session, recorder = watched(most=10)
    ask = wrap(lambda: 1, session, name="ask")
    with monkeypatch.context() as patched:
        patched.setattr(EventNote, "events", lambda self: pytest.fail("made an event"))
        patched.setattr(event_overflow, "answer_event", lambda note: pytest.fail("made an event"))
        patched.setattr(event_notes, "answer_event", lambda note: pytest.fail("made an event"))
        for _ in range(50):
            ask()
    assert isinstance(recorder._kept.recent[0], Moved)
    assert [event.type for event in recorder.events[1:]] == ["called", "shown"] * 50


def test_a_name_that_cannot_be_written_takes_no_more_memory() -> None:
    class Own(str):
        """A class that no other process could find."""

    session, recorder = watched(most=10)
    ask = wrap(lambda **named: 1, session, name="ask")
    for number in range(50):
        ask(**{Own("given"): number})
    assert isinstance(recorder._kept.recent[0], Moved)
    assert len(recorder._kept.recent) <= 13
    assert [event.arguments for event in recorder.events if event.type == "called"] == [
        {"given": number} for number in range(50)
    ]


def test_a_tool_that_is_wrapped_anew_for_each_call_takes_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_overflow, "MOST", 5)
    session, recorder = watched(most=10)
    for number in range(60):
        ask = wrap(lambda number: number, session, name="ask")
        assert [ask(number) for _ in range(2)] == [number] * 2
    head = recorder._kept.recent[0]
    assert isinstance(head, Moved)
    assert len(head.file._common) == 5
    called = [event.arguments for event in recorder.events if event.type == "called"]
    assert called == [{"number": number} for number in range(60) for _ in range(2)]


def test_threads_lose_nothing_while_others_read() -> None:
    session, recorder = watched(most=50)
    pay = wrap(lambda worker, number: {"of": number}, session, name="pay")
    over = threading.Event()

    def work(worker: int) -> None:
        for number in range(400):
            pay(worker, number)

    def read() -> None:
        while not over.is_set():
            found = recorder.events
            assert len({event.call for event in found if event.type == "called"}) * 2 >= len(found) - 1

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    reader = threading.Thread(target=read)
    for thread in (reader, *workers):
        thread.start()
    for thread in workers:
        thread.join()
    over.set()
    reader.join()
    called = [event.arguments for event in recorder.events if event.type == "called"]
    assert sorted((one["worker"], one["number"]) for one in called) == [(w, n) for w in range(4) for n in range(400)]
    shown = [event.call for event in recorder.events if event.type == "shown"]
    assert len(shown) == len(set(shown)) == 1600


def test_a_tool_that_calls_another_keeps_its_own_call_and_ledger() -> None:
    session, recorder = watched()
    inner = wrap(lambda: report_effect("pay"), session, name="inner")

    def outer() -> str:
        inner()
        report_effect("notify")
        call = current_call()
        assert call is not None
        return call.id

    called = wrap(outer, session)
    for number in range(5):
        assert called() == f"call-{2 * number + 1}"
        assert current_call() is None
    effects = [(event.call, event.action) for event in recorder.events if event.type == "effected"]
    assert effects == [(f"call-{n}", "pay" if n % 2 == 0 else "notify") for n in (2, 1, 4, 3, 6, 5, 8, 7, 10, 9)]


def test_what_comes_after_the_end_is_not_kept_and_the_tool_still_runs() -> None:
    session, recorder = watched()
    ran: list[int] = []
    called = wrap(ran.append, session, name="run")
    for number in range(4):
        called(number)
    recorder.finish("answered")
    ended = recorder.events
    called(4)
    assert ran == [0, 1, 2, 3, 4]
    assert recorder.events == ended


def test_a_call_under_way_when_the_record_ends_has_no_answer() -> None:
    session, recorder = watched()
    called = wrap(lambda end: recorder.finish("hung") if end else None, session, name="run")
    for _ in range(3):
        called(False)
    called(True)
    assert [event.type for event in recorder.events][-2:] == ["called", "ended"]


def test_a_listener_of_the_sessions_hears_of_every_fault() -> None:
    heard: list[Injection] = []
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("one", {})
    plan = Plan(name="p", rules=(Rule(match=Tool("*"), when=Always(), fault=Error(status=503), moment="before"),))
    called = wrap(lambda: 1, Session(plan, clock=clock, watcher=recorder, on_injection=heard.append), name="ask")
    for _ in range(4):
        with pytest.raises(Exception, match="503"):
            called()
    assert len(heard) == 4 == sum(event.type == "struck" for event in recorder.events)


def test_a_sink_is_passed_each_event_as_it_comes() -> None:
    passed: list[Event] = []
    clock = VirtualClock()
    recorder = Recorder(clock, passed.append)
    recorder.start("one", {})
    called = wrap(lambda: 1, Session(clock=clock, watcher=recorder), name="ask")
    for number in range(1, 6):
        called()
        assert [event.type for event in passed] == ["started", *["called", "shown"] * number]
        assert passed == recorder.events


@pytest.mark.parametrize("in_task", [False, True])
def test_a_traceback_names_no_file_of_ours(in_task: bool) -> None:
    session, _ = watched()

    def breaks() -> None:
        raise LookupError("none")

    async def breaks_async() -> None:
        raise LookupError("none")

    called: Callable[[], Any] = wrap(breaks_async if in_task else breaks, session)
    lengths = set()
    for _ in range(5):
        with pytest.raises(LookupError) as info:
            asyncio.run(called()) if in_task else called()
        lengths.add(len(info.traceback))
        assert "sealegs" not in "".join(
            frame.filename for frame in traceback.extract_tb(info.tb) if "/src/" in frame.filename
        )
    assert len(lengths) == 1  # by either way


@pytest.mark.parametrize("ends", ["answers", "fails", "is cancelled", "is struck"])
@pytest.mark.parametrize("in_task", [False, True])
def test_a_call_that_ended_holds_neither_recorder_nor_session(in_task: bool, ends: str) -> None:
    """Without a garbage collection."""

    def answer(amount: int) -> int:
        if ends == "fails":
            raise LookupError
        return amount

    async def answer_async(amount: int) -> int:
        if ends == "is cancelled":
            raise asyncio.CancelledError
        return answer(amount)

    def attempt() -> tuple[weakref.ref[Any], weakref.ref[Any]]:
        session, recorder = watched(STRUCK if ends == "is struck" else CALM)
        called: Any = wrap(answer_async if in_task else answer, session, name="ask")

        async def all_of_them() -> None:
            for amount in range(6):
                with suppress(Exception, asyncio.CancelledError):
                    await called(amount) if in_task else called(amount)

        asyncio.run(all_of_them())
        assert notes(recorder)
        return weakref.ref(session), weakref.ref(recorder)

    attempt()  # what the loop keeps is made once
    gc.collect()
    gc.disable()
    try:
        assert [held() for held in attempt()] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("in_task", [False, True])
def test_a_tool_that_calls_itself_without_end_fails_and_ends(in_task: bool) -> None:
    session, recorder = watched()

    def endless(number: int) -> int:
        return endless(number + 1)

    async def endless_async(number: int) -> int:
        return await endless_async(number + 1)

    called: Any = wrap(endless_async if in_task else endless, session, name="ask")
    for number in range(4):
        with pytest.raises(RecursionError):
            asyncio.run(called(number)) if in_task else called(number)
        assert current_call() is None
    report_effect("nobody's")
    assert [event.type for event in recorder.events] == ["started", *["called", "shown"] * 4]
    shown = [event.outcome for event in recorder.events if event.type == "shown"]
    assert [outcome and outcome["failure"]["type"] for outcome in shown] == ["RecursionError"] * 4


def test_a_call_ends_although_its_error_cannot_be_looked_at() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise SystemExit

    def breaks() -> None:
        raise Rude

    session, recorder = watched()
    called = wrap(breaks, session)
    for _ in range(4):
        with pytest.raises(SystemExit):
            called()
        assert current_call() is None
    report_effect("nobody's")
    assert [event.type for event in recorder.events] == ["started", *["called", "shown"] * 4]


@pytest.mark.parametrize("ends", [LookupError, KeyboardInterrupt])
def test_an_inner_tool_that_fails_gives_the_outer_its_call_and_ledger_back(ends: type[BaseException]) -> None:
    session, recorder = watched()

    def inner() -> None:
        raise ends

    broken = wrap(inner, session)

    def outer() -> None:
        with suppress(ends):
            broken()
        call = current_call()
        assert call is not None
        report_effect("pay", call.id)

    called = wrap(outer, session)
    for _ in range(5):
        called()
    effects = [(event.call, event.subject) for event in recorder.events if event.type == "effected"]
    assert effects == [(f"call-{n}", f"call-{n}") for n in (1, 3, 5, 7, 9)]


@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_a_tool_without_a_record_does_is_in_the_record_of_the_call_around_it(
    followed: bool, moment: Moment
) -> None:
    session, recorder = watched(followed=followed)
    down = Rule(match=Tool("*"), when=Every(2), fault=Error(status=500), moment=moment)
    unwatched = Session(Plan(name="inner", rules=(down,)), clock=VirtualClock())
    seen = []

    def inner() -> None:
        seen.append(current_call())
        report_effect("pay")

    paid = wrap(inner, unwatched)

    def outer() -> str:
        with suppress(Exception):
            paid()
        call = current_call()
        assert call is not None
        report_effect("note", call.id)
        return call.id

    called = wrap(outer, session)
    assert [called() for _ in range(6)] == [f"call-{n}" for n in range(1, 7)]
    effects = [(event.action, event.call, event.subject) for event in recorder.events if event.type == "effected"]
    assert [call for action, _, call in effects if action == "note"] == [f"call-{n}" for n in range(1, 7)]
    assert sum(action == "pay" for action, _, _ in effects) == (6 if moment == "after" else 3)
    assert [call and call.tool for call in seen] == ["outer", "inner"] * 3 if moment == "after" else ["outer"] * 3


@pytest.mark.parametrize("followed", [True, False])
def test_a_recorded_tool_that_hears_a_recorded_stream_is_the_current_call_between_chunks(followed: bool) -> None:
    session, recorder = watched(followed=followed)

    def stream() -> Iterator[str]:
        for _ in range(2):
            call = current_call()
            assert call is not None
            report_effect("send", call.id)
            yield call.id

    heard = wrap(stream, session)

    def outer() -> list[str]:
        found = []
        for chunk in heard():
            call = current_call()
            assert call is not None
            report_effect("note", call.id)
            found += [chunk, call.id]
        return found

    called = wrap(outer, session)
    for n in range(1, 9, 2):
        assert called() == [f"call-{n + 1}", f"call-{n}"] * 2
        assert current_call() is None
    effects = [(event.call, event.subject) for event in recorder.events if event.type == "effected"]
    assert all(call == subject for call, subject in effects)
    assert len(effects) == 16


@pytest.mark.parametrize("followed", [True, False])
def test_a_tool_that_leaves_a_recorded_stream_behind_is_over(followed: bool) -> None:
    session, recorder = watched(followed=followed)

    def stream() -> Iterator[str]:
        yield from "ab"

    heard = wrap(stream, session)
    left = []

    def outer() -> None:
        left.append(heard())
        next(left[-1])

    called = wrap(outer, session)
    for _ in range(4):
        called()
        assert current_call() is None
        assert list(left[-1]) == ["b"]
        assert current_call() is None
        report_effect("nobody's")
    assert "effected" not in {event.type for event in recorder.events}


@pytest.mark.parametrize("in_task", [False, True])
def test_a_recorded_tool_within_a_struck_one_without_a_record_has_its_own_call(in_task: bool) -> None:
    session, recorder = watched()
    lost = Rule(match=Tool("*"), fault=Error(status=500), moment="after")
    unwatched = Session(Plan(name="outer", rules=(lost,)), clock=VirtualClock())
    seen = []

    def inner() -> None:
        seen.append(current_call())
        report_effect("pay")

    async def inner_async() -> None:
        inner()

    paid: Any = wrap(inner_async if in_task else inner, session, name="inner")

    def outer() -> None:
        paid()
        seen.append(current_call())

    async def outer_async() -> None:
        await paid()
        seen.append(current_call())

    called: Any = wrap(outer_async if in_task else outer, unwatched, name="outer")
    for _ in range(5):
        with pytest.raises(Exception, match="500"):
            asyncio.run(called()) if in_task else called()
        assert current_call() is None
    assert [call and call.tool for call in seen] == ["inner", "outer"] * 5
    assert [event.call for event in recorder.events if event.type == "effected"] == [f"call-{n}" for n in range(1, 6)]


def test_a_task_that_a_call_leaves_behind_reports_to_its_record() -> None:
    session, recorder = watched()

    async def late() -> None:
        await asyncio.sleep(0)
        call = current_call()
        assert call is not None
        report_effect("pay", call.id)

    tasks = []

    async def begin() -> None:
        tasks.append(asyncio.create_task(late()))

    async def go() -> None:
        called = wrap(begin, session)
        for _ in range(4):
            await called()
        assert current_call() is None
        await asyncio.gather(*tasks)

    asyncio.run(go())
    effects = [(event.call, event.subject) for event in recorder.events if event.type == "effected"]
    assert effects == [(f"call-{n}", f"call-{n}") for n in range(1, 5)]


class Busy(EventNote):
    """While it is made an event, somebody else makes room and adds another."""

    __slots__ = ("_kept",)

    def __init__(self, kept: KeptEvents) -> None:
        self._kept = kept

    def events(self) -> tuple[MessageWritten]:
        self._kept.make_room()
        self._kept.append(MessageWritten("later"))
        return (MessageWritten("busy"),)


def test_events_are_read_while_others_come_and_wait_for_room() -> None:
    kept = KeptEvents(most=2)
    for one in (MessageWritten("first"), Busy(kept), MessageWritten("last")):
        kept.append(one)
    assert [event.text for event in kept.events()] == ["first", "busy", "last"]  # type: ignore[union-attr]
    assert [event.text for event in kept.events()] == ["first", "busy", "last", "later"]  # type: ignore[union-attr]
    kept.make_room()
    assert [event.text for event in kept.events()] == ["first", "busy", "last", "later"]  # type: ignore[union-attr]


def test_who_reads_while_events_are_moved_changes_nothing() -> None:
    session, recorder = watched()
    called = wrap(lambda: 1, session, name="ask")
    for _ in range(5):
        called()
    with recorder._kept._changing:
        read = recorder.events
    assert notes(recorder) == 6
    assert recorder.events == read


def test_a_recorder_of_ones_own_sees_every_call() -> None:
    clock = VirtualClock()
    recorder = Counting(clock)
    called = wrap(lambda: 1, Session(clock=clock, watcher=recorder), name="ask")
    for _ in range(5):
        called()
    assert recorder.followed == [f"call-{n}" for n in range(1, 6)]


def test_a_cancelled_call_is_recorded_without_an_answer() -> None:
    session, recorder = watched()

    async def wait(seconds: float) -> None:
        await asyncio.sleep(seconds)

    called = wrap(wait, session)

    async def main() -> None:
        for _ in range(3):
            await called(0)
        task = asyncio.ensure_future(called(60))
        await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert current_call() is None

    asyncio.run(main())
    shown = [event for event in recorder.events if event.type == "shown"]
    assert [(event.outcome, event.runs, event.true) for event in shown] == [
        *[({"value": None}, 1, True)] * 3,
        (None, 0, False),
    ]


def test_arguments_that_python_refuses_were_never_sent() -> None:
    session, recorder = watched()
    called: Any = wrap(lambda amount: amount, session, name="pay")
    for _ in range(3):
        called(1)
    with pytest.raises(TypeError):
        called()
    last = [event for event in recorder.events if event.type == "shown"][-1]
    assert last.outcome is not None
    assert last.outcome["failure"]["unsent"] is True


@pytest.mark.parametrize("calls", [0, 12])
@pytest.mark.parametrize("moment", [None, "after"])
def test_an_abandoned_call_takes_nothing_from_the_tool_in_which_it_is_collected(calls: int, moment: Any) -> None:
    """Nobody holds a task that was only started; what its calls set must stay set for others."""
    rule = Rule(match=Tool("slow"), fault=Error(status=500), moment=moment)
    session, recorder = watched(Plan(name="p", rules=(rule,)) if moment else CALM)

    async def slow() -> None:
        if started:
            await asyncio.get_running_loop().create_future()

    def pay(last: bool) -> None:
        if last:
            gc.collect()
        report_effect("pay")

    started: list[bool] = []
    wait, paid = wrap(slow, session, name="slow"), wrap(pay, session, name="pay")

    async def main() -> None:
        for _ in range(calls):
            with suppress(Exception):
                await wait()
            paid(False)
        started.append(True)
        gc.disable()
        asyncio.create_task(wait())  # noqa: RUF006
        await asyncio.sleep(0)
        paid(True)
        gc.enable()

    asyncio.run(main())
    assert sum(event.type == "effected" for event in recorder.events) == calls + 1
