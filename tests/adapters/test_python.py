"""Plain Python tools under a session: what goes in, what comes out, what an agent can tell."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import inspect
import io
import json
import pickle
import re
import threading
import traceback
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.adapters.python import ToolFault, tool, wrap
from sealegs.faults import Failure, Fault, Plan
from sealegs.faults.kinds import (
    Connection,
    Delay,
    Duplicate,
    Error,
    Hang,
    LostAck,
    Malformed,
    Poisoned,
    RateLimit,
    SilentNoop,
    Timeout,
    WrongEntity,
)
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import First, Nth
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.traces import Record, Recorder, record
from tests.inject.staging import plan, rule

PACKAGE = str(Path(sealegs.__file__).parent)


class Shop:
    """Tools with a ledger."""

    def __init__(self) -> None:
        self.sold: list[str] = []

    def sell(self, item: str, /, count: int = 1, *notes: str, gift: bool = False, **more: Any) -> dict[str, Any]:
        """Sell an item."""
        if count < 1:
            raise ValueError(f"cannot sell {count}")
        self.sold.append(item)
        return {"item": item, "count": count, "notes": list(notes), "gift": gift, "more": more}

    async def sell_async(self, item: str, count: int = 1) -> dict[str, Any]:
        """Sell an item, later."""
        await asyncio.sleep(0)
        return self.sell(item, count)


class Episode:
    """A session on a virtual clock with its record."""

    def __init__(self, *rules: Any, specs: tuple[ToolSpec, ...] = (), timeout: float | None = None) -> None:
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("episode", {})
        self.session = Session(plan(*rules), specs=specs, clock=clock, timeout=timeout, watcher=self.recorder)

    def record(self) -> Record:
        self.recorder.finish("answered")
        return record(self.recorder.events)


def silent(*faults: Fault) -> Session:
    """A session without a watcher."""
    return Session(plan(*(rule(fault) for fault in faults)), clock=VirtualClock())


def weather(city: str, days: int = 3) -> str:
    """The weather in a city."""
    return f"{city}: sun for {days} days"


async def weather_async(city: str, days: int = 3) -> str:
    """The weather in a city, later."""
    await asyncio.sleep(0)
    return weather(city, days)


@tool
def forecast(city: str, days: int = 3) -> str:
    """A tool that is defined long before any session."""
    if days < 0:
        raise ValueError(f"{days} days")
    return f"{city}: rain for {days} days"


@tool(name="forecast")
async def forecast_async(city: str, days: int = 3) -> str:
    await asyncio.sleep(0)
    if days < 0:
        raise ValueError(f"{days} days")
    return f"{city}: rain for {days} days"


# --- What a wrapped tool looks like


def test_a_wrapped_tool_looks_like_the_tool() -> None:
    for bare in (weather, weather_async, Shop().sell, Shop().sell_async):
        wrapped = wrap(bare, silent())
        assert inspect.signature(wrapped) == inspect.signature(bare)
        assert inspect.iscoroutinefunction(wrapped) == inspect.iscoroutinefunction(bare)
        for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
            assert getattr(wrapped, name) == getattr(bare, name)


def test_several_tools_at_once() -> None:
    session = silent(Error(status=503))
    listed = wrap([weather, weather], session)
    named = wrap({"weather": weather, "climate": weather}, session)
    assert isinstance(listed, list)
    assert named.keys() == {"weather", "climate"}
    for wrapped in [*listed, *named.values()]:
        with pytest.raises(ToolFault):
            wrapped("Oslo")


def test_names_decide_what_is_struck() -> None:
    session = Session(plan(rule(Error(status=503), tool="climate")))
    tools = wrap({"weather": weather, "climate": weather}, session)
    assert tools["weather"]("Oslo") == weather("Oslo")
    with pytest.raises(ToolFault):
        tools["climate"]("Oslo")
    with pytest.raises(ToolFault):
        wrap(weather, session, name="climate")("Oslo")
    with pytest.raises(TypeError, match="one by one"):
        wrap([weather], session, name="climate")


class Callable_:  # noqa: N801
    def __call__(self, city: str) -> str:
        return weather(city)


class CallableAsync:
    async def __call__(self, city: str) -> str:
        return weather(city)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (functools.partial(weather, days=2), "weather"),
        (Callable_(), "Callable_"),
        (lambda city: weather(city), "<lambda>"),
        (len, "len"),
        (Shop().sell, "sell"),
        (dict, "dict"),
    ],
)
def test_whatever_can_be_called_can_be_a_tool(given: Callable[..., Any], name: str) -> None:
    episode = Episode(rule(Delay(seconds=1.0)))
    assert wrap(given, episode.session)("") == given("")
    turn = episode.record().turns[0]
    assert (turn.call.tool, turn.struck) == (name, True)


async def test_an_async_callable_object() -> None:
    wrapped = wrap(CallableAsync(), silent(Delay(seconds=1.0)))
    assert await wrapped("Oslo") == weather("Oslo")


def generates(city: str) -> Any:
    yield city


async def generates_async(city: str) -> Any:
    yield city


@pytest.mark.parametrize("given", [generates, generates_async])
def test_tools_that_answer_piece_by_piece_are_refused(given: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="is a generator; give a function that returns its whole answer"):
        wrap(given, silent())


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(TypeError, match="3 is no tool"):
        wrap([3], silent())  # type: ignore[list-item]
    with pytest.raises(TypeError, match="put @staticmethod outside"):
        tool(staticmethod(weather))


def test_a_sync_tool_that_returns_a_coroutine_is_refused() -> None:
    wrapped = wrap(lambda: weather_async("Oslo"), silent(Delay(seconds=1.0)))
    with pytest.raises(TypeError, match="make it an `async def`"):
        wrapped()


# --- Arguments


@pytest.mark.parametrize(
    ("args", "kwargs", "named"),
    [
        (("pen",), {}, {"item": "pen"}),
        (("pen", 2), {"gift": True}, {"item": "pen", "count": 2, "gift": True}),
        (("pen", 2, "a", "b"), {"colour": "red"}, {"item": "pen", "count": 2, "notes": ["a", "b"], "colour": "red"}),
        (("pen",), {"count": 4}, {"item": "pen", "count": 4}),
    ],
)
def test_arguments_are_bound_to_names(args: tuple[Any, ...], kwargs: dict[str, Any], named: dict[str, Any]) -> None:
    episode = Episode(rule(Delay(seconds=1.0)))
    shop = Shop()
    assert wrap(shop.sell, episode.session)(*args, **kwargs) == shop.sell(*args, **kwargs)
    assert episode.record().turns[0].call.arguments == named


@pytest.mark.parametrize(("args", "kwargs"), [((), {}), (("a", "b", "c"), {}), (("a",), {"zone": 1})])
def test_a_wrong_call_is_answered_by_the_tool_itself(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as bare:
        weather(*args, **kwargs)
    episode = Episode(rule(Poisoned()))
    with pytest.raises(TypeError) as wrapped:
        wrap(weather, episode.session)(*args, **kwargs)
    assert str(wrapped.value) == str(bare.value)
    assert not episode.record().exposed


def test_arguments_that_a_fault_changes_reach_the_tool_by_their_names() -> None:
    asked: list[tuple[Any, ...]] = []

    def sell(item: str, /, count: int, *notes: str, gift: bool = False) -> str:
        asked.append((item, count, notes, gift))
        return f"{item} x {count}"

    others = ({"item": "ink", "count": 7, "notes": ["wrapped"], "gift": True},)
    episode = Episode(rule(WrongEntity()), specs=(ToolSpec("sell", examples=others),))
    assert wrap(sell, episode.session)("pen", 1) == "ink x 7"
    assert asked == [("ink", 7, ("wrapped",), True), ("pen", 1, (), False)]


def test_self_is_no_argument() -> None:
    class Desk:
        @tool
        def book(self, room: str) -> str:
            return f"{type(self).__name__} booked {room}"

        @staticmethod
        @tool
        def hours(day: str) -> str:
            return f"open on {day}"

    episode = Episode(rule(Delay(seconds=1.0)))
    with episode.session:
        assert Desk().book("blue") == "Desk booked blue"
        assert Desk.hours("Monday") == "open on Monday"
    assert [turn.call.arguments for turn in episode.record().turns] == [{"room": "blue"}, {"day": "Monday"}]


# --- Outcomes


def test_a_value_is_shown_as_it_is() -> None:
    answer = object()
    assert wrap(lambda: answer, Episode().session)() is answer


async def test_faults_change_what_is_shown() -> None:
    session = silent(Malformed(mode="cut"))
    assert weather("Oslo").startswith(wrap(weather, session)("Oslo"))
    assert wrap(weather, session)("Oslo") != weather("Oslo")
    assert await wrap(weather_async, session)("Oslo") != weather("Oslo")


@pytest.mark.parametrize(
    ("fault", "kind", "text"),
    [
        (Error(message="Out of order."), "ToolError", "Out of order."),
        (Error(message="Out of order.", type="Fatal"), "Fatal", "Out of order."),
        (Error(exception="KeyError", message="city"), "KeyError", "'city'"),
        (Connection(mode="refused"), "ConnectionRefusedError", "[Errno 111] Connection refused"),
        (Timeout(seconds=30.0), "TimeoutError", "The request timed out after 30 s."),
        (LostAck(), "TimeoutError", "The request timed out after 30 s."),
    ],
)
async def test_a_failure_is_raised_as_the_tools_own(fault: Fault, kind: str, text: str) -> None:
    for given in (weather, weather_async):
        error = await raised_by(wrap(given, silent(fault)))
        assert type(error).__name__ == kind
        assert str(error) == text
        assert error.__cause__ is None
        assert error.__context__ is None


async def raised_by(call: Callable[[str], Any]) -> Exception:
    try:
        found = call("Oslo")
        if inspect.iscoroutine(found):
            await found
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_more_than_a_message_is_told_as_json() -> None:
    with pytest.raises(ToolFault) as raised:
        wrap(weather, silent(RateLimit(retry_after=2.0)))("Oslo")
    error = json.loads(str(raised.value))["error"]
    assert (error["status"], error["type"], error["retry_after"]) == (429, "RateLimitExceeded", 2.0)
    assert raised.value.failure.retry_after == 2.0


def test_a_caller_that_gave_up_is_shown_a_timeout() -> None:
    episode = Episode(rule(Hang()), timeout=5)
    with pytest.raises(TimeoutError, match="given up after 5 s"):
        wrap(weather, episode.session)("Oslo")
    assert episode.record().exposed


async def test_a_tools_own_exception_passes_unchanged() -> None:
    cause = OSError("disk")
    raised: list[LookupError] = []

    def breaks() -> None:
        raised.append(LookupError("gone", 7))
        raise raised[-1] from cause

    async def breaks_async() -> None:
        breaks()

    episode = Episode()
    error = await raised_by(wrap(lambda city: breaks(), episode.session, name="breaks"))
    assert error is raised[0]
    assert (error.args, error.__cause__) == (("gone", 7), cause)
    assert frames(error)[1:] == ["<lambda>", "<lambda>", "breaks"]
    with pytest.raises(LookupError) as later:
        await wrap(breaks_async, episode.session)()
    assert later.value is raised[1]
    assert frames(later.value)[1:] == ["breaks_async", "breaks_async", "breaks"]
    for turn in episode.record().turns:
        assert turn.shown == turn.said == Failure("('gone', 7)", type="LookupError")


def frames(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_an_exception_that_cannot_say_what_it_is() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def breaks() -> None:
        raise Mute

    episode = Episode()
    with pytest.raises(Mute):
        wrap(breaks, episode.session)()
    assert episode.record().turns[0].shown == Failure("", type="Mute")


def test_what_is_no_exception_is_not_held_up() -> None:
    def leaves() -> None:
        raise SystemExit(3)

    episode = Episode(rule(Delay(seconds=1.0)))
    with pytest.raises(SystemExit):
        wrap(leaves, episode.session)()
    assert episode.record().turns[0].shown is None


def test_a_tool_that_calls_a_failing_tool_passes_its_failure_on() -> None:
    episode = Episode(rule(RateLimit(), tool="inner"))
    inner = wrap(weather, episode.session, name="inner")
    outer = wrap(lambda: inner("Oslo"), episode.session, name="outer")
    with pytest.raises(ToolFault):
        outer()
    shown = {turn.call.tool: turn.shown for turn in episode.record().turns}
    assert shown["outer"] == shown["inner"]
    assert isinstance(shown["outer"], Failure)
    assert shown["outer"].status == 429


# --- The injector stays out of sight


SIGHTINGS = re.compile("sealegs|inject|fault|seam|guard", re.IGNORECASE)


def told(call: Callable[[], Any]) -> str:
    """Everything that a framework could put into a prompt about what a call raised."""
    try:
        found = call()
        if inspect.iscoroutine(found):
            asyncio.run(found)
    except Exception as error:
        text = io.StringIO()
        traceback.print_exception(error, file=text)
        return f"{text.getvalue()}\n{error!r}\n{error}\n{type(error)}\n{type(error).__module__}"
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("fault", [Error(status=503), Error(exception="OSError"), RateLimit(), Connection(), LostAck()])
def test_no_traceback_shows_the_injector(fault: Fault, tmp_path: Path) -> None:
    module = tmp_path / "errands.py"
    module.write_text(
        "def fetch(what):\n    '''Fetch.'''\n    return [what]\n\n\n"
        "async def fetch_later(\n    what,\n):\n    return [what]\n"
    )
    scope: dict[str, Any] = {"__name__": "errands"}
    exec(compile(module.read_text(), str(module), "exec"), scope)
    session = silent(fault)
    for name in ("fetch", "fetch_later"):
        text = told(lambda name=name: wrap(scope[name], session)("tea"))  # type: ignore[misc]
        own = "\n".join(line for line in text.splitlines() if "test_python.py" not in line and "lambda" not in line)
        own = re.sub(r"\n.*wrap\(scope.*", "", own).replace("found = call()", "")
        assert not SIGHTINGS.search(own), own
        assert f'"{module}", line ' in text


def test_the_tools_own_trouble_is_told_as_without_us() -> None:
    def breaks() -> None:
        raise ValueError("no such city")

    bare, wrapped = told(breaks), told(wrap(breaks, Episode().session))
    assert PACKAGE not in wrapped
    assert [line for line in wrapped.splitlines() if line not in bare.splitlines()] == []


async def test_a_hang_that_the_caller_ends_shows_no_injector() -> None:
    session = Session(plan(rule(Hang())), clock=RealClock())
    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.02):
            await wrap(weather_async, session)("Oslo")
    text = "".join(traceback.format_exception(raised.value))
    assert PACKAGE not in text
    assert "weather_async" in text


async def test_a_tool_that_the_caller_ends_shows_where_it_was() -> None:
    async def slow() -> None:
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.02):
            await wrap(slow, Episode().session)()
    cancelled = raised.value.__cause__
    assert cancelled is not None
    assert frames(cancelled)[1:4] == ["slow", "slow", "sleep"]


def test_faults_travel_between_processes() -> None:
    with pytest.raises(ToolFault) as raised:
        wrap(weather, silent(RateLimit(retry_after=2.0)))("Oslo")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (type(copy), str(copy), copy.failure) == (type(raised.value), str(raised.value), raised.value.failure)


def test_no_exception_keeps_its_call_alive() -> None:
    """What a call held must go with the last reference to its error, without a garbage collection."""

    class Big:
        pass

    def breaks(big: Big) -> None:
        raise LookupError

    def attempt(call: Callable[..., Any]) -> weakref.ref[Big]:
        big = Big()
        kept = weakref.ref(big)
        with contextlib.suppress(ToolFault, LookupError):
            call(big)
        return kept

    gc.collect()
    gc.disable()
    try:
        found = [attempt(wrap(breaks, silent(fault))) for fault in (Poisoned(), Delay(seconds=1.0), Error(status=500))]
        bare = attempt(breaks)
    finally:
        gc.enable()
    assert [kept() for kept in found] == [bare()] * 3


# --- Effects


@pytest.mark.parametrize(
    ("fault", "sold", "delivered"), [(LostAck(), 1, True), (Duplicate(), 2, True), (SilentNoop(), 1, False)]
)
def test_effects_of_a_tool_that_has_no_dry_run(fault: Fault, sold: int, delivered: bool) -> None:
    shop, episode = Shop(), Episode(rule(fault))
    sell = wrap(shop.sell, episode.session)
    if isinstance(fault, LostAck):
        with pytest.raises(TimeoutError):
            sell("pen")
    else:
        assert sell("pen")["item"] == "pen"
    assert shop.sold == ["pen"] * sold
    assert episode.record().exposed == delivered


async def test_a_dry_run_of_its_own() -> None:
    shop, episode = Shop(), Episode(rule(SilentNoop()))

    def quote(item: str, count: int = 1) -> dict[str, Any]:
        return {"item": item, "count": count}

    async def quote_async(item: str, count: int = 1) -> dict[str, Any]:
        return quote(item, count)

    assert wrap(shop.sell, episode.session, dry=quote)("pen", count=2) == {"item": "pen", "count": 2}
    for dry in (quote, quote_async):
        sell = wrap(shop.sell_async, episode.session, dry=dry)
        assert await sell("pen", count=2) == {"item": "pen", "count": 2}
    assert not shop.sold
    assert all(turn.struck for turn in episode.record().turns)


# --- Tools that were defined before any session


async def test_a_marked_tool_without_a_session_is_the_tool() -> None:
    assert forecast("Oslo", days=1) == "Oslo: rain for 1 days"
    assert await forecast_async("Oslo") == "Oslo: rain for 3 days"
    with pytest.raises(ValueError, match="-1 days"):
        forecast("Oslo", -1)


def failing(count: int) -> Plan:
    return plan(rule(Error(status=503), tool="forecast", when=First(count)))


def failures(results: list[Any]) -> int:
    return sum(isinstance(result, ToolFault) for result in results)


def attempted(city: str) -> Any:
    try:
        return forecast(city)
    except ToolFault as error:
        return error


async def attempted_async(city: str) -> Any:
    try:
        return await forecast_async(city)
    except ToolFault as error:
        return error


def test_the_active_session_reaches_threads_and_pools() -> None:
    results: list[Any] = []
    with Session(failing(5)), ThreadPoolExecutor(4) as pool:
        thread = threading.Thread(target=lambda: results.append(attempted("Oslo")))
        thread.start()
        thread.join()
        results.append(attempted("Oslo"))
        results += pool.map(attempted, ["Oslo"] * 8)
    assert failures(results) == 5
    assert failures([attempted("Oslo")]) == 0


async def test_the_active_session_reaches_tasks_and_their_threads() -> None:
    loop = asyncio.get_running_loop()
    with Session(failing(6)):
        results = await asyncio.gather(*(asyncio.create_task(attempted_async("Oslo")) for _ in range(4)))
        results.append(await asyncio.to_thread(attempted, "Oslo"))
        results.append(await loop.run_in_executor(None, attempted, "Oslo"))
        results.append(await attempted_async("Oslo"))
    assert [failures([result]) for result in results] == [1, 1, 1, 1, 1, 1, 0]


async def test_episodes_side_by_side_have_their_own_faults() -> None:
    async def episode(count: int) -> int:
        with Session(failing(count)) as session, ThreadPoolExecutor(2) as pool:
            tasks = [asyncio.create_task(attempted_async("Oslo")) for _ in range(4)]
            threads = [pool.submit(session.carry(attempted), "Oslo") for _ in range(4)]
            results = await asyncio.gather(*tasks, *map(asyncio.wrap_future, threads))
            return failures(list(results))

    assert await asyncio.gather(*(episode(count) for count in range(1, 9))) == list(range(1, 9))


def test_wrapping_a_marked_tool_binds_it_to_that_session() -> None:
    """It is struck once, by the session that it is bound to."""
    bound, active = Episode(rule(Delay(seconds=1.0))), Episode(rule(Delay(seconds=1.0)))
    with active.session:
        assert wrap(forecast, bound.session)("Oslo") == "Oslo: rain for 3 days"
        assert wrap(wrap(forecast, active.session), bound.session)("Oslo") == "Oslo: rain for 3 days"
    assert len(bound.record().turns) == 2
    assert not active.record().turns


def test_wrapping_a_marked_method_keeps_its_object() -> None:
    class Desk:
        @tool
        def book(self, room: str) -> str:
            return f"booked {room}"

    episode = Episode(rule(Delay(seconds=1.0)))
    assert wrap(Desk().book, episode.session)("blue") == "booked blue"
    assert episode.record().turns[0].call.arguments == {"room": "blue"}


def test_calls_of_one_tool_are_counted_together() -> None:
    episode = Episode(rule(Error(status=503), when=Nth(2)))
    once, again = wrap(weather, episode.session), wrap(weather, episode.session)
    assert once("Oslo") == weather("Oslo")
    with pytest.raises(ToolFault):
        again("Oslo")


def test_an_unwatched_call_is_counted_once() -> None:
    """The short cut for calls that nothing strikes must leave the count right."""
    session = Session(plan(rule(Error(status=503), when=Nth(3))))
    wrapped = wrap(weather, session)
    struck = []
    for _ in range(5):
        try:
            wrapped("Oslo")
            struck.append(False)
        except ToolFault:
            struck.append(True)
    assert struck == [False, False, True, False, False]
