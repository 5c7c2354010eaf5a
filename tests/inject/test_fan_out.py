"""Calls of one tool side by side: the same faults strike the same requests, whichever arrives first.

A request is known by its tool, its arguments and how often they came before. What counts calls of a tool follows the
order that a turn tells.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults import Call, Failure, Fault, Outcome, Plan, Rule, Value
from sealegs.faults.kinds import Delay, Delta, Error, Malformed, Partial, SchemaDrift, Scramble, UnitSwap
from sealegs.faults.triggers import Always, AnyCondition, Argument, FirstTouch, Nth, Probability, Tool
from sealegs.inject import ModelTurn, Session, VirtualClock
from tests.inject.interleaving import Gathering, run_hurried
from tests.inject.staging import plan, rule
from tests.inject.test_determinism import CONDITIONS, ORDERS

WORKERS = 64
TOOLS = ("search", "price")
REQUESTS: list[tuple[str, Mapping[str, Any]]] = [
    (TOOLS[index % 2], {"query": f"word {index % 23}", "page": index % 3}) for index in range(4 * WORKERS)
]
FAULTS: list[Fault] = [
    Error(status=503),
    Scramble(),
    Delta(),
    Malformed(),
    Partial(),
    UnitSwap(),
    SchemaDrift(),
    Delay(seconds={"exponential": {"mean": 2.0}}),
]
DRAWN: st.SearchStrategy[AnyCondition] = st.just(Always()) | st.builds(Probability, st.floats(0, 1))
RULES: st.SearchStrategy[Rule] = st.builds(
    lambda fault, match, when: Rule(match=match, when=when, fault=fault),
    st.sampled_from(FAULTS),
    st.sampled_from([Tool("*"), Tool("search"), Tool("*") & Argument(name="page", above=0)]),
    DRAWN,
) | st.builds(
    lambda fault, when: Rule(match=Tool("*"), when=when, fault=fault, key="arguments"),
    st.sampled_from(FAULTS),
    CONDITIONS,
)
PLANS = st.builds(
    lambda rules, seed: plan(*rules, seed=seed), st.lists(RULES, min_size=1, max_size=4), st.integers(0, 10**9)
)


class Requests(Gathering):
    """What struck which request, under no name that depends on when it arrived."""

    def requests(self) -> Counter[tuple[Any, ...]]:
        return Counter(
            (
                one.call.tool,
                tuple(sorted(one.call.arguments.items())),
                one.rule,
                one.moment,
                one.waited,
                repr(one.shown),
            )
            for one in self.injections
        )


def answer(call: Call) -> Outcome:
    return Value({"tool": call.tool, "distance_km": 1234.5, "items": [1, 2, 3, 4], "text": "steady as she goes"})


def session_of(plan: Plan) -> tuple[Session, Requests]:
    seen = Requests()
    return Session(plan, episode="fan out", clock=VirtualClock(), watcher=seen), seen


def one_after_another(plan: Plan) -> Counter[tuple[Any, ...]]:
    session, seen = session_of(plan)
    for tool, arguments in REQUESTS:
        session.call(tool, arguments, answer)
    return seen.requests()


def in_tasks(plan: Plan, order: int) -> Counter[tuple[Any, ...]]:
    session, seen = session_of(plan)
    draw = random.Random(order)

    async def answer_async(call: Call) -> Outcome:
        for _ in range(draw.randrange(3)):
            await asyncio.sleep(0)
        return answer(call)

    async def all_of_them() -> None:
        requests = draw.sample(REQUESTS, len(REQUESTS))
        await asyncio.gather(*(session.call_async(tool, arguments, answer_async) for tool, arguments in requests))

    asyncio.run(all_of_them())
    return seen.requests()


def in_threads(plan: Plan, order: int) -> Counter[tuple[Any, ...]]:
    session, seen = session_of(plan)
    start = threading.Barrier(WORKERS)
    requests = random.Random(order).sample(REQUESTS, len(REQUESTS))

    def work(own: list[tuple[str, Mapping[str, Any]]]) -> None:
        start.wait()
        for tool, arguments in own:
            session.call(tool, arguments, answer)

    threads = [threading.Thread(target=work, args=(requests[index::WORKERS],)) for index in range(WORKERS)]
    run_hurried(threads)
    return seen.requests()


@settings(max_examples=40)
@given(plan=PLANS, order=ORDERS)
def test_the_same_requests_are_struck_in_tasks_of_any_order(plan: Plan, order: int) -> None:
    assert in_tasks(plan, order) == one_after_another(plan)


@settings(max_examples=15)
@given(plan=PLANS, order=ORDERS)
def test_the_same_requests_are_struck_in_64_threads(plan: Plan, order: int) -> None:
    assert in_threads(plan, order) == one_after_another(plan)


def test_by_order_it_is_a_matter_of_time() -> None:
    """Which the tests above would show, if they could."""
    by_order = plan(rule(Scramble(), when=Probability(0.5), key="order"))
    outcomes = {repr(sorted(in_tasks(by_order, order).items())) for order in range(5)}
    assert len(outcomes) > 1


@pytest.mark.parametrize("persistence", ["transient", "permanent"])
def test_a_permanent_fault_that_strikes_at_once_draws_alike_in_any_order(persistence: str) -> None:
    always = plan(Rule(match=Tool("*"), fault=Scramble(), persistence=persistence))  # type: ignore[arg-type]
    assert in_tasks(always, 1) == in_tasks(always, 2)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"a": 1, "b": "x"}, {"b": "x", "a": 1.0}),
        ({"a": "1"}, {"a": 1}),
        ({"a": [1, {"b": 2}]}, {"a": (1.0, {"b": "2"})}),
    ],
)
def test_equal_arguments_are_one_request(left: dict[str, Any], right: dict[str, Any]) -> None:
    twice = plan(rule(Error(status=503), when=Nth(2), key="arguments"))
    session = Session(twice)
    assert isinstance(session.call("t", left, answer), Value)
    assert isinstance(session.call("t", {"a": "other"}, answer), Value)
    assert isinstance(session.call("t", right, answer), Failure)


@pytest.mark.parametrize("between", [False, True])
def test_arguments_that_python_holds_for_equal_are_two_requests(between: bool) -> None:
    """Whether or not the one was asked for a moment before the other."""
    second = plan(rule(Error(status=503), when=Nth(2), key="arguments"))
    session = Session(second)
    for found in ({"a": (1,)}, {"a": 1}, {"a": frozenset([1])}):
        assert isinstance(session.call("t", found, answer), Value)
        if between:
            for index in range(100):
                session.call("t", {"a": index, "b": repr(found)}, answer)
    for other in ({"a": (True,)}, {"a": True}, {"a": frozenset([True])}):
        assert isinstance(session.call("t", other, answer), Value)


def test_an_object_without_a_face_is_the_same_in_every_process() -> None:
    """Its address is not part of any draw."""
    flaky = plan(rule(Error(status=503), when=Probability(0.5)))
    shown = []
    for _ in range(2):
        session = Session(flaky)
        shown.append([session.call("t", {"a": object()}, answer) for _ in range(50)])
    assert shown[0] == shown[1]


def faulted_of_turn(plan: Plan, order: int, announced: bool, tools: tuple[str, ...] = ("search",) * 8) -> list[int]:
    """Which of a turn's calls fail when they arrive in a drawn order."""
    session = Session(plan)
    turn = ModelTurn(tools)
    draw = random.Random(order)

    async def answer_async(call: Call) -> Outcome:
        return answer(call)

    async def one(index: int, pause: int) -> bool:
        for _ in range(pause):
            await asyncio.sleep(0)
        with turn.call(index):
            call = session.call_async(tools[index], {"index": index}, answer_async)
            return isinstance(await call, Failure)

    async def bare(index: int, pause: int) -> bool:
        for _ in range(pause):
            await asyncio.sleep(0)
        return isinstance(await session.call_async(tools[index], {"index": index}, answer_async), Failure)

    async def all_of_them() -> list[bool]:
        pauses = draw.sample(range(len(tools)), len(tools))
        made: Callable[[int, int], Any] = one if announced else bare
        return list(await asyncio.gather(*(made(index, pause) for index, pause in enumerate(pauses))))

    return [index for index, failed in enumerate(asyncio.run(all_of_them())) if failed]


FOURTH = plan(rule(Error(status=503), when=Nth(4)))


def test_the_fourth_of_a_turn_is_the_fourth_that_was_asked_for() -> None:
    assert [faulted_of_turn(FOURTH, order, announced=True) for order in range(30)] == [[3]] * 30


def test_without_a_turn_it_is_the_fourth_that_arrives() -> None:
    assert len({tuple(faulted_of_turn(FOURTH, order, announced=False)) for order in range(30)}) > 3


def test_a_turn_keeps_numbers_for_each_tool_and_says_who_was_touched_first() -> None:
    tools = ("price", "search", "search", "price")
    second = plan(rule(Error(status=503), when=Nth(2)))
    touched = plan(rule(Error(status=503), when=FirstTouch(("search", "price"))))
    for order in range(10):
        assert faulted_of_turn(second, order, announced=True, tools=tools) == [2, 3]
        assert faulted_of_turn(touched, order, announced=True, tools=tools) == [0, 3]


def test_another_try_in_a_turn_has_a_number_of_its_own() -> None:
    session = Session(plan(rule(Error(status=503), when=Nth(1))))
    turn = ModelTurn(["search", "search"])
    with turn.call(1):
        assert isinstance(session.call("search", {}, answer), Value)
    for _ in range(2):  # the middleware of a framework may well enter the place again
        with turn.call(0):
            first = session.call("search", {}, answer)
            again = session.call("search", {}, answer)
        assert [type(outcome) for outcome in (first, again)] == [Failure, Value] or isinstance(first, Value)
    assert session.call("search", {}, answer) == answer(Call("search", {}))


def test_a_turn_has_only_so_many_calls() -> None:
    with pytest.raises(IndexError), ModelTurn(["a"]).call(1):
        pass


def test_other_tools_inside_a_place_are_numbered_as_they_arrive() -> None:
    session = Session(plan(rule(Error(status=503), tool="inner", when=Nth(1))))
    with ModelTurn(["outer", "inner"]).call(0):
        session.call("outer", {}, lambda call: session.call("inner", {}, answer))
        assert isinstance(session.call("inner", {}, answer), Value)
