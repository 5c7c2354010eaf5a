"""Alternatives that acted and could not answer: what they did is never done again for an equal call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock, Session
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import (
    Alternative,
    AlternativeStep,
    CallArgument,
    EarlierAnswer,
    EarlierArgument,
    Policy,
    StepField,
    Switch,
    Then,
    Verify,
)
from sealegs.recovery.policies.completion_check import Check, Exists
from tests.recovery.stage import BUSY, FINE, GONE, Stage

CLOSED = replace(GONE, unsent=True)  # certainly nothing was done
DOWN = replace(BUSY, unsent=True)
RESERVED = Value({"hold": "h-1"})
CAPTURED = Value({"id": "c-1"})
WAY = Alternative(
    "pay",
    (
        AlternativeStep("reserve", {"amount": CallArgument("amount")}),
        AlternativeStep("capture", {"hold": StepField(0, "hold")}),
    ),
    {"id": StepField(1, "id")},
)
OTHER = Alternative("pay", (AlternativeStep("wire", {"amount": CallArgument("amount")}),), {"id": StepField(0, "id")})
ACTS = [ToolSpec(name, effects=True) for name in ("pay", "reserve", "capture", "wire", "release")]
SPECS = (*ACTS, ToolSpec("balance", effects=False), ToolSpec("choose", effects=False))


def stage(scripts: Mapping[str, list[Outcome]], *ways: Alternative, specs: tuple[ToolSpec, ...] = SPECS) -> Stage:
    known: dict[str, list[Outcome]] = {
        "pay": [CLOSED],
        "reserve": [RESERVED],
        "capture": [CAPTURED],
        "wire": [Value({"id": "w-1"})],
        "release": [Value({"released": True})],
        "balance": [Value({"left": 5})],
        "choose": [Value({"account": 1}), Value({"account": 2})],
    }
    known.update(scripts)
    return Stage(RecoveryLayer(Switch(ways or (WAY,))), known, specs)


def paid(scene: Stage, amount: int = 100) -> Any:
    shown = scene.call("pay", amount=amount)
    return shown.message if isinstance(shown, Failure) else shown.value["id"]


def made(scene: Stage, *tools: str) -> list[str]:
    return [tool for tool, _ in scene.made if tool in (tools or ("reserve", "capture", "wire"))]


def test_an_equal_call_goes_on_where_the_alternative_stopped() -> None:
    scene = stage({"capture": [DOWN, CAPTURED]})
    note = paid(scene)
    assert "reserve" in note
    assert "h-1" in note
    assert "capture" in note
    assert paid(scene) == "c-1"
    assert made(scene) == ["reserve", "capture", "capture"]


def test_once_it_is_answered_an_equal_call_is_another_wish() -> None:
    scene = stage({"capture": [DOWN, CAPTURED]})
    for _ in range(3):
        paid(scene)
    assert made(scene) == ["reserve", "capture", "capture", "reserve", "capture"]


@pytest.mark.parametrize("way", [WAY, OTHER])
def test_a_step_that_may_have_acted_is_not_made_again(way: Alternative) -> None:
    scene = stage({"capture": [BUSY, CAPTURED], "wire": [BUSY, Value({"id": "w-1"})]}, way, OTHER)
    for _ in range(3):
        assert "may have been done" in paid(scene)
    assert made(scene) == [step.tool for step in way.steps]
    assert paid(scene, amount=7) in ("c-1", "w-1")  # another wish


@pytest.mark.parametrize("way", [WAY, OTHER])
def test_an_answer_without_a_field_that_is_read_does_not_make_its_call_undone(way: Alternative) -> None:
    scene = stage({"capture": [Value({})], "wire": [Value({})]}, way)
    for _ in range(3):
        assert "no 'id' in its answer" in paid(scene)
    assert made(scene) == [step.tool for step in way.steps]


def test_a_step_that_is_harmless_to_repeat_is_made_again_with_the_same_arguments() -> None:
    specs = (*SPECS[:2], ToolSpec("capture", effects=True, idempotent=True), *SPECS[3:])
    scene = stage({"capture": [BUSY, CAPTURED]}, specs=specs)
    paid(scene)
    assert paid(scene) == "c-1"
    assert made(scene) == ["reserve", "capture", "capture"]


def test_a_step_that_takes_a_key_is_made_again_with_the_same_one() -> None:
    keyed = [replace(spec, key="key") if spec.name in ("reserve", "capture") else spec for spec in SPECS]
    scene = stage({"capture": [BUSY, CAPTURED]}, specs=tuple(keyed))
    for _ in range(3):
        paid(scene)
    assert made(scene) == ["reserve", "capture", "capture", "reserve", "capture"]
    keys = [arguments["key"] for tool, arguments in scene.made if tool in ("reserve", "capture")]
    assert keys[1] == keys[2]
    assert len(set(keys)) == 4


def test_a_later_try_that_did_nothing_settles_no_doubt_about_an_earlier_one() -> None:
    keyed = tuple(replace(spec, key="key") if spec.name == "wire" else spec for spec in SPECS)
    scene = stage({"wire": [BUSY, DOWN, Value({"id": "w-1"})]}, OTHER, specs=keyed)
    assert [paid(scene) for _ in range(3)][-1] == "w-1"
    assert len({arguments["key"] for tool, arguments in scene.made if tool == "wire"}) == 1
    idempotent = tuple(replace(spec, idempotent=True) if spec.name == "wire" else spec for spec in SPECS)
    scene = stage({"wire": [BUSY, DOWN, DOWN]}, OTHER, WAY, specs=idempotent)
    for _ in range(3):
        paid(scene)
    assert made(scene) == ["wire"] * 3, "another alternative would do a second time what wire may have done"


def test_the_note_promises_nothing_of_the_tool_itself() -> None:
    scene = stage({"pay": [CLOSED, Value({"id": "p-1"})], "wire": [BUSY]}, OTHER)
    assert "asks the tool itself again, and may do it a second time" in paid(scene)
    assert paid(scene) == "p-1"


def test_nothing_is_resumed_after_another_action() -> None:
    scene = stage({"capture": [DOWN, CAPTURED]})
    paid(scene)
    scene.call("release", hold="h-1")
    for _ in range(2):
        assert "release" in paid(scene)
    assert made(scene) == ["reserve", "capture"]


def test_nothing_is_resumed_after_the_tool_itself_answered() -> None:
    scene = stage({"pay": [CLOSED, Value({"id": "p-1"}), CLOSED], "capture": [DOWN, CAPTURED]})
    paid(scene)
    assert paid(scene) == "p-1"
    assert "reserve" in paid(scene)
    assert made(scene) == ["reserve", "capture"]


def test_reads_in_between_change_nothing() -> None:
    scene = stage({"capture": [DOWN, CAPTURED]})
    paid(scene)
    scene.call("balance")
    assert paid(scene) == "c-1"


def test_nothing_is_resumed_with_other_values_than_it_began_with() -> None:
    first, last = WAY.steps
    way = replace(WAY, steps=(replace(first, arguments={"account": EarlierAnswer("choose", "account")}), last))
    scene = stage({"capture": [DOWN, CAPTURED]}, way)
    scene.call("choose")
    paid(scene)
    scene.call("choose")
    assert "with other values" in paid(scene)
    assert made(scene) == ["reserve", "capture"]


def test_no_other_alternative_is_taken_after_one_that_acted() -> None:
    scene = stage({"capture": [DOWN]}, WAY, OTHER)
    for _ in range(3):
        paid(scene)
    assert made(scene, "reserve", "wire") == ["reserve"]


def test_after_one_that_did_nothing_an_equal_call_begins_anew() -> None:
    scene = stage({"reserve": [DOWN, RESERVED], "capture": [CAPTURED]})
    paid(scene)
    assert paid(scene) == "c-1"
    assert made(scene) == ["reserve", "reserve", "capture"]


def test_alternatives_of_reads_are_never_held_back() -> None:
    way = Alternative(
        "balance", (AlternativeStep("choose", {}), AlternativeStep("look", {})), {"left": StepField(1, "left")}
    )
    reads = (ToolSpec("look", effects=False), *SPECS)
    scene = stage({"balance": [GONE], "look": [BUSY, BUSY, Value({"left": 1})]}, way, specs=reads)
    for _ in range(2):
        assert isinstance(scene.call("balance"), Failure)
        scene.call("release")
    assert scene.call("balance") == Value({"left": 1})


def test_another_session_knows_nothing_of_it() -> None:
    policy = Switch([WAY])
    for _ in range(2):
        scene = Stage(RecoveryLayer(policy), {"pay": [CLOSED], "reserve": [RESERVED], "capture": [BUSY]}, SPECS)
        paid(scene)
        assert made(scene) == ["reserve", "capture"]


def test_what_two_equal_calls_side_by_side_began_is_finished_by_two() -> None:
    both, down = threading.Barrier(2), True
    done: list[str] = []

    def run(call: Call) -> Outcome:
        if call.tool == "pay":
            return CLOSED
        done.append(call.tool)
        if call.tool == "reserve":
            both.wait(5)
            return RESERVED
        return DOWN if down else CAPTURED

    session = Session(layers=[RecoveryLayer(Switch([WAY]))], specs=SPECS, others=None, clock=RealClock())
    with ThreadPoolExecutor(2) as pool:
        for shown in [pool.submit(session.call, "pay", {"amount": 1}, run) for _ in range(2)]:
            assert isinstance(shown.result(), Failure)
    down = False
    for _ in range(2):
        assert isinstance(session.call("pay", {"amount": 1}, run), Value)
    assert done.count("reserve") == 2


@pytest.mark.parametrize("left_in", ["reserve", "capture"])
def test_a_step_that_the_caller_left_is_not_made_again(left_in: str) -> None:
    done: list[str] = []
    leaves = True

    async def run(call: Call) -> Outcome:
        if call.tool == "pay":
            return CLOSED
        done.append(call.tool)
        if call.tool == left_in and leaves:
            await asyncio.sleep(60)
        return RESERVED if call.tool == "reserve" else CAPTURED

    async def play() -> Outcome:
        nonlocal leaves
        session = Session(layers=[RecoveryLayer(Switch([WAY]))], specs=SPECS, others=None, clock=RealClock())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.call_async("pay", {"amount": 1}, run), 0.05)
        leaves = False
        return await session.call_async("pay", {"amount": 1}, run)

    shown = asyncio.run(play())
    assert isinstance(shown, Failure)
    assert "may have been done" in shown.message
    assert done == (["reserve"] if left_in == "reserve" else ["reserve", "capture"])


def test_a_step_of_a_later_call_that_the_caller_left_is_not_made_again() -> None:
    way = Alternative(
        "search",
        (AlternativeStep("balance", {}),),
        {"left": StepField(0, "left")},
        (
            Then(
                "pay",
                {"left": EarlierAnswer("search", "left")},
                (AlternativeStep("wire", {"to": EarlierArgument("search", "to")}),),
                {"id": StepField(1, "id")},
            ),
        ),
    )
    done: list[str] = []

    async def run(call: Call) -> Outcome:
        done.append(call.tool)
        if call.tool == "wire":
            await asyncio.sleep(60)
        return Value({"left": 5}) if call.tool == "balance" else GONE

    async def play() -> Outcome:
        specs = (*SPECS, ToolSpec("search", effects=False))
        session = Session(layers=[RecoveryLayer(Switch([way]))], specs=specs, others=None, clock=RealClock())
        await session.call_async("search", {"to": "Ann"}, run)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.call_async("pay", {"left": 5}, run), 0.05)
        return await session.call_async("pay", {"left": 5}, run)

    shown = asyncio.run(play())
    assert isinstance(shown, Failure)
    assert "may have been done" in shown.message
    assert done.count("wire") == 1


OUTCOMES: Mapping[str, Callable[[], Outcome]] = {
    "fine": lambda: Value({"hold": "h-1", "id": "c-1"}),
    "undone": lambda: DOWN,
    "doubtful": lambda: BUSY,
    "short": lambda: Value({}),
}


@given(st.lists(st.sampled_from([*OUTCOMES, "release", "balance"]), min_size=1, max_size=24))
@settings(max_examples=300)
def test_nothing_happens_more_often_than_it_was_answered_and_once_begun(course: list[str]) -> None:
    calls, outcomes = [one for one in course if one not in OUTCOMES], [one for one in course if one in OUTCOMES]
    done: dict[str, int] = {"reserve": 0, "capture": 0}
    answered = 0

    def run(call: Call) -> Outcome:
        if call.tool not in done:
            return CLOSED if call.tool == "pay" else Value({})
        outcome = outcomes.pop() if outcomes else "fine"
        done[call.tool] += outcome != "undone"  # doubt is counted as the worst that it can be
        return OUTCOMES[outcome]()

    session = Session(layers=[RecoveryLayer(Switch([WAY]))], specs=SPECS, others=None)
    for between in [*calls, *["balance"] * 8]:
        answered += isinstance(session.call("pay", {"amount": 1}, run), Value)
        assert max(done.values()) <= answered + 1
        session.call(between, {}, run)


class PayAgain(Policy):
    """A policy that makes whatever it thinks harmless, or not in doubt, once more."""

    name = "again"

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        call = failed_call.attempt
        if context.may_repeat(failed_call) or context.nothing_done(failed_call) or context.keyed(failed_call):
            failed_call = yield from context.attempt(failed_call, self.name, "again", call.tool, call.arguments)
        return failed_call


@pytest.mark.parametrize(
    "pay",
    [ACTS[0], replace(ACTS[0], idempotent=True), replace(ACTS[0], key="key")],
    ids=["acts", "idempotent", "keyed"],
)
def test_no_policy_after_it_makes_the_call_itself(pay: ToolSpec) -> None:
    policy = Switch([WAY]) | PayAgain()
    scripts: dict[str, list[Outcome]] = {"pay": [CLOSED, Value({"id": "p"})], "reserve": [RESERVED], "capture": [BUSY]}
    scene = Stage(RecoveryLayer(policy), scripts, (pay, *SPECS[1:]))
    assert isinstance(scene.call("pay", amount=1, key="k-1"), Failure)
    assert made(scene, "pay") == ["pay"]


def test_no_look_after_it_takes_the_call_for_undone() -> None:
    check = Check("balance", {}, Exists("done"), settles=0)
    policy = Switch([WAY]) | Verify({"pay": check})
    scripts: dict[str, list[Outcome]] = {"pay": [CLOSED], "reserve": [RESERVED], "capture": [BUSY], "balance": [FINE]}
    scene = Stage(RecoveryLayer(policy), scripts, SPECS)
    assert isinstance(scene.call("pay", amount=1), Failure)
    assert made(scene, "pay", "balance") == ["pay"]


@pytest.mark.parametrize("undone", [True, False])
def test_only_what_may_have_acted_between_keeps_from_resuming(undone: bool) -> None:
    scene = stage({"capture": [DOWN, CAPTURED], "release": [DOWN if undone else BUSY]})
    scene.call("pay", amount=1)
    scene.call("release", hold="h-1")
    assert isinstance(scene.call("pay", amount=1), Value) == undone


def test_calls_of_one_tool_that_another_stands_in_for_do_not_hold_each_other_back() -> None:
    scene = stage({"capture": [DOWN, DOWN, CAPTURED]})
    for amount in (1, 2):
        scene.call("pay", amount=amount)
    assert [paid(scene, amount) for amount in (1, 2)] == ["c-1", "c-1"]
    assert made(scene, "reserve") == ["reserve", "reserve"]


def test_what_is_told_of_an_answer_is_short_and_whole_calls_are_counted_no_further_than_told_apart() -> None:
    scene = stage({"reserve": [Value({"hold": "h" * 999})], "capture": [DOWN, CAPTURED]})
    assert len(paid(scene)) < 500
    for n in range(99):
        scene.call("release", hold=n)
    assert "release" in paid(scene)
