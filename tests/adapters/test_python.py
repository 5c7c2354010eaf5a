"""Plain Python tools under a session: what goes in and what comes out."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from sealegs.adapters.python import ToolFault, tool, wrap
from sealegs.faults import Failure, Fault
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
from sealegs.inject import Session
from tests.adapters.shop import Episode, Shop, frames, raised_by, silent, weather, weather_async
from tests.inject.staging import plan, rule


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
    assert (turn.call.tool, turn.faulted) == (name, True)


async def test_an_async_callable_object() -> None:
    wrapped = wrap(CallableAsync(), silent(Delay(seconds=1.0)))
    assert await wrapped("Oslo") == weather("Oslo")


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(TypeError, match="3 is not a tool"):
        wrap([3], silent())  # type: ignore[type-var]
    with pytest.raises(TypeError, match="put @staticmethod outside"):
        tool(staticmethod(weather))


def test_a_sync_tool_that_returns_a_coroutine_is_refused() -> None:
    def sync(city: str) -> object:
        return weather_async(city)

    wrapped = wrap(sync, silent(Delay(seconds=1.0)))
    with pytest.raises(TypeError, match="make it an `async def`"):
        wrapped("Oslo")


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
    calls: list[tuple[Any, ...]] = []

    def sell(item: str, /, count: int, *notes: str, gift: bool = False) -> str:
        calls.append((item, count, notes, gift))
        return f"{item} x {count}"

    others = ({"item": "ink", "count": 7, "notes": ["wrapped"], "gift": True},)
    episode = Episode(rule(WrongEntity()), specs=(ToolSpec("sell", effects=False, examples=others),))
    assert wrap(sell, episode.session)("pen", 1) == "ink x 7"
    assert calls == [("ink", 7, ("wrapped",), True), ("pen", 1, (), False)]


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


def test_more_than_a_message_is_shown_as_json() -> None:
    with pytest.raises(ToolFault) as raised:
        wrap(weather, silent(RateLimit(retry_after=2.0)))("Oslo")
    error = json.loads(str(raised.value))["error"]
    assert (error["status"], error["type"], error["retry_after"]) == (429, "RateLimitExceeded", 2.0)
    assert raised.value.failure.retry_after == 2.0
    assert repr(raised.value) == f"RateLimitExceeded({str(raised.value)!r})"  # as of an exception made with that text


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

    def calls(city: str) -> str:
        return inner(city)

    with pytest.raises(ToolFault):
        wrap(calls, episode.session, name="outer")("Oslo")
    shown = {turn.call.tool: turn.shown for turn in episode.record().turns}
    assert shown["outer"] == shown["inner"]
    assert isinstance(shown["outer"], Failure)
    assert shown["outer"].status == 429


@pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")  # it cannot run dry, as is found out here
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
    assert all(turn.faulted for turn in episode.record().turns)
