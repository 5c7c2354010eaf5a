"""Generators as tools that are left before their end: how much of the work was done, and how they are closed.

At last, generators that pass unchanged.
"""

from __future__ import annotations

import asyncio
import itertools
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.adapters.python import tool, wrap
from sealegs.faults import Fault, Value
from sealegs.faults.kinds import Delay, Drip, Interrupted
from sealegs.faults.kinds.interrupted import MOST_UNDECLARED
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import First
from sealegs.inject import RealClock, Session
from sealegs.inject.limit import CallLimit
from sealegs.traces import doubled_effects
from tests.adapters.shop import Episode, frames
from tests.inject.staging import plan, rule

PACKAGE = str(Path(sealegs.__file__).parent)
PAYS = ToolSpec("pay", effects=True)
Done = list[str]


def paying(done: Done, chunks: int = 3, error: Exception | None = None) -> Callable[..., Iterator[str]]:
    """A tool that works before its last chunk."""

    def pay(order: int) -> Iterator[str]:
        """Pay for an order."""
        try:
            for at in range(1, chunks):
                done.append(f"step {at}")
                yield f"step {at}"
            if error is not None:
                raise error
            done.append("paid")
            yield "paid"
        finally:
            done.append("closed")

    return pay


def paying_async(done: Done, chunks: int = 3, error: Exception | None = None) -> Callable[..., AsyncIterator[str]]:
    sync = paying(done, chunks, error)

    async def pay(order: int) -> AsyncIterator[str]:
        """Pay for an order."""
        source = sync(order)
        try:
            for chunk in source:
                await asyncio.sleep(0)
                yield chunk
        finally:
            source.close()  # type: ignore[attr-defined]

    return pay


def endless(done: Done) -> Callable[..., Iterator[int]]:
    def pay(order: int) -> Iterator[int]:
        for at in itertools.count():
            done.append(str(at))
            yield at

    return pay


def endless_async(done: Done) -> Callable[..., AsyncIterator[int]]:
    sync = endless(done)

    async def pay(order: int) -> AsyncIterator[int]:
        for chunk in sync(order):
            yield chunk

    return pay


async def taken(tool: Callable[..., Any], at_most: int = 100) -> list[Any]:
    """The chunks that a caller takes before it leaves, at last the exception that ends them."""
    found: list[Any] = []
    source = tool(17)
    try:
        if hasattr(source, "aclose"):
            while len(found) < at_most:
                found.append(await anext(source))
            await source.aclose()
        else:
            found += itertools.islice(source, at_most)
            source.close()
    except StopAsyncIteration:
        pass
    except Exception as error:
        found.append(error)
    return found


FORMS = pytest.mark.parametrize("form", [paying, paying_async], ids=["sync", "async"])
ENDLESS = pytest.mark.parametrize("form", [endless, endless_async], ids=["sync", "async"])
WHOLE = ["step 1", "step 2", "paid", "closed"]


@FORMS
async def test_a_tool_whose_answer_breaks_off_does_its_work(form: Any) -> None:
    episode = Episode(rule(Interrupted(after=1), when=First(1)), specs=(PAYS,))
    done: Done = []
    tool = wrap(form(done), episode.session)
    chunk, error = await taken(tool)
    assert (chunk, type(error)) == ("step 1", ConnectionResetError)
    assert done == WHOLE
    await taken(tool)
    record = episode.record()
    (injection,) = record.turns[0].injections
    assert (injection.moment, injection.runs) == ("after", 1)
    assert record.turns[0].said == Value(["step 1"])
    assert [(one.first.call.id, one.second.call.id) for one in doubled_effects(record)] == [("call-1", "call-2")]


@FORMS
async def test_a_tool_does_the_same_work_under_a_layer(form: Any) -> None:
    done: Done = []
    session = Session(plan(rule(Interrupted(after=1))), specs=(PAYS,), layers=(CallLimit(9),))
    assert type((await taken(wrap(form(done), session)))[-1]) is ConnectionResetError
    assert done == WHOLE


@FORMS
async def test_a_caller_that_leaves_a_silent_connection_finds_the_work_done(form: Any) -> None:
    episode = Episode(rule(Interrupted(after=1, mode="hang")), specs=(PAYS,), timeout=5)
    done: Done = []
    assert type((await taken(wrap(form(done), episode.session)))[-1]) is TimeoutError
    assert done == WHOLE
    (turn,) = episode.record().turns
    assert turn.injections[0].moment == "after"
    assert turn.lost


async def test_a_caller_that_is_cancelled_in_the_silence_finds_the_work_done() -> None:
    done: Done = []
    heard: list[Any] = []
    session = Session(plan(rule(Interrupted(after=1, mode="hang"))), specs=(PAYS,), clock=RealClock())

    async def listen() -> None:
        async for chunk in wrap(paying_async(done), session)(17):
            heard.append(chunk)  # noqa: PERF401

    task = asyncio.create_task(listen())
    while "closed" not in done:
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert heard == ["step 1"]
    assert done == WHOLE


@FORMS
@pytest.mark.parametrize("fault", [Interrupted(after=2), Interrupted(after=1), Drip()], ids=["later", "next", "drip"])
async def test_a_caller_that_leaves_early_leaves_the_work_undone(form: Any, fault: Fault) -> None:
    episode = Episode(rule(fault, when=First(1)), specs=(PAYS,))
    done: Done = []
    tool = wrap(form(done), episode.session)
    assert await taken(tool, at_most=1) == ["step 1"]
    assert done == ["step 1", "closed"]
    await taken(tool)
    record = episode.record()
    (injection,) = record.turns[0].injections
    assert (injection.moment, injection.runs, injection.cut_off) == ("during", 0, True)
    assert not doubled_effects(record)


@FORMS
async def test_a_tool_that_fails_after_its_answer_broke_off_says_so_itself(form: Any) -> None:
    mine = LookupError("declined")
    episode = Episode(rule(Interrupted(after=1)), specs=(PAYS,))
    assert await taken(wrap(form([], error=mine), episode.session)) == ["step 1", mine]
    (turn,) = episode.record().turns
    assert (turn.faulted, turn.worked) == (False, False)
    assert turn.injections[0].moment == "before"


@ENDLESS
@pytest.mark.parametrize(
    ("spec", "made", "moment"),
    [(ToolSpec("pay", effects=False), 3, ""), (ToolSpec("pay"), 3 + MOST_UNDECLARED, "during")],
    ids=["read", "undeclared"],
)
async def test_a_tool_without_end_is_left_in_the_middle(form: Any, spec: ToolSpec, made: int, moment: str) -> None:
    episode = Episode(rule(Interrupted(after=2)), specs=(spec,))
    done: Done = []
    *chunks, error = await taken(wrap(form(done), episode.session))
    assert (chunks, type(error)) == ([0, 1], ConnectionResetError)
    assert len(done) == made
    assert episode.record().turns[0].injections[0].moment == moment


@FORMS
async def test_an_undeclared_tool_does_its_work(form: Any) -> None:
    episode = Episode(rule(Interrupted(after=1)))
    done: Done = []
    await taken(wrap(form(done), episode.session))
    assert done == WHOLE
    assert episode.record().turns[0].injections[0].moment == "after"


def untidy(shop: str) -> Iterator[int]:
    """A tool whose clean-up fails."""
    try:
        yield 1
        yield 2
    finally:
        raise ValueError("cleanup")


async def untidy_async(shop: str) -> AsyncIterator[int]:
    try:
        yield 1
        yield 2
    finally:
        raise ValueError("cleanup")


def told(error: BaseException) -> list[Any]:
    """The exception and its contexts, each with the functions of its traceback that are below the caller."""
    found: list[Any] = []
    one: BaseException | None = error
    while one is not None:
        found.append((repr(one), sorted({name for name in frames(one) if name.startswith("untidy")})))
        assert PACKAGE not in "".join(traceback.format_exception(one))
        one = one.__context__
    return found


async def left(tool: Callable[..., Any], thrown: BaseException | None = None) -> BaseException:
    """The exception that a caller meets that leaves after the first chunk, by closing the tool or by an exception."""
    source = tool("corner")
    try:
        if hasattr(source, "aclose"):
            await anext(source)
            await (source.aclose() if thrown is None else source.athrow(thrown))
        else:
            next(source)
            source.close() if thrown is None else source.throw(thrown)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


UNTIDY = pytest.mark.parametrize("bare", [untidy, untidy_async], ids=["sync", "async"])


@UNTIDY
@pytest.mark.parametrize("faults", [(), (rule(Delay(seconds=2.0)),), (rule(Drip()),), (rule(Interrupted(after=1)),)])
async def test_a_caller_that_leaves_hears_what_the_clean_up_raises(bare: Any, faults: Any) -> None:
    episode = Episode(*faults)
    error = await left(wrap(bare, episode.session))
    assert told(error) == told(await left(bare))
    assert len(told(error)) == 2
    (turn,) = episode.record().turns
    assert (turn.shown, turn.answers) == (None, ())


@UNTIDY
async def test_a_caller_that_leaves_by_an_exception_hears_it_too(bare: Any) -> None:
    error = await left(wrap(bare, Episode().session), KeyError("mine"))
    assert repr(error) == "ValueError('cleanup')"
    assert PACKAGE not in "".join(traceback.format_exception(error))


@UNTIDY
async def test_a_tool_that_yields_while_it_is_closed(bare: Any) -> None:
    def stubborn(shop: str) -> Iterator[int]:
        try:
            yield 1
        except GeneratorExit:
            yield 2

    async def stubborn_async(shop: str) -> AsyncIterator[int]:
        try:
            yield 1
        except GeneratorExit:
            yield 2

    own = stubborn if bare is untidy else stubborn_async
    error = await left(wrap(own, Episode().session))
    assert repr(error) == repr(await left(own))
    assert PACKAGE not in "".join(traceback.format_exception(error))


@UNTIDY
async def test_a_caller_that_did_not_leave_does_not_hear_of_the_clean_up(bare: Any) -> None:
    reads = ToolSpec(bare.__name__, effects=False)
    cut = Episode(rule(Interrupted(after=1)), specs=(reads,))
    assert [type(one) for one in await taken(wrap(bare, cut.session))] == [int, ConnectionResetError]
    late = Episode(rule(Drip(seconds=2.0)), timeout=3.0)
    assert [type(one) for one in await taken(wrap(bare, late.session))] == [int, TimeoutError]


async def talking(shop: str) -> AsyncGenerator[Any, Any]:
    """A tool that gives back what it was sent."""
    heard: Any = None
    while heard != "enough":
        try:
            heard = yield heard
        except KeyError as error:
            heard = f"caught {error}"


PASSES = pytest.mark.parametrize(
    "passed", [tool(talking), wrap(talking, Session()), wrap(talking, Session(plan(rule(Delay(), tool="other"))))]
)


@PASSES
async def test_an_async_tool_that_passes_unchanged_is_sent_values_and_exceptions(passed: Any) -> None:
    source = passed("corner")
    assert await anext(source) is None
    assert await source.asend("hello") == "hello"
    assert await source.athrow(KeyError("k")) == "caught 'k'"
    assert await source.asend(2) == 2
    with pytest.raises(StopAsyncIteration):
        await source.asend("enough")


@PASSES
async def test_an_exception_that_an_async_tool_does_not_take_ends_it(passed: Any) -> None:
    source = passed("corner")
    await anext(source)
    mine = LookupError("mine")
    with pytest.raises(LookupError) as raised:
        await source.athrow(mine)
    assert raised.value is mine
    assert frames(mine)[1:] == ["talking", "talking"]  # the wrapper's frame, and the tool's
    with pytest.raises(StopAsyncIteration):
        await anext(source)


@pytest.mark.parametrize("leave", [None, KeyError("mine"), GeneratorExit()], ids=["close", "error", "exit"])
async def test_the_clean_up_of_an_async_tool_that_passes_unchanged(leave: BaseException | None) -> None:
    assert told(await left(wrap(untidy_async, Session()), leave)) == told(await left(untidy_async, leave))


async def test_an_async_tool_that_passes_unchanged_is_closed() -> None:
    done: Done = []
    source = wrap(paying_async(done), Session())(17)
    await anext(source)
    await source.aclose()
    assert done == ["step 1", "closed"]
