"""Tools that were defined before any session: which calls the active one reaches."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sealegs.adapters.python import ToolFault, tool, wrap
from sealegs.faults import Plan
from sealegs.faults.kinds import (
    Delay,
    Error,
)
from sealegs.faults.triggers import First, Nth
from sealegs.inject import Session
from tests.adapters.shop import Episode, weather
from tests.inject.staging import plan, rule


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
    faulted = []
    for _ in range(5):
        try:
            wrapped("Oslo")
            faulted.append(False)
        except ToolFault:
            faulted.append(True)
    assert faulted == [False, False, True, False, False]
