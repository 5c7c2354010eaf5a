"""The faults of a campaign as plans, schedules, and the messages for wrong ones."""

from __future__ import annotations

from typing import Any

import pytest

from sealegs.faults import Failure, Outcome, Value
from sealegs.faults.plan_files import plan_from
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.inject.clock import EndlessWait
from sealegs.suites.micro.campaign_faults import (
    FAULTS,
    BurstPattern,
    Permanent,
    ProbabilityPattern,
    Schedule,
    Transient,
    experiment_plan,
    schedule_from,
)

EVERY: list[Schedule] = [
    Permanent(),
    Transient(2),
    BurstPattern(2, 2),
    BurstPattern(1, 1, 3, 2),
    ProbabilityPattern(0.4),
]


def shown(fault: str, schedule: Schedule, calls: int = 10, **parameters: Any) -> list[Outcome]:
    session = Session(experiment_plan(fault, parameters, schedule, 5), clock=VirtualClock())
    return [session.call("Sum", {"n": n}, lambda _: Value(165)) for n in range(calls)]


def faulted(schedule: Schedule, calls: int = 10) -> list[int]:
    outcomes = shown("unreachable", schedule, calls)
    return [n for n, outcome in enumerate(outcomes, start=1) if isinstance(outcome, Failure)]


def test_every_form_of_the_schedule_strikes_the_calls_that_it_names() -> None:
    assert faulted(Permanent()) == list(range(1, 11))
    assert faulted(Transient(2)) == [1, 2]
    assert faulted(BurstPattern(2, 3)) == [2, 3, 4]
    assert faulted(BurstPattern(2, 2, 3, 1)) == [2, 3, 5, 6, 8, 9]
    assert faulted(ProbabilityPattern(0.0)) == []
    assert faulted(ProbabilityPattern(1.0)) == list(range(1, 11))
    share = len(faulted(ProbabilityPattern(0.3), 4000)) / 4000
    assert abs(share - 0.3) < 4 * (0.3 * 0.7 / 4000) ** 0.5


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("schedule", EVERY, ids=repr)
def test_a_plan_is_data_and_names_its_seed(fault: str, schedule: Schedule) -> None:
    plan = experiment_plan(fault, {}, schedule, 5, "SearchTool")
    assert plan_from(plan.as_data()) == plan
    assert plan.digest() == experiment_plan(fault, {}, schedule, 5, "SearchTool").digest()
    assert plan.digest() != experiment_plan(fault, {}, schedule, 6, "SearchTool").digest()
    assert bool(plan.rules) is (fault != "none")


def test_what_each_fault_shows() -> None:
    (refused,) = shown("unreachable", Permanent(), 1)
    assert isinstance(refused, Failure)
    assert refused.type == "ConnectionRefusedError"
    (reset,) = shown("unreachable", Permanent(), 1, mode="reset")
    assert isinstance(reset, Failure)
    assert reset.type == "ConnectionResetError"
    for number in shown("incorrect", Transient(10)):
        assert isinstance(number, Value)
        assert len(str(number.value)) == 3
        assert not set(enumerate(str(number.value))) & set(enumerate("165"))
    for number in shown("delta", Transient(10), offset=0.2):
        assert isinstance(number, Value)
        assert 0 < abs(number.value - 165) <= 33


def test_a_permanent_wrong_answer_stays_the_same() -> None:
    assert len({str(outcome) for outcome in shown("delta", Permanent())}) == 1
    assert len({str(outcome) for outcome in shown("delta", Transient(10))}) > 1


def test_slow_takes_its_time_and_a_hang_all_of_it() -> None:
    clock = VirtualClock()
    session = Session(experiment_plan("slow", {"seconds": 7}, Permanent(), 1), clock=clock)
    assert session.call("Sum", {}, lambda _: Value(1)) == Value(1)
    assert clock.now() == 7
    with pytest.raises(EndlessWait):
        shown("hang", Permanent(), 1)


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("permanent", Permanent()),
        ("transient:1", Transient(1)),
        ("burst:2:3", BurstPattern(2, 3)),
        ("burst:2:3:4", BurstPattern(2, 3, 4)),
        ("burst:2:3:4:5", BurstPattern(2, 3, 4, 5)),
        ("probability:0.25", ProbabilityPattern(0.25)),
    ],
)
def test_a_schedule_in_text(text: str, schedule: Schedule) -> None:
    assert schedule_from(text) == schedule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sometimes",
        "transient",
        "transient:",
        "transient:0",
        "transient:x",
        "burst:1",
        "burst:1:2:3:4:5",
        "probability:2",
        "permanent:1",
        "probability:nan",
        "transient:1.5",
        "burst:0:1",
    ],
)
def test_no_schedule(text: str) -> None:
    with pytest.raises(UserError, match=r"; (?:write|give|did) "):
        schedule_from(text)


def test_all_mistakes_are_reported_together() -> None:
    with pytest.raises(UserError) as caught:
        experiment_plan("slow", {"second": 3, "seconds": -1}, BurstPattern(0, 1), 1)
    assert str(caught.value).splitlines() == [
        "slow has no parameter 'second'; did you mean seconds?",
        "seconds = -1 of slow is out of range; give a number above 0 and at most 86400 (default 5.0)",
        "start = 0 is out of range; give a whole number from 1 to 1000",
    ]
    with pytest.raises(UserError, match="there is no fault 'slwo'; did you mean slow"):
        experiment_plan("slwo", {}, Permanent(), 1)
    with pytest.raises(UserError, match="hang has no parameter 'seconds'; it takes none"):
        experiment_plan("hang", {"seconds": 2}, Permanent(), 1)
    for value in (True, "x", float("nan"), 1.5):
        with pytest.raises(UserError, match="offset"):
            experiment_plan("delta", {"offset": value}, Permanent(), 1)
