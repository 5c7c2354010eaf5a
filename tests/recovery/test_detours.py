"""Alternatives that take values from the session's earlier calls, and that stand in for several calls of the agent."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import RealClock, Session
from sealegs.recovery.budget import Budget
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import (
    Alternative,
    AlternativeStep,
    Breaker,
    CallArgument,
    EarlierAnswer,
    EarlierArgument,
    FirstKnown,
    Fixed,
    MendArguments,
    ReferenceTicket,
    Retry,
    StepField,
    Switch,
    Then,
)
from sealegs.recovery.recovery_plan import RecoveryPlan
from tests.recovery.stage import ACTS, BUSY, GONE, Stage

OFFER = Value({"rate_key": "K-1", "net": 80})
BOOKED = Value({"confirmation": "B-7"})
ROOMS = Value({"hotel_id": "H-3"})
ROOM_BOOKED = Value({"number": "R-9"})
WAY = Alternative(
    "search",
    (AlternativeStep("directory", {"city": CallArgument("city")}),),
    {"rate_key": ReferenceTicket()},
    (
        Then(
            "book_offer",
            {"rate_key": EarlierAnswer("search", "rate_key")},
            (
                AlternativeStep(
                    "book_room",
                    {
                        "hotel": StepField(0, "hotel_id"),
                        "day": EarlierArgument("search", "day"),
                        "guest": CallArgument("guest"),
                    },
                ),
            ),
            {"confirmation": StepField(1, "number")},
        ),
    ),
)
READ = {name: ToolSpec(name, effects=False) for name in ("search", "directory", "weather")}
ACT = {name: ToolSpec(name, effects=True) for name in ("book_offer", "book_room")}
SPECS = (*READ.values(), *ACT.values())


def stage(scripts: Mapping[str, list[Outcome]], *ways: Alternative, budget: Budget | None = None) -> Stage:
    known: dict[str, list[Outcome]] = {
        "search": [GONE],
        "directory": [ROOMS],
        "book_offer": [BOOKED],
        "book_room": [ROOM_BOOKED],
    }
    known.update(scripts)
    return Stage(RecoveryLayer(active_policy(ways or (WAY,)), budget=budget), known, SPECS)


def searched(scene: Stage) -> Any:
    shown = scene.call("search", city="Rome", day="1 May")
    assert isinstance(shown, Value)
    return shown.value


def test_a_way_of_several_calls_takes_the_place_of_several() -> None:
    scene = stage({})
    offer = searched(scene)
    assert "book_offer" in offer["recovery_note"]
    assert scene.call("book_offer", rate_key=offer["rate_key"], guest="Ann") == Value({"confirmation": "R-9"})
    assert scene.made[1:] == [
        ("directory", {"city": "Rome"}),
        ("book_room", {"hotel": "H-3", "day": "1 May", "guest": "Ann"}),
    ]


def test_nothing_is_done_before_the_agent_asks_for_it() -> None:
    scene = stage({})
    searched(scene)
    assert [tool for tool, _ in scene.made] == ["search", "directory"]


def test_a_call_that_carries_no_ticket_goes_to_its_tool() -> None:
    scene = stage({})
    searched(scene)
    assert scene.call("book_offer", rate_key="K-1", guest="Ann") == BOOKED


def test_an_equal_call_is_answered_as_before_and_does_nothing_twice() -> None:
    scene = stage({})
    key = searched(scene)["rate_key"]
    first = scene.call("book_offer", rate_key=key, guest="Ann")
    assert scene.call("book_offer", rate_key=key, guest="Ann") == first
    assert [tool for tool, _ in scene.made].count("book_room") == 1
    scene.call("book_offer", rate_key=key, guest="Bob")
    assert [tool for tool, _ in scene.made].count("book_room") == 2


def test_a_step_that_may_have_done_its_work_is_not_repeated() -> None:
    scene = stage({"book_room": [BUSY, ROOM_BOOKED]})
    key = searched(scene)["rate_key"]
    for _ in range(3):
        shown = scene.call("book_offer", rate_key=key, guest="Ann")
        assert isinstance(shown, Failure)
        assert "book_room" in shown.message
        assert "may have been done" in shown.message
    assert [tool for tool, _ in scene.made].count("book_room") == 1
    assert "book_offer" not in [tool for tool, _ in scene.made]


def test_a_step_that_certainly_did_nothing_is_tried_again_when_the_agent_asks_again() -> None:
    refused = replace(BUSY, unsent=True)
    scene = stage({"book_room": [refused, ROOM_BOOKED]})
    key = searched(scene)["rate_key"]
    assert isinstance(scene.call("book_offer", rate_key=key, guest="Ann"), Failure)
    assert scene.call("book_offer", rate_key=key, guest="Ann") == Value({"confirmation": "R-9"})
    assert [tool for tool, _ in scene.made].count("directory") == 1


def test_even_an_eager_retry_does_not_ask_the_tool_that_is_stood_in_for() -> None:
    policy = Retry(tries={"permanent": 2, "unknown": 2, "transient": 2}) | Switch([WAY])
    scene = Stage(RecoveryLayer(policy), {"search": [GONE], "directory": [ROOMS], "book_room": [BUSY]}, SPECS)
    scene.call("search", city="Rome", day="1 May")
    shown = scene.call("book_offer", rate_key="by-recovery-call-1", guest="Ann")
    assert isinstance(shown, Failure)
    assert [tool for tool, _ in scene.made if tool == "book_offer"] == []


def test_a_way_that_the_budget_does_not_last_for_ends_in_a_failure() -> None:
    scene = stage({}, budget=Budget(calls=1))
    shown = scene.call("book_offer", rate_key=searched(scene)["rate_key"], guest="Ann")
    assert isinstance(shown, Failure)
    assert "no calls left" in shown.message
    assert [tool for tool, _ in scene.made] == ["search", "directory"]


def test_of_equal_calls_side_by_side_one_is_made() -> None:
    inside, go_on = threading.Event(), threading.Event()
    made: list[str] = []

    def run(call: Call) -> Outcome:
        made.append(call.tool)
        if call.tool == "book_room":
            inside.set()
            go_on.wait(5)
            return ROOM_BOOKED
        return ROOMS if call.tool == "directory" else GONE

    session = Session(layers=[RecoveryLayer(Switch([WAY]))], specs=SPECS, others=None, clock=RealClock())
    shown = session.call("search", {"city": "Rome", "day": "1 May"}, run)
    assert isinstance(shown, Value)
    again = {"rate_key": shown.value["rate_key"], "guest": "Ann"}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(session.call, "book_offer", again, run)
        inside.wait(5)
        second = session.call("book_offer", again, run)
        go_on.set()
        assert first.result() == Value({"confirmation": "R-9"})
    assert isinstance(second, Failure)
    assert made.count("book_room") == 1


def test_calls_are_known_by_their_answers_and_by_their_arguments() -> None:
    then = Then(
        "book_offer",
        {
            "rate_key": EarlierAnswer("search", "rate_key"),
            "city": EarlierArgument("search", "city"),
            "kind": Fixed("room"),
        },
        (AlternativeStep("book_room", {"guest": CallArgument("guest")}),),
        {"confirmation": StepField(1, "number")},
    )
    scene = stage({}, replace(WAY, then=(then,)))
    key = searched(scene)["rate_key"]
    assert scene.call("book_offer", rate_key=key, city="Oslo", kind="room", guest="Ann") == BOOKED
    assert scene.call("book_offer", rate_key=key, city="Rome", kind="suite", guest="Ann") == BOOKED
    shown = scene.call("book_offer", rate_key=key, city="Rome", kind="room", guest="Ann")
    assert shown == Value({"confirmation": "R-9"})


def test_a_refused_call_is_no_failure_of_its_tool() -> None:
    policy = active_policy([WAY])
    scene = Stage(RecoveryLayer(policy), {"search": [GONE], "directory": [ROOMS], "book_room": [BUSY]}, SPECS)
    scene.call("search", city="Rome", day="1 May")
    for n in range(8):
        scene.call("book_offer", rate_key="by-recovery-call-1", guest=str(n))
    assert "opened" not in [e.action for e in scene.recorder.events if e.type == "acted" and e.policy == "breaker"]


def test_an_open_circuit_does_not_make_earlier_calls_undone() -> None:
    way = Alternative("pay", (AlternativeStep("wire", {}),), {"id": StepField(0, "id")})
    scripts: dict[str, list[Outcome]] = {"pay": [BUSY], "wire": [Value({"id": 1})]}
    scene = Stage(RecoveryLayer(Breaker(failures=1, seconds=99) | Switch([way])), scripts, (ACTS,))
    assert scene.call("pay", amount=1) == BUSY
    shown = scene.call("pay", amount=1)
    assert isinstance(shown, Failure)
    assert shown.type == "CircuitOpen"
    assert scene.call("pay", amount=2) == Value({"id": 1})  # another wish, of which nothing was done
    assert [tool for tool, _ in scene.made] == ["pay", "wire"]


@pytest.mark.parametrize("refused", [Failure("bad receipt address", "ValueError"), Failure("no", "BadRequest", 400)])
def test_a_doubt_stays_whatever_the_failure_said(refused: Failure) -> None:
    """An action can succeed and then complain of its arguments; a later proof is one of a later call."""
    way = Alternative("pay", (AlternativeStep("wire", {}),), {"id": StepField(0, "id")})
    scripts: dict[str, list[Outcome]] = {"pay": [refused, BUSY], "wire": [Value({"id": 1})]}
    scene = Stage(RecoveryLayer(Breaker(failures=1, seconds=99) | Switch([way])), scripts, (ACTS,))
    scene.call("pay", amount=1)
    scene.call("pay", amount=2)  # opens the circuit
    shown = scene.call("pay", amount=1)
    assert isinstance(shown, Failure)
    assert shown.type == "CircuitOpen"
    assert scene.call("pay", amount=3) == Value({"id": 1})
    assert [tool for tool, _ in scene.made] == ["pay", "pay", "wire"]


def test_a_doubt_is_of_what_was_called_with_mended_arguments() -> None:
    way = Alternative("pay", (AlternativeStep("wire", {}),), {"id": StepField(0, "id")})
    refused = Failure("unexpected argument 'amuont'", "ValidationError", 422, unsent=True)
    scripts: dict[str, list[Outcome]] = {"pay": [refused, BUSY], "wire": [Value({"id": 1})]}
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    spec = replace(ACTS, parameters={**schema, "additionalProperties": False})
    layer = RecoveryLayer(Breaker(failures=1, seconds=99) | MendArguments() | Switch([way]))
    scene = Stage(layer, scripts, (spec,))
    scene.call("pay", amuont=1)
    assert scene.made == [("pay", {"amuont": 1}), ("pay", {"amount": 1})]
    scene.call("pay", amount=2)  # opens the circuit
    shown = scene.call("pay", amount=1)  # as the agent may call it next
    assert isinstance(shown, Failure)
    assert shown.type == "CircuitOpen"
    assert [tool for tool, _ in scene.made] == ["pay"] * 3


FORECAST = Value({"place": {"id": 4}, "sky": "clear"})


@pytest.mark.parametrize(
    ("source", "before", "arguments"),
    [
        (EarlierAnswer("weather", "place.id"), True, {"item": 4}),
        (EarlierArgument("weather", "city"), True, {"item": "Rome"}),
        (EarlierArgument("weather", "left_out"), True, {}),
        (FirstKnown((EarlierAnswer("search", "rate_key"), EarlierAnswer("weather", "place.id"))), True, {"item": 4}),
        (FirstKnown((EarlierAnswer("search", "rate_key"), EarlierAnswer("weather", "place.gone"))), True, None),
        (EarlierAnswer("weather", "place.id"), False, None),
        (EarlierArgument("weather", "city"), False, None),
    ],
)
def test_values_come_from_the_session_s_earlier_calls(source: Any, before: bool, arguments: Any) -> None:
    way = Alternative(
        "search", (AlternativeStep("directory", {"item": source}),), {"rate_key": StepField(0, "hotel_id")}
    )
    scene = stage({"weather": [FORECAST]}, way)
    if before:
        scene.call("weather", city="Rome")
    shown = scene.call("search", city="Rome")
    assert (shown == Value({"rate_key": "H-3"})) == (arguments is not None)
    assert scene.made[2 if before else 1 :] == ([] if arguments is None else [("directory", arguments)])


def test_the_latest_right_answer_counts_and_no_wrong_one() -> None:
    way = Alternative(
        "search",
        (AlternativeStep("directory", {"item": EarlierAnswer("weather", "id")}),),
        {"rate_key": StepField(0, "hotel_id")},
    )
    answers: list[Outcome] = [Value({"id": 1}), Value({"id": 2}), GONE]
    scene = stage({"weather": answers}, way)
    for _ in answers:
        scene.call("weather")
    scene.call("search")
    assert scene.made[-1] == ("directory", {"item": 2})


def test_what_the_agent_does_with_an_answer_does_not_change_what_is_remembered() -> None:
    way = Alternative(
        "search",
        (AlternativeStep("directory", {"item": EarlierAnswer("weather", "id")}),),
        {"rate_key": StepField(0, "hotel_id")},
    )
    scene = stage({"weather": [Value({"id": [1]})]}, way)
    shown = scene.call("weather")
    assert isinstance(shown, Value)
    shown.value["id"].append(2)
    scene.call("search")
    assert scene.made[-1] == ("directory", {"item": [1]})


PLAN: dict[str, Any] = {
    "alternatives": [
        {
            "tool": "search",
            "steps": [{"tool": "directory", "arguments": {"city": {"either": [{"given": "city"}, {"fixed": "Rome"}]}}}],
            "answer": {"rate_key": "ticket"},
            "then": [
                {
                    "tool": "book_offer",
                    "knows": {"rate_key": {"seen": {"tool": "search", "path": "rate_key"}}},
                    "steps": [
                        {
                            "tool": "book_room",
                            "arguments": {
                                "hotel": {"step": 0, "path": "hotel_id"},
                                "day": {"asked": {"tool": "search", "argument": "day"}},
                                "guest": {"given": "guest"},
                            },
                        }
                    ],
                    "answer": {"confirmation": {"step": 1, "path": "number"}},
                }
            ],
        }
    ]
}


def test_a_plan_in_a_file_says_the_same() -> None:
    (way,) = RecoveryPlan.model_validate(PLAN).alternatives
    either = FirstKnown((CallArgument("city"), Fixed("Rome")))
    assert way.alternative() == replace(WAY, steps=(AlternativeStep("directory", {"city": either}),))


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("knows",), {"rate_key": {"seen": {"tool": "search", "path": "net"}}}, "no answer before it shows"),
        (("knows",), {"rate_key": {"given": "x"}}, "should be"),
        (("knows",), {"city": {"asked": {"tool": "search", "argument": "city"}}}, "known by nothing"),
        (("knows",), {"k": {"asked": {"tool": "later", "argument": "x"}}}, "not called before"),
        (("answer",), {"confirmation": {"step": 2, "path": "number"}}, "there are 2, from 0"),
        (("steps", 0, "arguments", "hotel"), {"step": 1, "path": "x"}, "no earlier one"),
        (("steps", 0, "arguments", "hotel"), {"seen": None}, "should be"),
    ],
)
def test_what_cannot_be_meant_is_refused(where: tuple[str | int, ...], value: Any, message: str) -> None:
    data = copy.deepcopy(PLAN)
    *outer, last = where
    place: Any = data["alternatives"][0]["then"][0]
    for key in outer:
        place = place[key]
    place[last] = value
    with pytest.raises((ValueError, UserError), match=message):
        RecoveryPlan.model_validate(data)
