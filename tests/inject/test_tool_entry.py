"""The short way in for plain functions: what the agent and its tools see of it is what `intercept` would make of it."""

from __future__ import annotations

import array
import asyncio
import copy
import gc
import inspect
import itertools
import pickle
import random
import sys
import threading
import traceback
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.adapters.python import ToolFault, tool, wrap
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults import Plan, Rule, ToolSpec
from sealegs.faults.call import Moment
from sealegs.faults.equal import MOST, ArgumentMemory
from sealegs.faults.kinds import Connection, Delay, Delta, Error, IrrelevantResponse, RateLimit, Stale
from sealegs.faults.triggers import (
    Always,
    AnyCondition,
    Argument,
    Burst,
    Every,
    First,
    FirstTouch,
    Nth,
    Probability,
    Tag,
    Tool,
    Window,
)
from sealegs.inject import Injection, MisfireWarning, ModelTurn, Session, VirtualClock, current_call, tool_state
from sealegs.inject.tool_entry import MOST as KEPT
from sealegs.inject.tool_entry import DecidedCalls, LateAnsweredCall, keep_entry
from sealegs.traces import Recorder
from sealegs.traces.archive import Archive
from sealegs.traces.observed import trace_from_events
from sealegs.traces.trace_replay import Replay
from tests.inject.interleaving import run_hurried
from tests.inject.test_determinism import CONDITIONS

# A wait is due nowhere, and a fault may be tried on a tool that lacks what it needs.
pytestmark = pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")

FAULTS = (
    Error(status=503),
    Error(exception="KeyError"),
    Error(exception="ValueError", message="nothing to pay"),  # what the tool itself may say
    RateLimit(retry_after=2.0),
    Connection(),
    Delay(seconds=1.0),
    Delta(offset=0.5),
    Stale(),
)
RULES = st.lists(
    st.builds(
        lambda when, fault, more: Rule(match=Tool("pay"), when=when, fault=fault, **more),
        CONDITIONS,
        st.sampled_from(FAULTS),
        st.sampled_from(
            [{}, {"key": "order"}, {"key": "arguments"}, {"persistence": "permanent"}, {"at_most": 2}]
            + [{"moment": one} for one in ("before", "after")]
        ),
    ),
    max_size=3,
)
VALUES = st.sampled_from([1, True, 1.0, "1", None, [1], [True], (1,), {"a": 1}, {"a": True}, b"x", 2**70, "é", -0.0])
CALLS = st.lists(st.tuples(VALUES, st.booleans(), st.none() | st.integers(0, 2)), max_size=12)
Seen = list[tuple[Any, ...]]


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool has its way in after two calls: the first one fixes what is known of it."""
    monkeypatch.setattr(tool_state, "SOON", 0)


def general(session: Session) -> Session:
    """The session without the short way."""

    session.intercept_function = (  # type: ignore[method-assign]
        lambda tool, parameters, args, kwargs, spec=None: session.intercept(tool, parameters.named, args, kwargs, spec)
    )
    return session


def played(rules: list[Rule], calls: list[tuple[Any, bool, int | None]], short: bool, heard: bool) -> Seen:
    """All that the agent, the tool, a listener and a record see."""
    seen: Seen = []

    def pay(amount: Any, to: str = "x") -> dict[str, Any]:
        call = current_call()
        seen.append(("ran", repr(amount), to, call and (call.nth, call.dry, repr(call.arguments))))
        if amount is None:
            raise ValueError("nothing to pay")
        return {"paid": 1.0, "to": to}

    def listen(injection: Injection) -> None:
        seen.append((injection.rule, injection.delivered, injection.moment, injection.call.nth, repr(injection.shown)))

    plan, listener = Plan(name="p", seed=5, rules=tuple(rules)), listen if heard else None
    session = Session(plan, clock=VirtualClock(), on_injection=listener)
    wrapped, turn = wrap(pay, session if short else general(session)), ModelTurn(["pay", "get", "pay"])
    for amount, named, place in calls:
        try:
            if place is not None:
                with turn.call(place):
                    seen.append((wrapped(amount=amount) if named else wrapped(amount),))
            else:
                seen.append((wrapped(amount=amount) if named else wrapped(amount, "y"),))
        except Exception as error:
            seen.append((type(error).__name__, str(error)))
    return seen


@settings(deadline=None)
@given(RULES, CALLS, st.booleans(), st.integers(0, 2))
def test_the_short_way_shows_what_the_long_one_does(
    rules: list[Rule], calls: list[tuple[Any, bool, int | None]], heard: bool, soon: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_state, "SOON", soon)
        short = played(rules, calls, True, heard)
    assert short == played(rules, calls, False, heard)


ALONE = st.builds(
    lambda fault, more: Rule(match=Tool("pay"), fault=fault, **more),
    st.sampled_from(FAULTS[:5]),
    st.sampled_from([{}, {"moment": "after"}, {"key": "order"}, {"key": "arguments"}]),
)


@settings(deadline=None)
@given(ALONE, CALLS)
def test_one_fault_on_every_call_strikes_at_the_moments_of_the_long_way(
    rule: Rule, calls: list[tuple[Any, bool, int | None]]
) -> None:
    assert played([rule], calls, True, False) == played([rule], calls, False, False)


@pytest.mark.parametrize("moment", [None, "after"])
def test_threads_have_the_work_done_as_often_as_one_after_another(moment: Moment | None) -> None:
    rule = Rule(match=Tool("pay"), fault=Error(status=503), moment=moment)

    def done(threads: int) -> Counter[int]:
        work: list[int] = []
        session = Session(Plan(name="p", seed=5, rules=(rule,)), clock=VirtualClock())
        pay = wrap(work.append, session, name="pay")

        def call() -> None:
            for number in range(24_000 // threads):
                with suppress(ToolFault):
                    pay(number % 2)

        run_hurried([threading.Thread(target=call) for _ in range(threads)])
        assert [one.__qualname__.split(".")[1] for one in session.entries.values()] == [
            "_by_moment" if moment is None else "_after"
        ]
        return Counter(work)

    assert done(8) == done(1)


@pytest.mark.parametrize("counted", [True, False], ids=["by arguments", "by order too"])
def test_threads_are_struck_as_often_as_one_after_another(counted: bool) -> None:
    rules = [Rule(match=Tool("pay"), when=Probability(0.2), fault=Error(status=503), moment="before")]
    if not counted:
        rules.append(Rule(match=Tool("pay"), when=Every(7), fault=Error(status=500), moment="before"))

    def struck(threads: int) -> Counter[int]:
        failed: list[int] = []
        session = Session(Plan(name="p", seed=5, rules=tuple(rules)), clock=VirtualClock())
        pay = wrap(lambda amount: amount, session, name="pay")

        def work() -> None:
            for number in range(24_000 // threads):
                try:
                    pay(number % 2)
                except ToolFault as error:
                    failed.append(error.failure.status or 0)

        run_hurried([threading.Thread(target=work) for _ in range(threads)])
        return Counter(failed)

    # Which of two faults shows depends on how the counts of a tool and of its arguments meet, but not the first one's.
    found, expected = struck(8), struck(1)
    assert found[503] == expected[503] > 4000
    if counted:
        assert found == expected


def test_a_call_that_was_counted_before_others_were_looked_at_is_looked_at_itself() -> None:
    rule = Rule(match=Tool("pay"), when=Window((3, 3)), fault=Error(status=503), key="arguments")
    session = Session(Plan(name="p", rules=(rule,)), clock=VirtualClock())
    known = DecidedCalls(session._injector.state("pay").rules, "key", itertools.count())
    numbers = [next(known.calls) for _ in range(5)]
    for number in (0, 1, 3, 4):  # the third is still under way in another thread
        assert not known.struck_by(number, number)
    until = known.same_pass_until
    assert until > 5
    assert known.struck_by(numbers[2], numbers[2])  # what it had read before it was counted was at most 2
    assert next(known.calls) < until


@given(CONDITIONS, st.integers(0, 40), st.text(max_size=4))
def test_a_condition_spares_no_call_that_it_strikes(condition: AnyCondition, nth: int, stream: str) -> None:
    found = condition.spared(stream)(nth)
    assert (found == 0) == condition.fires(nth, stream)
    assert not any(condition.fires(nth + later, stream) for later in range(min(found, 100)))


def forecast(city: str, days: int = 3) -> dict[str, Any]:
    return {"city": city, "days": days}


ALWAYS = Always()
OSLO = Argument(name="city", equals="Oslo")


def struck(when: AnyCondition = ALWAYS, moment: Moment | None = "before", **more: Any) -> Plan:
    return Plan(
        name="p", rules=(Rule(match=Tool("forecast"), when=when, fault=Error(status=503), moment=moment, **more),)
    )


def entries(session: Session) -> list[str]:
    """The names of the ways that are kept."""
    return [getattr(one, "__name__", "") for one in session.entries.values()]


ORDERED = (Every(3), Window((4, 30)), First(12), Nth(17), Burst(probability=0.1, length=2), Probability(0.2))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("when", ORDERED, ids=lambda when: when.key)
def test_calls_of_a_turn_in_any_order_are_struck_as_on_the_long_way(when: AnyCondition, seed: int) -> None:
    """Also after calls from which on others are known to pass: those of a turn may have come before."""
    rule = Rule(match=Tool("pay"), when=when, fault=Error(status=503), moment="before", key="order")

    def struck(short: bool) -> list[str]:
        draw, seen = random.Random(seed), []
        session = Session(Plan(name="p", seed=seed, rules=(rule,)), clock=VirtualClock())
        pay = wrap(lambda: "paid", session if short else general(session), name="pay")

        def call() -> None:
            try:
                seen.append(pay())
            except ToolFault as error:
                seen.append(str(error))

        for _ in range(8):
            call()
            turn = ModelTurn(["pay"] * 5)
            for place in draw.sample(range(5), 5):
                with turn.call(place):
                    call()
        return seen

    assert struck(True) == struck(False)


class Answer:
    """An object that can be referred to weakly."""


@pytest.mark.parametrize("in_task", [False, True])
@pytest.mark.parametrize("ends", [None, ValueError, KeyboardInterrupt, asyncio.CancelledError])
def test_an_answer_that_a_fault_takes_leaves_no_trace(in_task: bool, ends: type[BaseException] | None) -> None:
    """After the tool's work, which has seen its call. No error of its own shows through; who is gone gets nothing."""
    late = Rule(match=Tool("pay"), fault=Error(status=503), moment="after")

    def observed(short: bool) -> list[tuple[Any, ...]]:
        session = Session(Plan(name="p", rules=(late,)), clock=VirtualClock())
        answers: list[weakref.ref[Answer]] = []
        seen: list[tuple[Any, ...]] = []

        def pay(amount: int) -> Answer:
            call = current_call()
            assert call is not None
            seen.append((call.id, call.tool, dict(call.arguments), call.nth, call.dry))
            answers.append(weakref.ref(answer := Answer()))
            if ends is not None:
                raise ends("own")
            return answer

        async def pay_async(amount: int) -> Answer:
            return pay(amount)

        called = wrap(pay_async if in_task else pay, session if short else general(session), name="pay")
        for _ in range(4):
            with pytest.raises(BaseException) as caught:  # noqa: PT011  # of any kind
                asyncio.run(called(1)) if in_task else called(1)
            error = caught.value
            seen.append((type(error).__name__, str(error), error.__context__, error.__cause__, current_call()))
            if isinstance(error, ToolFault):
                seen.append(
                    (traceback.extract_tb(error.__traceback__)[-1].name, sum(one() is not None for one in answers))
                )
        assert bool(session.entries) == short
        return seen

    found = observed(True)
    if ends is None or issubclass(ends, Exception):
        assert found[-2][0] == "ServiceUnavailable"
        assert found[-1] == ("pay_async" if in_task else "pay", 0)
    assert found == observed(False)


def test_which_tools_have_a_short_way() -> None:
    for plan, name in (
        (struck(), "entry"),
        (struck(Probability(0.5)), "entry"),
        (struck(First(2), moment=None), "entry"),
        (struck(First(2), moment=None, key="arguments"), "entry"),
        (struck(at_most=2), ""),
        (struck(persistence="permanent"), ""),
        (struck(FirstTouch(("forecast", "other"))), ""),
        (
            Plan(name="p", rules=(Rule(match=OSLO, fault=Error(status=503)),)),
            "",
        ),
        (Plan(name="none"), "_pass"),
    ):
        session = Session(plan)
        called = wrap(forecast, session)
        for _ in range(3):
            with suppress(ToolFault):
                called("Oslo")
        assert entries(session) == ([name] if name else [])


def test_a_tool_that_is_called_a_few_times_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_state, "SOON", 8)
    session = Session(struck(Probability(0.0)))
    called = wrap(forecast, session)
    for _ in range(9):
        called("Oslo")
        assert entries(session) == []
    called("Oslo")
    assert entries(session) == ["entry"]


def test_a_session_is_freed_at_once() -> None:
    """A way in does not hold it: what it holds, such as answers, would else wait for the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        session = Session(struck(Probability(0.5)))
        called = wrap(forecast, session)
        for _ in range(5):
            with suppress(ToolFault):
                called("Oslo")
        assert entries(session) == ["entry"]
        held = weakref.ref(session)
        del session, called
        assert held() is None
    finally:
        gc.enable()


def test_a_tool_of_which_one_learns_while_its_way_is_made_has_none() -> None:
    session = Session(Plan(name="p", rules=(Rule(match=Tag("risky"), when=Always(), fault=Error(status=503)),)))
    state = session._injector.state("forecast")
    session.know([ToolSpec("forecast", tags=frozenset({"risky"}))])
    keep_entry(session.entries, Parameters(forecast), state, session._injector, Session._struck, session._numbers)
    assert entries(session) == []


@pytest.mark.parametrize("shared", [list, dict])
def test_arguments_that_hold_themselves_take_no_time(shared: Callable[[], Any]) -> None:
    """With two ways to itself, a walk without memory would never end."""
    node = shared()
    for one in ("a", "b"):
        node.append([node]) if isinstance(node, list) else node.update({one: {"parent": node}})
    called = wrap(forecast, Session(struck(Probability(0.0))))
    for _ in range(5):
        assert called(node)["city"] is node


def test_a_declaration_before_the_first_call_is_heard() -> None:
    plan = Plan(name="p", rules=(Rule(match=Tool("forecast"), when=Always(), fault=Delta(offset=1.0)),))
    session = Session(plan)
    called = wrap(forecast, session)
    kept = dict(session.entries)
    wrap(forecast, session, effects=False)
    assert called("Oslo", 1) == {"city": "Oslo", "days": 2.0}
    assert session.entries != kept or not kept


def test_a_late_declaration_lets_go_of_ways_that_passed() -> None:
    session = Session(Plan(name="p", rules=(Rule(match=Tool("forecast"), when=Always(), fault=Error(status=503)),)))
    other = wrap(forecast, session, name="other")
    for _ in range(2):
        assert other("Oslo") == forecast("Oslo")
    assert entries(session) == ["_pass"]
    wrap(forecast, session, name="other", effects=True)
    assert entries(session) == []


def test_a_session_in_which_functions_are_wrapped_without_end_stays_small() -> None:
    session = Session(struck(Probability(0.0)))
    for _ in range(2 * KEPT):
        called = wrap(forecast, session)
        assert [called("Oslo"), called("Oslo")] == [forecast("Oslo")] * 2
    assert 0 < len(session.entries) <= KEPT


def test_two_functions_of_one_name_are_drawn_by_their_own_parameters() -> None:
    """One tool with two forms: the same arguments under other names are other arguments."""

    def forecast_of(place: str) -> str:
        return place

    session = Session(struck(First(1), key="arguments"))
    first, second = wrap(forecast, session), wrap(forecast_of, session, name="forecast")
    for called in (first, second):
        for expected in (True, False):
            with pytest.raises(ToolFault) if expected else nullcontext():
                called("Oslo")


def test_a_replay_never_runs_the_tool() -> None:
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    real = wrap(forecast, Session(clock=clock, watcher=recorder))
    real("Oslo")
    recorder.finish("answered")
    trace = trace_from_events(recorder.events)
    runs: list[str] = []

    def forecast_again(city: str, days: int = 3) -> dict[str, Any]:
        runs.append(city)
        return {}

    replay = Replay(trace, Archive(trace), clock=VirtualClock(), watcher=Recorder(VirtualClock()))
    again = wrap(forecast_again, replay, name="forecast")
    assert [again("Oslo") for _ in range(3)] == [forecast("Oslo")] * 3
    assert runs == []


def test_an_async_tool_and_a_decorated_one_take_the_short_way() -> None:
    @tool
    async def ask(city: str) -> str:
        return city

    plan = Plan(name="p", rules=(Rule(match=Tool("ask"), when=First(3), fault=Error(status=503), moment="before"),))

    async def main() -> list[str]:
        found = []
        with Session(plan) as session:
            for _ in range(5):
                try:
                    found.append(await ask("Oslo"))
                except Exception as error:
                    found.append(type(error).__name__)
            assert entries(session) == ["entry"]
        return found

    assert asyncio.run(main()) == ["ServiceUnavailable"] * 3 + ["Oslo"] * 2


def test_a_cascade_hears_of_an_answer_that_nobody_else_does() -> None:
    """The first two calls of a tool take the long way, so the third is struck."""
    rules = (
        Rule(id="a", match=Tool("forecast"), when=Nth(3), fault=Error(status=503), moment="before"),
        Rule(id="b", match=Tool("pay"), when=Always(), fault=Error(status=500), after="a", moment="before"),
    )
    session = Session(Plan(name="p", rules=rules))
    called, pay = wrap(forecast, session), wrap(forecast, session, name="pay")
    assert [called("Oslo"), called("Oslo"), pay("Oslo")] == [forecast("Oslo")] * 3
    with pytest.raises(ToolFault, match="503"):
        called("Oslo")
    with pytest.raises(ToolFault, match="500"):
        pay("Oslo")


def test_the_second_of_two_rules_answers_with_its_own_fault() -> None:
    rules = (
        Rule(match=Tool("forecast"), when=Nth(4), fault=Error(status=503), moment="before"),
        Rule(match=Tool("forecast"), when=Nth(3), fault=Error(status=429), moment="before"),
    )
    called = wrap(forecast, Session(Plan(name="p", rules=rules)))
    assert [called("Oslo"), called("Oslo")] == [forecast("Oslo")] * 2
    for status in ("429", "503"):
        with pytest.raises(ToolFault, match=status):
            called("Oslo")


def test_a_tool_without_rules_may_be_the_first_that_is_touched() -> None:
    """It has a way in, too: its calls decide who is struck."""
    touched = FirstTouch(("forecast", "pay"))
    session = Session(Plan(name="p", rules=(Rule(match=Tool("pay"), when=touched, fault=Error(status=503)),)))
    called, pay = wrap(forecast, session), wrap(forecast, session, name="pay")
    assert [called("Oslo") for _ in range(4)] == [forecast("Oslo")] * 4
    assert [pay("Oslo") for _ in range(4)] == [forecast("Oslo")] * 4
    assert entries(session) == ["entry"]


def test_a_listener_hears_of_every_fault() -> None:
    heard: list[Injection] = []
    called = wrap(forecast, Session(struck(), on_injection=heard.append))
    for _ in range(3):
        with pytest.raises(ToolFault):
            called("Oslo")
    assert [(one.call.nth, one.delivered, one.moment) for one in heard] == [(n, True, "before") for n in range(3)]


def test_a_fault_that_can_never_come_to_anything_is_warned_of_on_any_call() -> None:
    rule = Rule(match=Tool("forecast"), when=Nth(3), fault=IrrelevantResponse())
    called = wrap(forecast, Session(Plan(name="p", rules=(rule,))), effects=True)
    for _ in range(2):
        called("Oslo")
    with pytest.warns(MisfireWarning):
        called("Oslo")


def test_every_answer_is_remembered_for_one_that_serves_old_ones() -> None:
    rule = Rule(match=Tool("forecast"), when=Nth(4), fault=Stale())
    called = wrap(forecast, Session(Plan(name="p", rules=(rule,))), effects=False)
    assert [called("Oslo", days)["days"] for days in (1, 2, 3, 4)] == [1, 2, 3, 3]


def test_what_is_shown_is_a_new_exception_each_time_and_is_let_go_of() -> None:
    called = wrap(forecast, Session(struck()))
    caught = []
    for _ in range(3):
        with pytest.raises(ToolFault, match="503") as info:
            called("Oslo")
        caught.append(weakref.ref(info.value))
        del info
    gc.collect()
    assert [one() for one in caught] == [None] * 3


def test_who_raises_an_exception_anew_makes_one_that_says_the_same() -> None:
    rule = Rule(match=Tool("pay"), fault=Error(status=503, retry_after=2.0), moment="before")
    pay = wrap(lambda: 1, Session(Plan(name="p", rules=(rule,)), clock=VirtualClock()), name="pay")
    with pytest.raises(ToolFault) as caught:
        pay()
    shown: Any = caught.value
    for other in (type(shown)(shown.failure), copy.copy(shown), pickle.loads(pickle.dumps(shown))):
        assert type(other) is type(shown)
        assert (other.failure, other.args, str(other)) == (shown.failure, shown.args, str(shown))
    assert list(inspect.signature(type(shown)).parameters) == ["failure"]


def test_the_text_of_a_body_that_changes_is_written_anew() -> None:
    fault = Error(status=503, body={"hint": "later"})
    rule = Rule(match=Tool("forecast"), when=Always(), fault=fault, moment="before")
    called = wrap(forecast, Session(Plan(name="p", rules=(rule,))))
    with pytest.raises(ToolFault, match="later"):
        called("Oslo")
    assert fault.failure.body is not None
    fault.failure.body["hint"] = "never"  # type: ignore[index]
    with pytest.raises(ToolFault, match="never"):
        called("Oslo")


# --- arguments that are looked up ----------------------------------------------------------------------------------


@pytest.mark.parametrize("held", [[1], {"a": 1}, (1,), array.array("i", [1]), {1}, b"ab", object()])
def test_what_may_hold_others_is_never_looked_up(held: Any) -> None:
    """Equal values in it may be of other types, as 1 and true are."""
    memory = ArgumentMemory(None)
    assert len({id(one) for one in [memory.known({"a": held}) for _ in range(4)]}) == 4


def test_arguments_that_come_again_are_looked_up_and_not_for_ever() -> None:
    memory, given = ArgumentMemory(None), {"a": 1, "b": "x" * 100_000}
    first, second, third = (memory.known(given) for _ in range(3))
    assert first is not second  # most arguments are new, so nothing is kept of them
    assert second is third
    assert memory.known({**given, "a": True}) is not third
    for one in range(MOST):
        memory.known({"a": one})
    again = memory.known(given)
    assert again is not third
    assert (again.key, again.calls) == (first.key, first.calls)


def test_a_long_text_is_held_only_where_it_comes_again() -> None:
    """Its first calls take the long way, and so does each call with it: a way in would hold it from its first."""
    called = wrap(forecast, Session(struck(Probability(0.0))))
    for _ in range(3):
        called("Oslo")
    for length, held in ((10, True), (100_000, False)):
        text = "x" * length
        before = sys.getrefcount(text)
        called(text)
        assert (sys.getrefcount(text) > before) == held


@pytest.mark.parametrize(
    "value", ["x" * 2_000, [[[[[[1]]]]]], {1: "a"}, {"a": {2: 1}}, object(), lambda: None, {1, 2}, float("inf")]
)
def test_every_argument_has_a_key(value: Any) -> None:
    memory = ArgumentMemory(None)
    one, other = memory.known({"a": value}), memory.known({"a": value})
    assert one.key == other.key
    assert one.calls is other.calls


def test_what_holds_itself_has_a_key() -> None:
    held: list[Any] = [1]
    held.append(held)
    memory = ArgumentMemory(None)
    assert memory.known({"a": held}).key == memory.known({"a": held}).key
    assert Parameters(forecast).named((held,), {}) == {"city": held}


@pytest.mark.parametrize("when", [Always(), Probability(0), First(1)])
@pytest.mark.parametrize("key", ["arguments", "order"])
def test_a_tool_of_an_object_without_a_hash_is_called_as_any_other(
    when: AnyCondition, key: Literal["arguments", "order"]
) -> None:
    class Shop:
        def __hash__(self) -> int:
            raise AttributeError("no id yet")

        def pay(self, amount: object) -> object:
            return amount

    rule = Rule(match=Tool("*pay"), when=when, fault=Error(status=503), key=key)
    pay = wrap(Shop.pay, Session(Plan(name="p", rules=(rule,))), name="pay")
    shop = Shop()
    for amount in [1, shop] * 20:
        with suppress(ToolFault):
            assert pay(shop, amount) is amount


def test_a_late_call_that_ended_holds_none_before_it() -> None:
    """A tool may start the task in which the next is called: its context keeps the call that was current then."""
    session = Session(Plan(name="p", rules=(Rule(match=Tool("*"), fault=Error(status=503), moment="after"),)))
    tasks: list[asyncio.Task[None]] = []

    async def step(left: int) -> None:
        if left:
            tasks.append(asyncio.create_task(agent(left - 1)))

    async def agent(left: int) -> None:
        with suppress(ToolFault):
            await called(left)

    called = wrap(step, session)

    async def main() -> None:
        await agent(200)
        for task in tasks:  # each adds the next
            await task
        tasks[:-1] = []
        gc.collect()
        assert sum(isinstance(one, LateAnsweredCall) for one in gc.get_objects()) < 20

    asyncio.run(main())
