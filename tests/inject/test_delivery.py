"""Proof of delivery: what the tool answered, what the agent was shown, and whether that makes a difference."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest

from sealegs.faults import Call, Failure, Outcome, ToolSpec, Value
from sealegs.faults.kinds import (
    Delay,
    Duplicate,
    Error,
    IrrelevantResponse,
    LogicViolation,
    LostAck,
    Poisoned,
    Scramble,
    SilentNoop,
    Stale,
    WrongEntity,
)
from sealegs.faults.triggers import First
from sealegs.inject import NO_DRY_RUN, Session
from sealegs.traces import Record, Turn
from tests.faults.trip import SPEC, booked
from tests.inject.staging import NOWHERE, TRIP, Staged, plan, rule, staged

# Kinds are tried on tools that lack what they need, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")

OSLO = Value(booked("Oslo"))


def one_call(episode: Staged, arguments: Mapping[str, Any] = TRIP) -> tuple[Turn, Record]:
    episode.call(arguments)
    record = episode.record()
    return record.turns[0], record


def test_an_error_never_reaches_the_tool() -> None:
    turn, record = one_call(staged(plan(rule(Error(status=503)))))
    assert (turn.said, turn.faulted, record.effects) == (None, True, ())
    assert isinstance(turn.shown, Failure)


def test_a_corruption_shows_something_else_than_the_tool_answered() -> None:
    turn, record = one_call(staged(plan(rule(LogicViolation()))))
    assert turn.said == OSLO != turn.shown
    assert (turn.faulted, len(record.effects), turn.injections[0].runs) == (True, 1, 1)


def test_a_corruption_of_an_action_that_did_not_happen() -> None:
    turn, record = one_call(staged(plan(rule(LogicViolation(), moment="before"))))
    assert turn.said == OSLO != turn.shown
    assert (turn.faulted, record.effects, turn.injections[0].runs) == (True, (), 0)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("fault", [LogicViolation(), Scramble(), Stale(), Poisoned()])
def test_a_corruption_of_a_failure_comes_to_nothing(fault: Any, moment: str) -> None:
    turn, record = one_call(staged(plan(rule(fault, moment=moment))), NOWHERE)
    assert turn.said == turn.shown
    assert [(injection.delivered, injection.said == injection.shown) for injection in turn.injections] == [
        (False, True)
    ]
    assert not record.exposed


def test_a_corruption_that_nothing_can_be_done_with_comes_to_nothing() -> None:
    """The tool declares no invariant that could be broken; run dry first, it then runs once as usual."""
    bare = dataclasses.replace(SPEC, invariants=())
    turn, record = one_call(staged(plan(rule(LogicViolation(), moment="before")), specs=(bare,)))
    assert turn.shown == OSLO
    assert (record.exposed, len(record.effects), turn.injections[0].runs) == (False, 1, 1)


def test_a_lost_answer_leaves_the_effect() -> None:
    turn, record = one_call(staged(plan(rule(LostAck()))))
    assert turn.said == OSLO
    assert isinstance(turn.shown, Failure)
    assert [effect.call for effect in record.effects] == [turn.call.id]
    assert (turn.faulted, turn.injections[0].runs) == (True, 1)


def test_an_answer_lost_while_the_caller_gives_up_is_delivered() -> None:
    turn, record = one_call(staged(plan(rule(LostAck())), timeout=5))
    assert getattr(turn.shown, "type", "") == "Timeout"
    assert (turn.said, turn.faulted, len(record.effects)) == (OSLO, True, 1)


def test_a_duplicate_has_two_effects() -> None:
    turn, record = one_call(staged(plan(rule(Duplicate()))))
    assert turn.said == turn.shown == OSLO
    assert [effect.call for effect in record.effects] == [turn.call.id] * 2
    assert (turn.faulted, turn.injections[0].runs) == (True, 2)


def test_a_duplicate_that_the_tool_refuses_makes_no_difference() -> None:
    """A tool that takes no second booking has done what it was asked, once."""
    episode = staged(plan(rule(Duplicate())))
    taken: list[str] = []

    def once(call: Call) -> Outcome:
        if taken:
            return Failure("Already booked.", type="Conflict", status=409)
        taken.append(call.id)
        return OSLO

    assert episode.session.call("book_trip", TRIP, once) == OSLO
    turn = episode.record().turns[0]
    assert [(injection.delivered, injection.runs) for injection in turn.injections] == [(False, 2)]


def test_a_silent_noop_has_no_effect() -> None:
    turn, record = one_call(staged(plan(rule(SilentNoop()))))
    assert turn.shown == OSLO
    assert (turn.faulted, record.effects, turn.injections[0].runs) == (True, (), 0)


def test_a_silent_noop_of_a_call_that_fails_makes_no_difference() -> None:
    turn, record = one_call(staged(plan(rule(SilentNoop()))), NOWHERE)
    assert isinstance(turn.shown, Failure)
    assert not record.exposed


@pytest.mark.parametrize("fault", [SilentNoop(), Duplicate()])
def test_a_tool_without_effects_has_none_to_lose_or_repeat(fault: SilentNoop | Duplicate) -> None:
    episode = staged(plan(rule(fault)), specs=[ToolSpec("search", effects=False)])
    episode.session.call("search", {}, lambda call: Value([1, 2]))
    record = episode.record()
    assert [injection.delivered for injection in record.turns[0].injections] == [False]


def test_a_delay_is_delivered_by_its_wait() -> None:
    turn, record = one_call(staged(plan(rule(Delay(seconds=7.0)))))
    assert turn.said == turn.shown == OSLO
    assert (turn.faulted, turn.injections[0].waited, len(record.effects)) == (True, 7.0, 1)


def test_a_delay_of_no_time_is_none() -> None:
    assert not one_call(staged(plan(rule(Delay(seconds=0.0)))))[1].exposed


def test_an_outer_fault_without_effect_is_not_put_down_to_an_inner_one() -> None:
    """Under a silent no-op every call below is dry; a rewriting that fails inside has done nothing."""
    episode = staged(plan(rule(SilentNoop()), rule(Stale())))
    turn, _ = one_call(episode)
    assert {injection.kind: injection.delivered for injection in turn.injections} == {
        "stale": False,
        "silent_noop": True,
    }


def test_an_inner_error_is_not_put_down_to_an_outer_rewriting() -> None:
    turn, _ = one_call(staged(plan(rule(Poisoned()), rule(Error(status=500)))))
    assert {injection.kind: injection.delivered for injection in turn.injections} == {"error": True, "poisoned": False}


def test_an_episode_that_no_fault_reached_is_not_exposed() -> None:
    episode = staged(plan(rule(Error(status=503), tool="other"), rule(Poisoned(), when=First(1))))
    turn, record = one_call(episode, NOWHERE)
    assert [injection.delivered for injection in turn.injections] == [False]
    assert not record.exposed


class Ledger:
    """A tool with effects of its own that cannot be run without them, as the tools of others are."""

    def __init__(self) -> None:
        self.paid: list[Any] = []

    def pay(self, call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        self.paid.append(call.arguments["to"])
        return Value({"paid": call.arguments["to"]})


PAY = ToolSpec("pay", effects=True, examples=({"to": "Ann"}, {"to": "Bob"}))


@pytest.mark.parametrize("specs", [(), (PAY,)], ids=["unknown", "known"])
@pytest.mark.parametrize("fault", [SilentNoop(), LogicViolation(), WrongEntity(), IrrelevantResponse()])
def test_a_tool_that_cannot_run_dry_runs_once_and_for_the_agent_alone(fault: Any, specs: tuple[ToolSpec, ...]) -> None:
    ledger = Ledger()
    episode = staged(plan(rule(fault, moment="before")), specs=specs)
    assert episode.session.call("pay", {"to": "Cy"}, ledger.pay) == Value({"paid": "Cy"})
    record = episode.record()
    assert ledger.paid == ["Cy"]
    assert [(injection.delivered, injection.runs) for injection in record.turns[0].injections] == [(False, 1)]
    assert record.turns[0].said == record.turns[0].shown


def test_a_tool_that_cannot_run_dry_still_shows_a_corruption() -> None:
    """The effect could not be kept away, and the record says so."""
    ledger = Ledger()
    episode = staged(plan(rule(Poisoned()), rule(SilentNoop())), specs=())
    shown = episode.session.call("pay", {"to": "Cy"}, ledger.pay)
    assert isinstance(shown, Value)
    turn = episode.record().turns[0]
    assert ledger.paid == ["Cy"]
    assert {injection.kind: (injection.delivered, injection.runs) for injection in turn.injections} == {
        "silent_noop": (False, 1),
        "poisoned": (True, 1),
    }


def test_a_tool_known_to_have_no_effects_is_its_own_dry_run() -> None:
    ledger = Ledger()
    episode = staged(plan(rule(WrongEntity())), specs=[dataclasses.replace(PAY, effects=False)])
    shown = episode.session.call("pay", {"to": "Cy"}, ledger.pay)
    assert isinstance(shown, Value)
    assert shown.value["paid"] in {"Ann", "Bob"}
    assert episode.record().exposed


def test_faults_work_without_a_watcher() -> None:
    """At most one place, and a cascade, hang on delivery alike where nobody records it."""
    first = rule(Poisoned(), tool="a", id="first", at_most=1)
    session = Session(plan(first, rule(Error(status=500), tool="b", after="first")))

    def tool(call: Call) -> Outcome:
        return Failure("no") if call.arguments else Value("text")

    assert session.call("a", {"fail": True}, tool) == Failure("no")
    assert session.call("b", {}, tool) == Value("text")
    assert session.call("a", {}, tool) != Value("text")
    assert session.call("a", {}, tool) == Value("text")
    assert isinstance(session.call("b", {}, tool), Failure)
