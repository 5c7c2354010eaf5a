"""How long an episode really waited: planned waits that passed, and of one that was cut off what came of it."""

import asyncio
from typing import Any

import pytest

from sealegs.faults.call import Value
from sealegs.faults.kinds import Delay, Fault, Hang
from sealegs.inject import RealClock, Session, as_given
from sealegs.traces import OutcomeShown, Recorder, TimePassed, ToolCalled
from sealegs.traces.passed_time import seconds_waited
from tests.inject.staging import plan, rule, staged


def test_waits_that_passed_count_whole() -> None:
    episode = staged(plan(rule(Delay(seconds=2.5))))
    episode.call()
    episode.call()
    assert seconds_waited(episode.recorder.events) == 5.0


def test_a_timeout_ends_a_wait_without_end() -> None:
    episode = staged(plan(rule(Hang())), timeout=5)
    episode.call()
    assert seconds_waited(episode.recorder.events) == 5.0


@pytest.mark.parametrize("fault", [Delay(seconds=600), Hang()])
async def test_a_wait_that_the_caller_cut_off_counts_until_then(fault: Fault) -> None:
    clock = RealClock()
    recorder = Recorder(clock)
    session = Session(plan(rule(fault, moment="after")), clock=clock, watcher=recorder)
    intercepted = session.intercept("book_trip", as_given, {})
    assert intercepted is not None

    async def tool(call: Any) -> Any:
        await asyncio.sleep(0.3)  # no wait on the seam
        return Value("done")

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(intercepted.call_async(tool), 0.5)
    shown = next(event for event in recorder.events if isinstance(event, OutcomeShown))
    called = next(event for event in recorder.events if isinstance(event, ToolCalled))
    assert shown.outcome is None
    assert 0 < seconds_waited(recorder.events) <= shown.at - called.at - 0.29


def test_a_wait_of_recovery_lasts_no_longer_than_its_call() -> None:
    events = [
        ToolCalled("call-1", "slow", {}, 1.0),
        TimePassed("call-1", 2.0),
        TimePassed("call-1", 60.0),
        OutcomeShown("call-1", None, 0, False, 7.0),
        ToolCalled("call-2", "slow", {}, 8.0),
        TimePassed("call-2", 1.5),
        OutcomeShown("call-2", {"value": 1}, 1, True, 20.0),
    ]
    assert seconds_waited(events) == 2.0 + 4.0 + 1.5
