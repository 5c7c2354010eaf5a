"""A finished episode as its readers want it."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from sealegs.faults import Failure, Value
from sealegs.faults.kinds import Error, Poisoned
from sealegs.faults.triggers import Nth
from sealegs.traces import (
    EffectHappened,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultInjected,
    OutcomeShown,
    ToolCalled,
    ToolRan,
    build_record,
)
from tests.inject.staging import TRIP, plan, rule, staged

START, END = EpisodeStarted("episode", {"level": "C1"}), EpisodeEnded("answered")


def test_a_whole_episode() -> None:
    episode = staged(plan(rule(Error(status=503), when=Nth(2)), rule(Poisoned(), when=Nth(3))))
    for _ in range(3):
        episode.call()
    found = episode.record()
    assert (found.episode, found.answer, found.end.reason) == ("episode", "Done.", "answered")
    assert [turn.call.nth for turn in found.turns] == [0, 1, 2]
    assert [dict(turn.call.arguments) for turn in found.turns] == [dict(TRIP)] * 3
    assert [turn.faulted for turn in found.turns] == [False, True, True]
    assert [isinstance(turn.shown, Failure) for turn in found.turns] == [False, True, False]
    assert [turn.said is None for turn in found.turns] == [False, True, False]
    assert len(found.effects) == 2
    assert found.exposed


def test_calls_are_counted_by_tool() -> None:
    calls = [ToolCalled(f"call-{index}", tool, {}) for index, tool in enumerate("abab")]
    assert [turn.call.nth for turn in build_record([START, *calls, END]).turns] == [0, 0, 1, 1]


def test_events_of_different_calls_may_mix() -> None:
    events: list[Event] = [
        START,
        ToolCalled("call-1", "a", {}),
        ToolCalled("call-2", "b", {}),
        EffectHappened("call-2", "pay", "Ann", {}),
        ToolRan("call-1", {"value": 1}),
        OutcomeShown("call-2", {"value": 2}),
        FaultInjected("call-1", "rule-1", "stale", True, True, 1, 0.0, {"value": 1}, {"value": 0}),
        OutcomeShown("call-1", {"value": 0}, 1, False),
        END,
    ]
    one, two = build_record(events).turns
    assert (one.said, one.shown, one.faulted, one.effects) == (Value(1), Value(0), True, ())
    assert (two.said, two.shown, two.faulted, len(two.effects)) == (Value(2), Value(2), False, 1)


@pytest.mark.parametrize("events", [[], [START], [END], [ToolCalled("call-1", "a", {}), END]])
def test_what_is_no_finished_episode(events: list[Event]) -> None:
    with pytest.raises(ValueError, match="not those of a finished episode"):
        build_record(events)


def test_events_of_a_call_that_was_never_made() -> None:
    with pytest.raises(ValueError, match="'shown' belongs to call 'call-7', which was never made"):
        build_record([START, OutcomeShown("call-7", None), END])


def test_a_long_episode_is_read_in_steps_that_grow_with_its_length() -> None:
    """Counted as functions entered, which no busy machine changes."""

    def steps(calls: int) -> int:
        events: list[Event] = [START]
        for index in range(calls):
            events += [ToolCalled(f"call-{index}", "a", {}), OutcomeShown(f"call-{index}", {"value": 1})]
        count = 0

        def note(frame: FrameType, event: str, argument: Any) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            build_record([*events, END])
        finally:
            sys.setprofile(None)
        return count

    assert steps(4_000) < 11 * steps(400)
