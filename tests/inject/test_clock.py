"""Time that costs nothing, and time that does."""

from __future__ import annotations

import asyncio
import math
import threading
import time

import pytest

from sealegs.faults import Call, Failure, Outcome, Value
from sealegs.faults.call import Moment
from sealegs.faults.kinds import Delay, Error, Hang, LostAck, Poisoned, Timeout
from sealegs.faults.triggers import Nth
from sealegs.inject import EndlessWait, RealClock, VirtualClock
from sealegs.traces.events import decode_event, encode_event
from tests.inject.staging import plan, rule, staged

LONG = 3600.0


def nobody() -> None:
    """Do nothing."""


def test_the_virtual_clock_moves_only_by_waiting() -> None:
    clock = VirtualClock()
    began = time.monotonic()
    clock.sleep(LONG, nobody)
    asyncio.run(clock.sleep_async(LONG, nobody))
    assert clock.now() == 2 * LONG
    assert time.monotonic() - began < 60


def test_the_virtual_clock_misses_no_wait_of_a_thread() -> None:
    clock = VirtualClock()

    def wait() -> None:
        for _ in range(500):
            clock.sleep(1.0, nobody)

    threads = [threading.Thread(target=wait) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock.now() == 4000


def test_a_wait_without_end_on_the_virtual_clock_is_hung() -> None:
    episode = staged(plan(rule(Hang())))
    with pytest.raises(EndlessWait, match="give the session one"):
        episode.session.call("book_trip", {}, episode.tool)
    record = episode.record()
    assert record.exposed
    assert (record.turns[0].shown, record.turns[0].injections[0].waited) == (None, None)


def test_hung_is_no_exception_that_an_agent_would_catch() -> None:
    assert not issubclass(EndlessWait, Exception)


@pytest.mark.parametrize("fault", [Hang(), Hang(seconds=LONG), Timeout(seconds=LONG), Delay(seconds=LONG)])
def test_a_caller_with_a_timeout_is_shown_one(fault: Hang | Timeout | Delay) -> None:
    episode = staged(plan(rule(fault)), timeout=20)
    shown = episode.call()
    assert shown is not None
    assert (getattr(shown, "type", ""), getattr(shown, "status", 0)) == ("Timeout", 408)
    assert isinstance(getattr(shown, "exception", None), TimeoutError)
    turn = episode.record().turns[0]
    assert turn.shown == shown
    assert (turn.said, turn.faulted, turn.injections[0].shown) == (None, True, None)
    assert (turn.injections[0].waited, turn.injections[0].cut_off) == (20, True)
    assert episode.session.clock.now() == 20
    assert not episode.world.effects


def test_patience_is_for_a_whole_call() -> None:
    episode = staged(plan(rule(Delay(seconds=12.0)), rule(Delay(seconds=12.0))), timeout=20)
    assert getattr(episode.call(), "type", "") == "Timeout"
    assert episode.session.clock.now() == 20


def test_patience_that_suffices_changes_nothing() -> None:
    episode = staged(plan(rule(Delay(seconds=20.0))), timeout=20)
    assert isinstance(episode.call(), Value)
    (injection,) = episode.record().turns[0].injections
    assert (injection.delivered, injection.waited, injection.cut_off) == (True, 20, False)
    assert "cut_off" not in encode_event(injection)


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_late_answer_that_its_caller_did_not_wait_for_was_cut_off(moment: Moment) -> None:
    episode = staged(plan(rule(Delay(seconds=LONG), moment=moment)), clock=RealClock())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await episode.call_async()
    (turn,) = episode.record().turns
    (injection,) = turn.injections
    assert (turn.shown, injection.shown, injection.cut_off, injection.moment) == (None, None, True, moment)
    assert injection.waited is not None
    assert 0 < injection.waited < 60, "as long as the caller waited"
    assert decode_event(encode_event(injection)) == injection


def test_of_a_fault_that_another_leaves_nothing_to_do_nothing_was_cut_off() -> None:
    episode = staged(plan(rule(Error()), rule(Delay(seconds=5.0))))
    assert isinstance(episode.call(), Failure)
    found = {
        injection.kind: (injection.delivered, injection.cut_off) for injection in episode.record().turns[0].injections
    }
    assert found == {"error": (True, False), "delay": (False, False)}


def test_a_real_delay_takes_its_time() -> None:
    clock = RealClock()
    episode = staged(plan(rule(Delay(seconds=0.05))), clock=clock)
    assert isinstance(episode.call(), Value)
    assert clock.now() >= 0.05


async def test_a_real_hang_ended_by_the_caller_is_delivered() -> None:
    episode = staged(plan(rule(Hang())), clock=RealClock())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await episode.call_async()
    turn = episode.record().turns[0]
    assert turn.faulted
    assert (turn.said, turn.shown, turn.injections[0].shown) == (None, None, None)
    waited = turn.injections[0].waited
    assert waited is not None
    assert 0.01 < waited < 60, "as long as the caller waited"


async def test_a_hang_after_the_effect_keeps_the_effect() -> None:
    episode = staged(plan(rule(LostAck())), clock=RealClock())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await episode.call_async()
    record = episode.record()
    assert record.exposed
    assert [effect.subject for effect in record.effects] == ["Oslo"]
    assert isinstance(record.turns[0].said, Value)


async def test_a_caller_that_gives_up_on_the_tool_itself_proves_nothing() -> None:
    """The fault never came to its turn: the tool was slow by itself."""

    async def slow(call: Call) -> Outcome:
        await asyncio.sleep(60)
        return Value("late")

    episode = staged(plan(rule(Poisoned())), clock=RealClock())
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await episode.session.call_async("book_trip", {}, slow)
    record = episode.record()
    assert [(injection.delivered, injection.cut_off) for injection in record.turns[0].injections] == [(False, True)]
    assert not record.exposed


async def test_one_hang_holds_up_nobody_else() -> None:
    episode = staged(plan(rule(Hang(), when=Nth(1))), clock=RealClock())
    hung = asyncio.ensure_future(episode.call_async())
    await asyncio.sleep(0.01)
    assert isinstance(await episode.call_async(), Value)
    hung.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hung


@pytest.mark.parametrize("seconds", [None, LONG], ids=["without end", "long"])
def test_the_end_of_an_episode_frees_a_hanging_thread(seconds: float | None) -> None:
    """An agent that stopped waiting for its thread was struck all the same, and its process must be able to end."""
    episode = staged(plan(rule(Hang(seconds=seconds))), clock=RealClock())
    ended: list[BaseException] = []

    def call() -> None:
        try:
            episode.session.call("book_trip", {}, episode.tool)
        except EndlessWait as error:
            ended.append(error)

    thread = threading.Thread(target=call)
    with episode.session:
        thread.start()
        for _ in range(2000):
            if len(episode.recorder.events) == 3:  # started, called, waiting
                break
            time.sleep(0.001)
    record = episode.record()  # complete as soon as the block has ended
    thread.join(10)
    assert not thread.is_alive()
    assert len(ended) == 1
    assert record.exposed
    assert record.turns[0].shown is None


async def test_the_end_of_an_episode_cancels_a_hanging_task() -> None:
    episode = staged(plan(rule(Hang())), clock=RealClock())
    with episode.session:
        task = asyncio.ensure_future(episode.call_async())
        await asyncio.sleep(0.01)
        assert not task.done()
    record = episode.record()
    assert record.exposed
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_release_when_nobody_waits_leaves_later_waits_alone() -> None:
    clock = RealClock()
    clock.release()
    clock.sleep(0.001, nobody)
    asyncio.run(clock.sleep_async(0.001, nobody))
    assert clock.now() >= 0.002


def test_a_release_tells_each_wait_once_and_before_it_returns() -> None:
    clock = RealClock()
    released: list[int] = []
    hung: list[int] = []

    def wait(index: int) -> None:
        try:
            clock.sleep(math.inf, lambda: released.append(index))
        except EndlessWait:
            hung.append(index)

    threads = [threading.Thread(target=wait, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    while len(clock._pauses) < 8:
        time.sleep(0.001)
    clock.release()
    assert sorted(released) == list(range(8))
    for thread in threads:
        thread.join(10)
    assert sorted(hung) == list(range(8))


@pytest.mark.parametrize("kind", [RealClock, VirtualClock])
def test_a_wait_of_no_time_ends(kind: type[RealClock] | type[VirtualClock]) -> None:
    clock = kind()
    clock.sleep(0.0, nobody)
    asyncio.run(clock.sleep_async(0.0, nobody))
    assert clock.now() < 60
