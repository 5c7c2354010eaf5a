"""Generators as tools: chunks pass as they come, break off, hang, and go wrong."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.adapters.python import ToolFault, tool, wrap
from sealegs.faults import Call, Failure, Fault, Value
from sealegs.faults.kinds import (
    Connection,
    Delay,
    Delta,
    Drip,
    Duplicate,
    Empty,
    Error,
    Hang,
    Interrupted,
    LostAck,
    Malformed,
    Partial,
    SilentNoop,
    Stale,
    WrongEntity,
)
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import First, Nth, Probability
from sealegs.hunt.trial import Loop
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.inject.limit import CallLimit
from tests.adapters.shop import Episode, frames, silent
from tests.inject.staging import plan, rule

PACKAGE = str(Path(sealegs.__file__).parent)
PRICES = [
    {"item": "pen", "price": 3},
    {"item": "ink", "price": 8},
    {"item": "pad", "price": 5},
    {"item": "mug", "price": 9},
]
Log = list[str]


def counting(log: Log, stop: int = 4) -> Callable[..., Iterator[Any]]:
    """A tool that says when it makes a chunk and when it is closed."""

    def prices(shop: str, first: int = 0) -> Iterator[Any]:
        """The prices of a shop."""
        try:
            for at in itertools.count(first) if stop < 0 else range(first, stop):
                log.append(f"made {at}")
                yield PRICES[at % 4]
        finally:
            log.append("closed")

    return prices


def counting_async(log: Log, stop: int = 4) -> Callable[..., AsyncIterator[Any]]:
    sync = counting(log, stop)

    async def prices(shop: str, first: int = 0) -> AsyncIterator[Any]:
        """The prices of a shop."""
        for chunk in sync(shop, first):
            await asyncio.sleep(0)
            yield chunk

    return prices


async def heard(given: Callable[..., Any], log: Log | None = None, at_most: int = 100) -> list[Any]:
    """The chunks that a consumer gets, at last the exception that ends them. Each is logged in `log`."""
    found: list[Any] = []
    source = given("corner")
    try:
        if inspect.isasyncgen(source):
            async for chunk in source:
                found.append(chunk)
                if log is not None:
                    log.append("heard")
                if len(found) == at_most:
                    await source.aclose()
                    break
        else:
            for chunk in source:
                found.append(chunk)
                if log is not None:
                    log.append("heard")
                if len(found) == at_most:
                    source.close()
                    break
    except Exception as error:
        found.append(error)
    return found


FORMS = pytest.mark.parametrize("form", [counting, counting_async], ids=["sync", "async"])
LIVE = ["made 0", "heard", "made 1", "heard", "made 2", "heard", "made 3", "heard", "closed"]


@FORMS
def test_a_wrapped_generator_looks_like_the_tool(form: Any) -> None:
    bare = form([])
    wrapped = wrap(bare, silent())
    assert inspect.signature(wrapped) == inspect.signature(bare)
    for predicate in (inspect.isgeneratorfunction, inspect.isasyncgenfunction, inspect.iscoroutinefunction):
        assert predicate(wrapped) == predicate(bare)
    assert (wrapped.__name__, wrapped.__doc__) == (bare.__name__, bare.__doc__)


@FORMS
@pytest.mark.parametrize("rules", [(), (rule(Delay(seconds=2.0)),), (rule(Delta(), when=Nth(2)),)])
@pytest.mark.parametrize("watched", [True, False])
async def test_chunks_pass_as_they_come(form: Any, rules: tuple[Any, ...], watched: bool) -> None:
    episode = Episode(*rules)
    log: Log = []
    session = episode.session if watched else Session(plan(*rules), clock=VirtualClock())
    assert await heard(wrap(form(log), session), log) == PRICES
    assert log == LIVE
    if watched:
        (turn,) = episode.record().turns
        assert turn.call.arguments == {"shop": "corner"}
        assert turn.shown == turn.said == Value(PRICES)


@FORMS
async def test_nothing_happens_before_the_first_chunk_is_asked_for(form: Any) -> None:
    log: Log = []
    episode = Episode(rule(Error(status=503)))
    source = wrap(form(log), episode.session)("corner")
    assert not log
    assert not episode.record().turns
    del source


@FORMS
@pytest.mark.parametrize(
    ("fault", "shown"), [(Error(status=503), "ServiceUnavailable"), (Connection(), "ConnectionRefusedError")]
)
async def test_faults_before_the_first_chunk(form: Any, fault: Fault, shown: str) -> None:
    log: Log = []
    (error,) = await heard(wrap(form(log), silent(fault)))
    assert type(error).__name__ == shown
    assert not log


@FORMS
@pytest.mark.parametrize("stop", [4, -1], ids=["finite", "endless"])
async def test_an_answer_breaks_off_in_the_middle(form: Any, stop: int) -> None:
    log: Log = []
    episode = Episode(rule(Interrupted(after=2)), specs=(ToolSpec("prices", effects=False),))
    *chunks, error = await heard(wrap(form(log, stop), episode.session), log)
    assert chunks == PRICES[:2]
    assert isinstance(error, ConnectionResetError)
    assert log == [*LIVE[:5], "closed"]
    (turn,) = episode.record().turns
    assert turn.faulted
    assert turn.said == Value(PRICES[:2])
    assert isinstance(turn.shown, Failure)


@FORMS
async def test_an_answer_of_no_more_chunks_is_not_interrupted(form: Any) -> None:
    for after in (4, 5):
        episode = Episode(rule(Interrupted(after=after)))
        assert await heard(wrap(form([]), episode.session)) == PRICES
        assert not episode.record().exposed


@FORMS
@pytest.mark.parametrize("orders", [(2, 3), (3, 2)])
async def test_of_two_interruptions_the_sooner_strikes(form: Any, orders: tuple[int, int]) -> None:
    episode = Episode(*(rule(Interrupted(after=after)) for after in orders))
    *chunks, error = await heard(wrap(form([]), episode.session))
    assert (chunks, type(error)) == (PRICES[:2], ConnectionResetError)
    delivered = {injection.rule: injection.delivered for injection in episode.record().turns[0].injections}
    assert delivered[f"rule-{orders.index(2) + 1}"]
    assert not delivered[f"rule-{orders.index(3) + 1}"]


@FORMS
async def test_a_hang_in_the_middle_is_ended_by_the_session(form: Any) -> None:
    episode = Episode(rule(Interrupted(after=3, mode="hang")), timeout=5)
    *chunks, error = await heard(wrap(form([]), episode.session))
    assert chunks == PRICES[:3]
    assert isinstance(error, TimeoutError)


@pytest.mark.parametrize("fault", [Hang(), Interrupted(after=3, mode="hang")])
async def test_a_hang_is_ended_by_the_agents_own_timeout(fault: Fault) -> None:
    log: Log = []
    wrapped = wrap(counting_async(log), Session(plan(rule(fault)), clock=RealClock()))
    chunks: list[Any] = []

    async def listen() -> None:
        async for chunk in wrapped("corner"):
            chunks.append(chunk)  # noqa: PERF401

    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.05):
            await listen()
    assert chunks == ([] if isinstance(fault, Hang) else PRICES[:3])
    assert PACKAGE not in "".join(traceback.format_exception(raised.value))


@FORMS
@pytest.mark.parametrize(
    ("fault", "shown"),
    [
        (Partial(keep=0.5), PRICES[:2]),
        (Empty(), []),
        (Duplicate(), PRICES),
        (Delta(fields=("price",)), None),
        (LostAck(), None),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
async def test_faults_on_the_whole_answer(form: Any, fault: Fault, shown: list[Any] | None) -> None:
    log: Log = []
    episode = Episode(rule(fault))
    chunks = await heard(wrap(form(log), episode.session), log)
    assert log[:5] == ["made 0", "made 1", "made 2", "made 3", "closed"]
    assert episode.record().exposed
    if shown is not None:
        assert chunks == shown
    elif isinstance(fault, Delta):
        assert len(chunks) == 4
        assert all(
            chunk["item"] == true["item"] and chunk["price"] != true["price"] for chunk, true in zip(chunks, PRICES)
        )
    else:
        assert isinstance(chunks[0], TimeoutError)


@FORMS
async def test_an_answer_that_is_no_list_any_more_is_one_chunk(form: Any) -> None:
    (chunk,) = await heard(wrap(form([]), silent(Malformed(mode="cut"))))
    assert json.dumps(PRICES).startswith(chunk)


@FORMS
async def test_chunks_that_trickle_in(form: Any) -> None:
    episode = Episode(rule(Drip(seconds=2.0)))
    moments: list[float] = []
    source = wrap(form([]), episode.session)("corner")
    if inspect.isasyncgen(source):
        async for _ in source:
            moments.append(episode.session.clock.now())  # noqa: PERF401
    else:
        moments += (episode.session.clock.now() for _ in source)
    assert moments == [2.0, 4.0, 6.0, 8.0]
    (turn,) = episode.record().turns
    assert turn.faulted
    assert turn.shown == Value(PRICES)
    (injection,) = turn.injections
    assert (injection.runs, injection.waited, injection.said) == (1, 8.0, {"value": PRICES})


@FORMS
async def test_an_answer_without_end_trickles_as_it_comes(form: Any) -> None:
    log: Log = []
    episode = Episode(rule(Drip(seconds=2.0)))
    assert len(await heard(wrap(form(log, -1), episode.session), log, at_most=3)) == 3
    # each chunk is asked for when the one before it was heard, and the last is given up
    assert log == ["made 0", "heard", "made 1", "heard", "made 2", "heard", "closed"]
    (turn,) = episode.record().turns
    assert (turn.shown, turn.said, turn.injections[0].waited) == (None, None, 6.0)


@FORMS
@pytest.mark.parametrize(
    ("faults", "chunks", "seconds"),
    [
        ((Interrupted(after=2), Drip(seconds=2.0)), 2, 4.0),  # the first is the outer one
        ((Drip(seconds=2.0), Interrupted(after=2)), 0, 0.0),
        ((Drip(seconds=2.0), Drip(seconds=3.0)), 4, 11.0),
        ((Drip(seconds=2.0), Delay(seconds=3.0)), 4, 11.0),
        ((Delay(seconds=3.0), Drip(seconds=2.0)), 4, 11.0),
        ((Delta(), Drip(seconds=2.0)), 4, 2.0),
    ],
)
async def test_chunks_that_trickle_under_and_over_other_faults(
    form: Any, faults: tuple[Fault, ...], chunks: int, seconds: float
) -> None:
    episode = Episode(*(rule(fault, id=str(number)) for number, fault in enumerate(faults)))
    found = await heard(wrap(form([]), episode.session))
    assert len([chunk for chunk in found if not isinstance(chunk, Exception)]) == chunks
    assert episode.session.clock.now() == seconds
    (turn,) = episode.record().turns
    runs = [injection.runs for injection in turn.injections]
    assert max(runs) == 1
    assert "[]" not in repr([(injection.said, injection.shown) for injection in turn.injections])


@FORMS
async def test_what_trickled_in_is_served_again_when_stale(form: Any) -> None:
    episode = Episode(rule(Drip(seconds=2.0), when=Nth(1)), rule(Stale(), id="stale", when=Nth(2)))
    tool = wrap(form([]), episode.session)
    assert await heard(tool) == PRICES
    assert await heard(tool) == PRICES
    assert episode.session.clock.now() == 8.0


@FORMS
async def test_a_tool_that_fails_in_the_middle_by_itself(form: Any) -> None:
    mine = LookupError("no more")

    def breaks(shop: str) -> Iterator[int]:
        yield 1
        yield 2
        raise mine

    async def breaks_async(shop: str) -> AsyncIterator[int]:
        for chunk in breaks(shop):
            yield chunk

    bare = breaks if form is counting else breaks_async
    for fault in (Delay(seconds=1.0), Interrupted(after=3), Drip(), Delta()):
        *chunks, error = await heard(wrap(bare, Episode(rule(fault)).session))
        assert chunks == ([1, 2] if fault.streamed else [])
        assert error is mine
        assert frames(error)[-1] == "breaks"
        assert PACKAGE not in "".join(traceback.format_exception(error))


@FORMS
@pytest.mark.parametrize("fault", [Error(status=503), Interrupted(after=1), Connection(), Delta()])
async def test_no_traceback_shows_the_injector(form: Any, fault: Fault) -> None:
    def same_prices(shop: str) -> Iterator[Any]:
        yield from PRICES
        raise LookupError

    async def same_prices_async(shop: str) -> AsyncIterator[Any]:
        for chunk in same_prices(shop):
            yield chunk

    bare = same_prices if form is counting else same_prices_async
    *_, error = await heard(wrap(bare, silent(fault)))
    text = "".join(traceback.format_exception(error))
    assert PACKAGE not in text
    assert bare.__name__ in frames(error)
    assert error.__context__ is None


@FORMS
async def test_a_consumer_that_has_heard_enough(form: Any) -> None:
    log: Log = []
    episode = Episode(rule(Delay(seconds=1.0)))
    assert await heard(wrap(form(log), episode.session), at_most=2) == PRICES[:2]
    assert log[-1] == "closed"
    (turn,) = episode.record().turns
    assert turn.shown is None


@FORMS
async def test_layers_of_others_answer_before_anything_is_shown(form: Any) -> None:
    def twice(call: Call) -> Any:
        outcome = yield call
        return outcome if isinstance(outcome, Value) else (yield call)

    faults = plan(rule(Interrupted(after=2), when=First(1)))
    session = Session(faults, clock=VirtualClock(), layers=[twice])
    assert await heard(wrap(form([]), session)) == PRICES


def passing(call: Call) -> Any:
    """A layer that lets chunks pass, as it may be written outside."""
    return (yield call)


passing.passes_chunks = True  # type: ignore[attr-defined]


def gathering(call: Call) -> Any:
    return (yield call)


@FORMS
@pytest.mark.parametrize("layers", [[CallLimit(9)], [Loop(9)], [passing, CallLimit(9)]])
async def test_chunks_pass_through_layers_that_let_them(form: Any, layers: list[Any]) -> None:
    log: Log = []
    session = Session(clock=VirtualClock(), layers=layers)
    assert await heard(wrap(form(log, -1), session), log, at_most=3) == PRICES[:3]
    assert log == ["made 0", "heard", "made 1", "heard", "made 2", "heard", "closed"]


@FORMS
async def test_one_layer_that_wants_the_whole_answer_is_enough_to_hold_it_back(form: Any) -> None:
    log: Log = []
    session = Session(clock=VirtualClock(), layers=[CallLimit(9), gathering])
    assert await heard(wrap(form(log), session), log) == PRICES
    assert log[:6] == ["made 0", "made 1", "made 2", "made 3", "closed", "heard"]


@pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")  # it cannot run dry, as is found out here
@FORMS
async def test_arguments_that_a_fault_changes(form: Any) -> None:
    spec = ToolSpec("prices", examples=({"shop": "corner", "first": 2},))
    log: Log = []

    def dry(shop: str, first: int = 0) -> list[Any]:
        return PRICES[first:]

    async def dry_async(shop: str, first: int = 0) -> AsyncIterator[Any]:
        for chunk in dry(shop, first):
            yield chunk

    session = Session(plan(rule(WrongEntity())), specs=(spec,), clock=VirtualClock())
    bare = form(log)
    wrapped = wrap(bare, session, dry=dry if form is counting else dry_async)
    assert await heard(wrapped) == PRICES[2:]
    assert await heard(wrap(bare, silent(SilentNoop()))) == PRICES


async def test_the_same_plan_strikes_the_same_calls_side_by_side() -> None:
    async def faulted(concurrent: bool) -> list[str]:
        session = Session(plan(rule(Interrupted(after=2), when=Probability(0.5)), seed=5), clock=VirtualClock())
        wrapped = wrap(counting_async([]), session)
        calls = [heard(wrapped) for _ in range(12)]
        found = await asyncio.gather(*calls) if concurrent else [await call for call in calls]
        return [type(chunks[-1]).__name__ for chunks in found]

    alone = await faulted(False)
    assert {"dict", "ConnectionResetError"} == set(alone)
    assert sorted(await faulted(True)) == sorted(alone)


@tool
def marked(shop: str) -> Iterator[Any]:
    yield from PRICES
    return len(PRICES)


def test_a_marked_generator_goes_through_the_active_session() -> None:
    closed = plan(rule(Error(message="Closed."), tool="marked"))
    with Session(closed, clock=VirtualClock()), pytest.raises(ToolFault, match="Closed"):
        list(marked("corner"))
    assert list(marked("corner")) == PRICES
    assert list(wrap([marked], silent())[0]("corner")) == PRICES


def test_an_object_that_generates_when_called() -> None:
    class Prices:
        def __call__(self, shop: str) -> Iterator[Any]:
            yield from PRICES

    *chunks, error = asyncio.run(heard(wrap(Prices(), silent(Interrupted()), name="prices")))
    assert (chunks, type(error)) == (PRICES[:1], ConnectionResetError)
