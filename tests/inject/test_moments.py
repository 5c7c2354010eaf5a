"""At which moment of its work a fault strikes a tool: what the plan says, the ledger proves, and the record tells."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from typing import Any

import pytest

from sealegs.faults import Call, Failure, Outcome, PlanError, ToolSpec, Value, plan_from
from sealegs.faults.call import PartialExecution
from sealegs.faults.fault import Fault
from sealegs.faults.kinds import Connection, Delay, Error, Hang, LogicViolation, Poisoned, Timeout
from sealegs.inject import NO_DRY_RUN, EndlessWait, MisfireWarning, Session, VirtualClock
from sealegs.traces import Recorder, build_record
from tests.faults.trip import SPEC
from tests.inject.staging import TRIP, every_kind, plan, rule, staged

MANY = 400
TWO_MOMENTS = [fault for fault in every_kind() if {"before", "after"} <= set(fault.moments)]
AT_A_MOMENT = [(fault, moment) for fault in every_kind() for moment in fault.moments if moment != "during"]


class Deeds:
    """A tool with three effects, which can leave off after some of them."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def __call__(self, call: Call) -> Outcome:
        deeds = ["reserve", "pay", "mail"]
        if call.dry:
            return Value({"id": "R-1"})
        kept = deeds[: call.cut]
        self.done += kept
        return PartialExecution({"id": "R-1"}) if len(kept) < len(deeds) else Value({"id": "R-1"})


def outcome_of(session: Session, tool: Any, name: str = "book_trip") -> Outcome | None:
    try:
        return session.call(name, TRIP, tool)
    except EndlessWait:
        return None


@pytest.mark.parametrize(("fault", "moment"), AT_A_MOMENT, ids=lambda part: getattr(part, "kind", part))
def test_the_ledger_proves_the_moment(fault: Fault, moment: str) -> None:
    episode = staged(plan(rule(fault, moment=moment)), timeout=100)
    episode.call()
    found = episode.record()
    (injection,) = found.turns[0].injections
    if injection.delivered and injection.kind != "delay":
        assert injection.moment == moment
        assert bool(found.effects) == (moment == "after")
    else:  # what came to nothing leaves the tool to do its work
        assert (injection.moment, len(found.effects)) == ("after", 1)


@pytest.mark.parametrize("outer", TWO_MOMENTS, ids=lambda fault: fault.kind)
def test_the_ledger_proves_the_latest_moment_of_two_faults_on_one_call(outer: Fault) -> None:
    for inner, first, second in itertools.product(TWO_MOMENTS, ("before", "after"), ("before", "after")):
        episode = staged(
            plan(rule(outer, id="outer", moment=first), rule(inner, id="inner", moment=second)), timeout=100
        )
        episode.call()
        found = episode.record()
        delivered = {injection.moment for turn in found.turns for injection in turn.injections if injection.delivered}
        if delivered:
            assert len(found.effects) == ("after" in delivered), (inner, first, second)


@pytest.mark.parametrize("fault", [Error(status=503), Connection(), Timeout(), Poisoned(), LogicViolation()])
def test_an_open_moment_is_drawn_by_key(fault: Fault) -> None:
    def moments(seed: int) -> list[str]:
        episode = staged(plan(rule(fault, moment=None), seed=seed))
        for _ in range(MANY):
            episode.call()
        found = episode.record()
        assert len(found.effects) == sum(turn.injections[0].moment == "after" for turn in found.turns)
        return [turn.injections[0].moment for turn in found.turns]

    drawn = moments(3)
    assert drawn == moments(3)
    assert drawn != moments(4)
    counted = Counter(drawn)
    assert set(counted) == {"before", "after"}
    assert 0.4 * MANY < counted["after"] < 0.6 * MANY  # five standard deviations are 50


def test_a_permanent_fault_draws_its_moment_once() -> None:
    for seed in range(20):
        episode = staged(plan(rule(Error(status=503), moment=None, persistence="permanent"), seed=seed))
        for _ in range(5):
            episode.call()
        assert len({turn.injections[0].moment for turn in episode.record().turns}) == 1


@pytest.mark.parametrize("key", ["arguments", "order"])
def test_a_permanent_fault_draws_once_which_part_is_done(key: str) -> None:
    found = set()
    for seed in range(20):
        one = rule(Error(status=503), moment="during", persistence="permanent", key=key)
        deeds = Deeds()
        session = Session(plan(one, seed=seed), specs=[ToolSpec("book_trip", effects=True, parts=3)])
        done = []
        for _ in range(6):
            before = len(deeds.done)
            outcome_of(session, deeds)
            done.append(len(deeds.done) - before)
        assert len(set(done)) == 1, done
        found.add(done[0])
    assert found == {1, 2}


@pytest.mark.parametrize("fault", [Error(status=503), Poisoned(place="added"), Timeout()])
def test_during_leaves_a_part_out(fault: Fault) -> None:
    counts = set()
    for seed in range(20):
        deeds, clock = Deeds(), VirtualClock()
        recorder = Recorder(clock)
        recorder.start("e", {})
        spec = ToolSpec("book_trip", effects=True, parts=3)
        session = Session(plan(rule(fault, moment="during"), seed=seed), specs=[spec], clock=clock, watcher=recorder)
        outcome_of(session, deeds)
        recorder.finish("answered")
        (injection,) = build_record(recorder.events).turns[0].injections
        assert (injection.delivered, injection.moment) == (True, "during")
        counts.add(len(deeds.done))
    assert counts == {1, 2}


def test_a_tool_of_one_effect_is_never_struck_during_it() -> None:
    deeds = Deeds()
    session = Session(plan(rule(Error(status=503), moment="during")), specs=[ToolSpec("book_trip", effects=True)])
    with pytest.warns(MisfireWarning, match="strikes during the work, and the tool's work has no parts"):
        assert outcome_of(session, deeds) == Value({"id": "R-1"})
    assert len(deeds.done) == 3


def test_a_part_is_not_left_out_where_nothing_came_of_the_fault() -> None:
    """The answer holds no list and no text that could carry the instruction, so the tool does its whole work."""
    deeds = Deeds()
    spec = ToolSpec("book_trip", effects=True, parts=3)
    session = Session(plan(rule(LogicViolation(), moment="before")), specs=[spec])
    with pytest.warns(MisfireWarning):
        assert outcome_of(session, deeds) == Value({"id": "R-1"})
    assert len(deeds.done) == 3


def test_a_tool_without_effects_has_no_moment() -> None:
    for moment in (None, "after"):
        spec = dataclasses.replace(SPEC, effects=False)
        episode = staged(plan(rule(Error(status=503), moment=moment)), specs=(spec,))
        for _ in range(20):
            episode.call()
        found = episode.record()
        assert {injection.moment for turn in found.turns for injection in turn.injections} == {""}
        assert {turn.said for turn in found.turns} == {None}


def test_a_refusal_is_hidden_as_an_answer_is_and_nothing_was_done() -> None:
    episode = staged(plan(rule(Error(status=503), moment="after")))
    shown = episode.session.call("book_trip", {"city": "Atlantis"}, episode.tool)
    assert isinstance(shown, Failure)
    assert shown.status == 503
    (injection,) = episode.record().turns[0].injections
    assert (injection.delivered, injection.moment) == (True, "before")


def test_what_cannot_run_dry_is_recorded_as_done() -> None:
    paid: list[str] = []

    def pay(call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        paid.append(call.id)
        return Value({"note": "paid"})

    episode = staged(plan(rule(Poisoned(), moment="before")), specs=())
    episode.session.call("pay", {}, pay)
    (injection,) = episode.record().turns[0].injections
    assert (len(paid), injection.delivered, injection.moment) == (1, True, "after")


@pytest.mark.parametrize("seconds", [1.0, 50.0])
def test_a_delay_after_the_work_leaves_it_done_though_the_caller_gave_up(seconds: float) -> None:
    for moment in ("before", "after"):
        episode = staged(plan(rule(Delay(seconds=seconds), moment=moment)), timeout=10)
        episode.call()
        assert len(episode.record().effects) == (moment == "after" or seconds < 10)


def test_a_hang_after_the_work_leaves_it_done() -> None:
    episode = staged(plan(rule(Hang(), moment="after")), timeout=10)
    episode.call()
    assert len(episode.record().effects) == 1


async def test_a_task_sees_the_same() -> None:
    rules = (rule(Error(status=500), moment=None),)
    episode, twin = staged(plan(*rules, seed=5)), staged(plan(*rules, seed=5))
    for _ in range(40):
        episode.call()
        await twin.call_async()
    sync, tasks = episode.record(), twin.record()
    assert [turn.injections[0].moment for turn in sync.turns] == [turn.injections[0].moment for turn in tasks.turns]
    assert len(sync.effects) == len(tasks.effects)


def test_a_moment_that_the_kind_lacks_is_refused() -> None:
    data = {"name": "x", "rules": [{"match": {"tool": "*"}, "fault": {"kind": "lost_ack"}, "moment": "before"}]}
    with pytest.raises(PlanError, match="Give after, or leave it out"):
        plan_from(data)


def test_an_unknown_moment_is_refused() -> None:
    data = {"name": "x", "rules": [{"match": {"tool": "*"}, "fault": {"kind": "error"}, "moment": "later"}]}
    with pytest.raises(PlanError, match="not one of the possible values"):
        plan_from(data)
