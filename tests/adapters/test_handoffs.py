"""Hand-overs of the OpenAI Agents SDK under a session, and an agent called as a tool."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from typing import Any

import pytest

from tests import needs

pytest.importorskip("agents", reason=needs.framework("openai_agents"))

from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from agents import Agent, RunConfig, Runner, handoff
from sealegs.adapters.openai_agents import wrap, wrap_handoffs
from sealegs.faults import plan_from
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder, build_record

QUIET = RunConfig(tracing_disabled=True)
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


def says(name: str) -> Any:
    """An agent that answers with its name."""

    def turn(call: ModelCall) -> ModelStep:
        return ModelStep(output=[assistant_message(f"{name} here")])

    return Agent(name, model=ScriptedModel([ModelStep(responder=turn) for _ in range(20)]))


def desk(*agents: Any) -> Any:
    """An agent that hands over to billing once, and says what it reads when it is asked again."""

    def turn(call: ModelCall) -> ModelStep:
        items = call.input if isinstance(call.input, list) else []
        outputs = [str(item["output"]) for item in items if "output" in item]
        if outputs:
            return ModelStep(output=[assistant_message(f"the desk read {outputs[-1]}")])
        return ModelStep(output=[function_call("transfer_to_billing", {}, call_id="one")])

    return Agent("desk", model=ScriptedModel([ModelStep(responder=turn) for _ in range(20)]), handoffs=list(agents))


def played(*faults: dict[str, Any], streamed: bool = False) -> tuple[Any, Any]:
    rules = [{"match": {"tool": "transfer_to_*"}, "when": {"nth": 1}, **fault} for fault in faults]
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("desk", {})
    session = Session(plan_from({"name": "desk", "rules": rules}), clock=clock, watcher=recorder)
    agent = wrap_handoffs(desk(says("billing"), handoff(says("refunds"))), session)
    try:
        if streamed:
            with closing(asyncio.new_event_loop()) as loop:  # `asyncio.run` would take away the one that the SDK keeps
                run = loop.run_until_complete(_streamed(agent))
        else:
            run = Runner.run_sync(agent, "My bill is wrong.", run_config=QUIET)
    finally:
        recorder.finish("answered")
    (turn,) = build_record(recorder.events).turns
    return run, turn


async def _streamed(agent: Any) -> Any:
    """A run whose events are heard as they come."""
    run = Runner.run_streamed(agent, "My bill is wrong.", run_config=QUIET)
    heard = [event.new_agent.name async for event in run.stream_events() if event.type == "agent_updated_stream_event"]
    assert heard[-1] == run.last_agent.name
    return run


@STREAMED
def test_untouched_the_agent_takes_over(streamed: bool) -> None:
    run, turn = played(streamed=streamed)
    assert (run.last_agent.name, run.final_output) == ("billing", "billing here")
    assert (turn.call.tool, turn.shown.value) == ("transfer_to_billing", {"assistant": "billing"})


@STREAMED
def test_a_lost_hand_over_is_reported_and_nobody_takes_over(streamed: bool) -> None:
    run, turn = played({"fault": {"kind": "silent_noop"}, "moment": "before"}, streamed=streamed)
    assert run.last_agent.name == "desk"
    assert json.loads(run.final_output.removeprefix("the desk read ")) == {"assistant": "billing"}
    assert turn.injections[0].delivered


@STREAMED
def test_a_hand_over_reaches_another_agent(streamed: bool) -> None:
    forged = {"kind": "forged", "values": [{"assistant": "refunds"}]}
    run, turn = played({"fault": forged, "moment": "after"}, streamed=streamed)
    assert (run.last_agent.name, run.final_output) == ("refunds", "refunds here")
    assert (turn.said.value, turn.shown.value) == ({"assistant": "billing"}, {"assistant": "refunds"})


@pytest.mark.parametrize(("moment", "name", "taker"), [("before", "refunds", "desk"), ("after", "nobody", "billing")])
def test_a_forged_name_moves_nobody_who_cannot_be_reached(moment: str, name: str, taker: str) -> None:
    run, turn = played({"fault": {"kind": "forged", "values": [{"assistant": name}]}, "moment": moment})
    assert run.last_agent.name == taker
    assert turn.shown.value == {"assistant": name}


def test_a_late_hand_over_comes() -> None:
    run, turn = played({"fault": {"kind": "delay", "seconds": 30.0}, "moment": "before"})
    assert run.last_agent.name == "billing"
    assert (turn.injections[0].waited, turn.injections[0].cut_off) == (30.0, False)


def test_a_hand_over_that_fails_ends_the_run_as_one_of_its_own_would() -> None:
    with pytest.raises(Exception, match="Service Unavailable"):
        played({"fault": {"kind": "error", "status": 503}, "moment": "before"})


def test_the_agent_that_was_given_is_not_changed() -> None:
    agent = desk(says("billing"))
    wrap_handoffs(agent, Session())
    assert [type(one) for one in agent.handoffs] == [Agent]
    assert Runner.run_sync(wrap_handoffs(agent), "x", run_config=QUIET).last_agent.name == "billing"  # no session


def test_an_agent_as_a_tool_fails_like_a_tool() -> None:
    rule = {"match": {"tool": "ask_billing"}, "when": {"nth": 1}, "fault": {"kind": "empty"}, "moment": "after"}
    session = Session(plan_from({"name": "desk", "rules": [rule]}), clock=VirtualClock())

    def turn(call: ModelCall) -> ModelStep:
        items = call.input if isinstance(call.input, list) else []
        outputs = [str(item["output"]) for item in items if "output" in item]
        if len(outputs) == 2:
            return ModelStep(output=[assistant_message(json.dumps(outputs))])
        return ModelStep(output=[function_call("ask_billing", {"input": "?"}, call_id=f"call-{len(outputs)}")])

    tool = says("billing").as_tool("ask_billing", "Ask billing.")
    model = ScriptedModel([ModelStep(responder=turn) for _ in range(3)])
    run = Runner.run_sync(Agent("desk", model=model, tools=wrap([tool], session)), "x", run_config=QUIET)
    assert json.loads(run.final_output) == ["", "billing here"]
