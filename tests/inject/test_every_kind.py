"""Every kind of fault through both drivers: the same outcomes, the same record, whatever the tool answers."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import enum
import math
from typing import Any

import pytest

from sealegs.faults import Fault, Outcome, Value
from sealegs.faults.kinds import Delta, FaultSetting, LogicViolation
from sealegs.traces import encode_event
from tests.faults.trip import booked
from tests.inject.staging import NOWHERE, TRIP, Staged, every_kind, plan, rule, staged

# Kinds are tried on tools that lack what they need, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")

KYOTO = {"city": "Kyoto"}
CALLS = (TRIP, KYOTO, NOWHERE, TRIP)


def in_thread(episode: Staged) -> list[Outcome | None]:
    return [episode.call(arguments) for arguments in CALLS]


def in_task(episode: Staged) -> list[Outcome | None]:
    async def play() -> list[Outcome | None]:
        return [await episode.call_async(arguments) for arguments in CALLS]

    return asyncio.run(play())


def events(episode: Staged) -> list[dict[str, Any]]:
    episode.record()
    return [encode_event(event) for event in episode.recorder.events]


@pytest.mark.parametrize("timeout", [None, 20.0], ids=["patient", "impatient"])
@pytest.mark.parametrize("persistence", ["transient", "permanent"])
@pytest.mark.parametrize("fault", every_kind(), ids=lambda fault: fault.kind)
def test_both_drivers_do_the_same(fault: Fault, persistence: str, timeout: float | None) -> None:
    stormy = plan(rule(fault, persistence=persistence), seed=3)
    sync, task = staged(stormy, timeout=timeout), staged(stormy, timeout=timeout)
    assert in_thread(sync) == in_task(task)
    assert sync.world.effects == task.world.effects
    assert events(sync) == events(task)


@pytest.mark.parametrize("fault", every_kind(), ids=lambda fault: fault.kind)
def test_every_kind_arrives_and_is_reported(fault: Fault) -> None:
    episode = staged(plan(rule(fault)))
    episode.call(KYOTO)  # an earlier answer, without which there is no stale one
    episode.call(TRIP)
    record = episode.record()
    injection = record.turns[1].injections[0]
    assert (injection.kind, injection.delivered, injection.implicit) == (fault.kind, True, fault.implicit)
    assert record.exposed


@pytest.mark.parametrize("fault", every_kind(), ids=lambda fault: fault.kind)
def test_a_tool_that_fails_by_itself_is_no_fault_of_ours(fault: Fault) -> None:
    """A failure passes through whatever needs an answer to work on; what answers by itself or waits arrives anyway."""
    episode = staged(plan(rule(fault)))
    shown = episode.call(NOWHERE)
    record = episode.record()
    arrives = fault.kind in {"error", "rate_limit", "connection", "timeout", "delay", "hang"}
    assert record.exposed == arrives
    assert (shown is not None and shown == record.turns[0].said) == (not arrives or fault.kind == "delay")


class Level(enum.IntEnum):
    HIGH = 3


class Array:
    """Compares like an array: the result is no truth value."""

    def __eq__(self, other: object) -> Any:
        raise ValueError("the truth value of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]


ODD = {
    "inf": {"a": math.inf},
    "nan": {"a": math.nan},
    "mixed keys": {1: 2, "b": 3, None: 4},
    "tuple key": {(1, 2): 3},
    "enum": {"a": Level.HIGH},
    "huge": {"a": 10**400},
    "decimal": {"a": decimal.Decimal("1.10")},
    "date": {"a": datetime.date(2026, 1, 1)},
    "bytes": b"\xff\x00",
    "set": {"a": {1, 2}},
    "array": Array(),
    "array inside": [Array()],
    "surrogate": "\ud800",
    "object": object(),
    "nothing": None,
}


@pytest.mark.filterwarnings("ignore:fault .* cannot work on an answer:RuntimeWarning")
@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("fault", every_kind(), ids=lambda fault: fault.kind)
def test_no_answer_of_a_tool_stops_an_episode(fault: Fault, value: Any) -> None:
    episode = staged(plan(rule(fault)), timeout=60, specs=())
    ran = []

    def tool(call: object) -> Outcome:
        ran.append(call)
        return Value(value)

    for _ in range(2):
        episode.session.call("tool", {"x": value}, tool)
    assert all(turn.shown is not None for turn in episode.record().turns)


def test_what_a_fault_cannot_work_on_is_left_as_it_is_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Delta, value: Any, setting: FaultSetting) -> Any:
        raise ValueError("a number that is none")

    monkeypatch.setattr(Delta, "rewritten", broken)
    episode = staged(plan(rule(Delta())), specs=())
    truth = Value({"level": 3})
    with pytest.warns(RuntimeWarning, match="fault 'delta' of rule 'rule-1' cannot work on an answer of 'read'"):
        assert episode.session.call("read", {}, lambda call: truth) is truth
    record = episode.record()
    assert [injection.delivered for injection in record.turns[0].injections] == [False]
    assert not record.exposed


def test_a_corruption_that_breaks_down_leaves_the_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run first without effect, the tool must then run as if there were no fault."""

    def broken(self: LogicViolation, *args: Any) -> Any:
        raise TypeError("no such thing")

    monkeypatch.setattr(LogicViolation, "wrong", broken)
    episode = staged(plan(rule(LogicViolation(), moment="before")))
    with pytest.warns(RuntimeWarning, match="leaves it as it is"):
        assert episode.call() == Value(booked("Oslo"))
    assert len(episode.world.effects) == 1
    assert not episode.record().exposed
