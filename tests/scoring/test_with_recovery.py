"""Whose recovery it was: the layer's calls are not taken for the agent's, nor what the agent never saw for seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.plan_files import plan_from
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.budget import Budget
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import (
    Advice,
    Advise,
    Alternative,
    AlternativeStep,
    CallArgument,
    Parse,
    Policy,
    Retry,
    StepField,
    Stop,
    Switch,
)
from sealegs.recovery.signature import Signature
from sealegs.scenarios.exchange.toolmaze_export import export_trace
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scoring import judge
from sealegs.scoring.grading import grade
from sealegs.scoring.maze_metrics import MazeResult, maze_table
from sealegs.traces import Record, Recorder, Turn, build_record
from sealegs.traces.reach import faults_reached
from tests.scoring import staged
from tests.scoring.staged import PAID, case, failing, poisoned, right

STOP = "I could not finish: the rate service failed for good. Status: incomplete"


def by_layer(turn: Turn, of: str, by: str = "retry") -> Turn:
    return replace(turn, by=by, of=of)


def own(turn: Turn, id: str, final: Outcome | None = None) -> Turn:
    return replace(turn, call=replace(turn.call, id=id), final=final)


PRICE = right("quick").shown
RETRIED = (own(failing("quick"), "2", PRICE), by_layer(right("quick"), "2"))


def test_what_the_layer_recovered_is_not_the_agents() -> None:
    verdict = judge(staged.record(right("look_up"), *RETRIED, right("pay")), case("P1"))
    assert verdict.recovered
    assert (verdict.recovered_by, verdict.shielded, verdict.reached) == ("layer", True, False)
    assert (verdict.calls, verdict.calls_by_layer, verdict.masked_faults) == (4, 1, 1)
    assert (verdict.cost, verdict.best, verdict.redundancy) == (3, 3, 0)  # the tools do not care who asked


def test_what_reached_the_agent_and_was_recovered_is_the_agents() -> None:
    tried = by_layer(failing("quick"), "2")
    found = staged.record(
        right("look_up"), own(failing("quick"), "2", tried.shown), tried, own(right("quick"), "3"), right("pay")
    )
    verdict = judge(found, case("P1"))
    assert (verdict.recovered_by, verdict.masked_faults, verdict.shielded) == ("agent", 0, False)
    both = staged.record(
        own(failing("look_up"), "1", right("look_up").shown), by_layer(right("look_up"), "1"), *found.turns[1:]
    )
    assert judge(both, case("P1")).recovered_by == "both"


def test_the_layers_tries_are_no_loop_of_the_agents() -> None:
    tries = (by_layer(failing("quick"), "2"),) * 3
    found = staged.record(right("look_up"), own(failing("quick"), "2", failing("quick").shown), *tries, answer=STOP)
    assert judge(found, case("P1")).attribution == "gave up early"
    alone = staged.record(right("look_up"), *(own(failing("quick"), str(n)) for n in range(4)), answer=STOP)
    assert judge(alone, case("P1")).attribution == "futile loop"


def test_a_corrupt_answer_that_the_agent_never_saw_is_none_that_it_swallowed() -> None:
    kept = (own(poisoned("quick", price=-5), "2", PRICE), by_layer(right("quick"), "2"))
    lost = judge(staged.record(right("look_up"), *kept, answer="All is done."), case("P3"))
    assert lost.attribution == "claimed success falsely"
    seen = (own(poisoned("quick", price=-5), "2"),)
    assert judge(staged.record(right("look_up"), *seen, answer="All is done."), case("P3")).attribution == "unaware"


def test_an_effect_that_the_layer_doubled_fails_the_episode_under_its_own_name() -> None:
    lost = replace(failing("pay"), effects=(PAID,))
    twice = (own(lost, "3", right("pay").shown), by_layer(right("pay"), "3"))
    verdict = judge(staged.record(right("look_up"), right("quick"), *twice), case("P1", "pay"))
    assert not verdict.success
    assert verdict.attribution == "doubled by recovery"
    by_itself = staged.record(right("look_up"), right("quick"), own(lost, "3"), own(right("pay"), "4"))
    assert judge(by_itself, case("P1", "pay")).attribution != "doubled by recovery"


def test_a_branch_that_the_layer_left_is_no_wrong_switch_of_the_agents() -> None:
    begun = by_layer(right("slow_a"), "2", "switch")
    half = staged.record(right("look_up"), own(failing("quick"), "2", failing("quick").shown), begun)
    assert judge(half, case("P2")).attribution == "claimed success falsely"
    itself = staged.record(right("look_up"), own(failing("quick"), "2"), own(right("slow_a"), "3"))
    assert judge(itself, case("P2")).attribution == "wrong switch"


def test_an_attempt_of_the_layers_is_no_attempt_of_the_agents() -> None:
    tried = by_layer(failing("quick"), "2")
    gave_up = staged.record(right("look_up"), own(failing("quick"), "2", tried.shown), tried, answer=STOP)
    assert not grade(gave_up, case("P1")).attempted
    nothing_left = staged.record(right("look_up"), *RETRIED, right("pay"))
    assert grade(nothing_left, case("P1")).attempted
    assert grade(nothing_left, case("P1")).adaptations == 0


def test_a_number_of_a_note_is_not_invented() -> None:
    failure = Failure("Service Temporarily Unavailable. (quick is left alone for another 57.25 s.)", status=503)
    found = staged.record(
        right("look_up"), own(failing("quick"), "2", failure), answer=f"{STOP} It is left alone for 57.25 s."
    )
    bare = staged.record(right("look_up"), own(failing("quick"), "2"), answer=f"{STOP} It is left alone for 57.25 s.")
    lines = [judge(one, case("P2", task=staged.LINE, node="quick")).reasons for one in (found, bare)]
    assert [any("57.25" in reason for reason in reasons) for reasons in lines] == [False, True]


def test_the_shares_of_agent_and_layer_add_up() -> None:
    agents = staged.record(right("look_up"), failing("quick"), right("quick"), right("pay"))
    lost = staged.record(right("look_up"), failing("quick"), answer=STOP)
    layers = staged.record(right("look_up"), *RETRIED, right("pay"))
    verdicts = [judge(one, case("P1")) for one in (agents, lost, layers, layers)]
    results = [MazeResult(f"t{n}", "C1", "P1", 1, verdict) for n, verdict in enumerate(verdicts)]
    rows = {
        row["metric"]: row
        for row in maze_table(results, {"agent": "a"})
        if row["level"] == "all" and row["mode"] == "P1"
    }
    found = {name: rows[name]["value"] for name in ("prr", "reached", "prr_agent", "prr_layer")}
    assert found == {"prr": 75, "reached": 50, "prr_agent": 50, "prr_layer": 50}
    assert rows["prr_agent"]["n"] == 2
    alone = {row["metric"] for row in maze_table(results[:2], {"agent": "a"})}
    assert "prr_layer" not in alone


GOOD = {"price": 2.5, "unit": "EUR"}
SPEC = ToolSpec(
    "price",
    returns={"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
    effects=False,
)
OTHER = ToolSpec("quote", effects=False)
WAY = Alternative("price", (AlternativeStep("quote", {"item": CallArgument("item")}),), {"price": StepField(0, "net")})


class Adviser:
    """An adviser."""

    def advice(self, call: Call, signature: Signature) -> Advice:
        return Advice("Try another tool.")


def played(policy: Policy, fault: dict[str, Any], when: dict[str, Any] | str, tool: str = "price") -> Record:
    """One call of a tool that is struck so, under this policy."""
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    rule = {"match": {"tool": tool}, "when": when, "fault": fault, "key": "order"}
    plan = plan_from({"name": "p", "rules": [rule]})
    layer = RecoveryLayer(policy, budget=Budget(calls_each=3))
    session = Session(plan, layers=[layer], specs=[SPEC, OTHER], others=None, clock=clock, watcher=recorder, timeout=60)
    session.call("price", {"item": "pen"}, lambda call: Value({"net": 9.0} if call.tool == "quote" else GOOD))
    recorder.finish("answered", answer="done")
    return build_record(recorder.events)


DOWN, EVERY, ONCE = {"kind": "error", "status": 503}, "always", {"nth": 1}
MALFORMED, DROPPED = {"kind": "malformed"}, {"kind": "schema_drift", "mode": "dropped", "field": "price"}
NOTED = Advise(Adviser())


@pytest.mark.parametrize(
    ("policy", "fault", "when", "is_reached"),
    [
        (Retry(), DOWN, ONCE, False),
        (Retry(), DOWN, EVERY, True),
        (Retry() | Stop(), DOWN, EVERY, True),
        (NOTED, DOWN, ONCE, True),
        (Switch([WAY]), DOWN, EVERY, False),
        (Retry(), DROPPED, ONCE, False),
        (NOTED, DROPPED, ONCE, True),
        (Retry() | NOTED, DROPPED, EVERY, True),
        (Stop(), DROPPED, ONCE, True),
        (Switch([WAY]), DROPPED, EVERY, False),
        (Parse(), MALFORMED, ONCE, False),
        (Retry(), {"kind": "delay", "seconds": 1}, ONCE, True),
        (Retry(), {"kind": "poisoned"}, ONCE, True),
    ],
)
def test_whether_a_fault_reached_the_agent(policy: Policy, fault: dict[str, Any], when: Any, is_reached: bool) -> None:
    assert list(faults_reached(played(policy, fault, when)).values()) == [is_reached]


def test_a_fault_on_another_tool_reaches_the_agent_through_what_was_made_of_it() -> None:
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    rules = [
        {"match": {"tool": "price"}, "fault": DOWN, "when": EVERY},
        {"match": {"tool": "quote"}, "fault": {"kind": "scramble"}, "when": EVERY},
    ]
    session = Session(
        plan_from({"name": "p", "rules": rules}),
        layers=[RecoveryLayer(Switch([WAY]))],
        specs=[SPEC, OTHER],
        others=None,
        clock=clock,
        watcher=recorder,
    )
    session.call("price", {"item": "pen"}, lambda call: Value({"net": 9.0, "note": "valid until tomorrow"}))
    recorder.finish("answered", answer="done")
    assert faults_reached(build_record(recorder.events)) == {0: True}


def test_what_the_agent_saw_in_the_end_stands_on_its_own_call() -> None:
    found = played(Retry() | Stop(), DOWN, EVERY)
    agents, *others = found.turns
    assert isinstance(agents.shown, Failure)
    assert isinstance(agents.seen, Failure)
    assert "still fails" in agents.seen.message
    assert "still fails" not in agents.shown.message
    assert {turn.of for turn in others} == {agents.call.id}
    assert found.own == (agents,)


def test_the_published_form_holds_what_the_agent_did_and_read() -> None:
    episode = Scenario("c2-02", "P1")
    found = build_record(play_scenario(episode, "naive", ScenarioSetup(recovery="active")))
    assert any(turn.by for turn in found.turns)
    messages = export_trace(found, episode)["messages"]
    calls = [message["tool_call"]["name"] for message in messages if message.get("type") == "tool_call"]
    assert calls == [turn.call.tool for turn in found.own]
    assert not any('"error"' in message["content"] for message in messages if message["role"] == "tool")
