"""The seam under all of Inspect's agents: nothing changes without faults, and every call of the agent's is struck."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sealegs.traces.inspect_logs import RECORD_NOTE
from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai import eval as inspect_eval
from inspect_ai.agent._bridge.sandbox.types import SandboxAgentBridge
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import _call_tools

from sealegs.adapters import inspect_seam
from sealegs.adapters.inspect_seam import check_inspect, is_user_role, plan_names, sample_calls_intercepted
from sealegs.faults.kinds import Error
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import AnyOf, First, FirstTouch, Not, Tag, Tool
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode
from sealegs.suites.inspect_eval.foreign_task import load_eval
from tests.suites.inspect_eval.played import calls, injections, named, options_for, play

LOOPS = ("plain", "reacting", "basic", "by_hand", "handed_over", "delegated", "from_source", "in_sandbox")
FEW = ("count=3",)
OTHERS = {  # the calls of an agent that are not of its environment
    "handed_over": {"transfer_to_buyer"},
    "delegated": {"buyer"},
}


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


def conversation(sample: EvalSample) -> list[tuple[Any, ...]]:
    """The conversation, without what is drawn for every message."""
    return [
        (one.role, one.text, [(call.function, call.arguments) for call in getattr(one, "tool_calls", None) or []])
        for one in sample.messages
    ]


def bare(task: str, folder: Path, **more: Any) -> dict[str, EvalSample]:
    loaded = load_eval(named(task), {"count": 3})  # which makes the model's provider known
    (log,) = inspect_eval(loaded, model="shopclerk/patient", log_dir=str(folder), display="none", **more)
    return {str(sample.id): sample for sample in log.samples or ()}


def all_samples(folder: Path) -> list[EvalSample]:
    found = [read_eval_log(str(file), resolve_attachments=True) for file in sorted(folder.glob("*.eval"))]
    return [sample for log in found for sample in log.samples or ()]


def own_logs(folder: Path) -> dict[str, EvalSample]:
    return {str(sample.id): sample for sample in all_samples(folder)}


def mode_of(sample: EvalSample) -> str:
    """The mode that a sample's record notes."""
    (note,) = [one.data for one in sample.events if one.event == "info" and one.source == RECORD_NOTE]
    return str(json.loads(note.split("\n")[0])["about"]["mode"])


@pytest.mark.parametrize("task", [*LOOPS, "with_customer"])
def test_without_faults_an_eval_is_what_it_is_without_sealegs(task: str, tmp_path: Path) -> None:
    alone = bare(task, tmp_path / "bare")
    play(tmp_path / "clean", task, modes="NP", task_args=FEW)
    ours = own_logs(tmp_path / "clean")
    assert set(ours) == set(alone)
    for name, sample in alone.items():
        assert conversation(ours[name]) == conversation(sample)
        assert {k: s.value for k, s in (ours[name].scores or {}).items()} == {
            k: s.value for k, s in (sample.scores or {}).items()
        }


@pytest.mark.parametrize("task", LOOPS)
def test_every_call_of_the_environment_is_recorded(task: str, tmp_path: Path) -> None:
    logs = play(tmp_path, task, modes="NP", task_args=FEW)
    for sample, one in ((key.sample, one) for key, one in logs.played.items()):
        made = [
            call.function
            for event in own_logs(tmp_path)[sample].events
            if event.event == "model"
            for call in event.output.message.tool_calls or []
        ]
        spared = {"submit"} | OTHERS.get(task, set())
        assert [call.split("(")[0] for call in calls(one)] == [name for name in made if name not in spared]


@pytest.mark.parametrize("task", [*LOOPS, "with_customer"])
def test_a_fault_reaches_the_agent_as_inspect_shows_a_failing_tool(task: str, tmp_path: Path) -> None:
    logs = play(tmp_path, task, "hasty", modes="NP,P1", task_args=FEW)
    faulted = [key for key in logs.played if key.mode == "P1"]
    assert faulted
    for key in faulted:
        ((tool, _, _, _, _, shown),) = injections(logs)[key]
        message = json.loads(shown)["failure"]["message"]
        (sample,) = [one for one in all_samples(tmp_path) if (str(one.id), mode_of(one)) == (key.sample, "P1")]
        errors = [(one.function, one.error.message) for one in sample.events if one.event == "tool" and one.error]
        assert len(errors) == 1
        assert errors[0][0] == tool
        assert message in errors[0][1]


@pytest.mark.parametrize("task", ["plain", "reacting", "delegated", "from_source"])
def test_faults_do_not_depend_on_how_many_samples_run_side_by_side(task: str, tmp_path: Path) -> None:
    alone = play(tmp_path / "one", task, "parallel", connections=1, task_args=FEW)
    beside = play(tmp_path / "eight", task, "parallel", connections=8, task_args=FEW)
    assert any(injections(alone).values())
    assert injections(alone) == injections(beside)
    assert {k: one.value for k, one in alone.played.items()} == {k: one.value for k, one in beside.played.items()}


def test_calls_asked_for_at_once_are_counted_in_the_order_of_the_message(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nname: second\nrules:\n- match: {tool: look_up}\n  when: {nth: 2}\n  fault: {kind: error}\n"
    )
    logs = play(tmp_path / "run", "plain", "parallel", plan=str(plan))
    found = {key.sample: found for key, found in injections(logs).items() if key.mode == "plan"}
    assert found
    for sample, hits in found.items():
        first_calls = [call for call in calls(logs.played[EvalEpisode("NP", sample, 1)]) if call.startswith("look_up")]
        assert [f"look_up({arguments['item']})" for _, arguments, *_ in hits] == first_calls[1:2]


def test_the_simulated_user_is_left_alone_unless_the_plan_names_the_tool(tmp_path: Path) -> None:
    plans = {"any": "{tool: '*'}", "named": "{tool: look_up}"}
    for name, match in plans.items():
        plan = tmp_path / f"{name}.yaml"
        plan.write_text(
            f"version: 1\nname: x\nrules:\n- match: {match}\n  when: {{first: 1}}\n  fault: {{kind: error}}\n"
        )
        roles = ("user=shopclerk/patient",)
        logs = play(tmp_path / name, "with_customer", plan=str(plan), limit=1, model_roles=roles)
        clean, hit = (logs.played[EvalEpisode(mode, "s0", 1)] for mode in ("NP", "plan"))
        assert clean.record is not None
        if name == "any":
            assert calls(clean) == ["look_up(lamp)", "order(lamp, 1)"], "the clerk's own calls, and none of the user's"
            assert len(injections(logs)[hit.episode]) == 2
        else:
            assert calls(hit)[:3] == ["look_up(lamp)", "look_up(lamp)", "look_up(lamp)"], "user, user again, clerk"
            assert len(injections(logs)[hit.episode]) == 1


def test_tools_of_an_mcp_server_are_struck(tmp_path: Path) -> None:
    pytest.importorskip("mcp.client.client", reason=needs.module("mcp.client.client"))
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nname: x\nrules:\n- match: {tool: look_up}\n  when: {first: 1}\n  fault: {kind: error}\n"
    )
    logs = play(tmp_path / "run", "from_server", plan=str(plan))
    hit = [one for key, one in logs.played.items() if key.mode == "plan"]
    assert len(hit) == 3
    for one in hit:
        assert injections(logs)[one.episode]
        assert one.value == 1, "the patient clerk asks again"


def test_the_role_of_a_user_is_distinguished_from_others() -> None:
    assert [is_user_role(role) for role in ("user", "simulated-user", "user_simulator")] == [True] * 3
    assert [is_user_role(role) for role in (None, "agent", "grader", "superuser", "used")] == [False] * 5


def test_a_plan_names_a_tool_by_more_than_wildcards() -> None:
    def plan(match: Any, when: Any = None) -> Plan:
        rule = Rule(match=match, fault=Error(status=500), **({} if when is None else {"when": when}))
        return Plan(name="x", rules=(rule,))

    assert plan_names(plan(Tool("look_*")), "look_up")
    assert plan_names(plan(AnyOf((Tool("x"), Tool("look_up")))), "look_up")
    assert plan_names(plan(Tool("*"), FirstTouch(("look_up",))), "look_up")
    assert not plan_names(plan(Tool("*")), "look_up")
    assert not plan_names(plan(Tool("order"), First(1)), "look_up")
    assert not plan_names(plan(Not(Tool("order"))), "look_up")
    assert not plan_names(plan(Tag("read")), "look_up")


def test_what_was_replaced_is_put_back() -> None:
    before = _call_tools.call_tool, SandboxAgentBridge.register_bridged_tools
    with sample_calls_intercepted():
        assert _call_tools.call_tool is not before[0]
        assert SandboxAgentBridge.register_bridged_tools is not before[1]
    assert (_call_tools.call_tool, SandboxAgentBridge.register_bridged_tools) == before


@pytest.mark.parametrize("name", ["call_tool", "_execute_tools_impl", "agent_handoff"])
def test_an_inspect_whose_internals_moved_is_refused_in_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def other(calls: Any) -> None:
        """Not what is expected."""

    monkeypatch.setattr(_call_tools, name, other)
    with pytest.raises(UserError, match=r"has moved .*(call_tool|handoff).*pip install \"inspect-ai>=0\.3\.280,<="):
        check_inspect()


def test_a_moved_bridge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(SandboxAgentBridge, "register_bridged_tools")
    with pytest.raises(UserError, match="register_bridged_tools"):
        check_inspect()


async def test_tools_of_the_host_for_a_sandboxed_agent_go_through_the_session() -> None:
    from inspect_ai.tool import ToolDef, ToolError

    from sealegs.inject import Session
    from tests.suites.inspect_eval.evals import shop

    rule = Rule(match=Tool("look_up"), when=First(1), fault=Error(status=503, message="down"))
    plan = Plan(name="x", rules=(rule,))
    session = Session(plan)
    bridge = SandboxAgentBridge.__new__(SandboxAgentBridge)
    bridge.bridged_tools, bridge.served_tools, bridge.proposal_exempt_servers = {}, {}, set()
    seam = inspect_seam.SampleSeam(session, (), plan)
    with sample_calls_intercepted(), inspect_seam.in_sample(seam):
        bridge.register_bridged_tools("shop", {"look_up": shop.look_up()})
        tool = bridge.bridged_tools["shop"]["look_up"]
        assert ToolDef(tool).parameters.properties.keys() == {"item"}
        with pytest.raises(ToolError, match="503"):
            await tool(item="lamp")
        assert await tool(item="lamp") == '{"item": "lamp", "price": 20}'


@pytest.mark.parametrize("moment", ["before", "after"])
def test_wrapped_tools_of_another_framework_behind_a_bridge_are_struck(moment: str, tmp_path: Path) -> None:
    """Its agent runs the tools itself, so Inspect never sees these calls; the framework's adapter does."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nname: x\nrules:\n- match: {tool: order}\n  when: {first: 1}\n"
        f"  fault: {{kind: error, status: 503}}\n  moment: {moment}\n"
    )
    logs = play(tmp_path / "run", "bridged", plan=str(plan), task_args=FEW)
    assert not any(event.event == "tool" for sample in all_samples(tmp_path / "run") for event in sample.events)
    for key, one in logs.played.items():
        orders = 1 + int(key.sample[1:]) % 3
        injected = injections(logs)[key]
        made = [call.split("(")[0] for call in calls(one)]
        assert made == ["look_up"] * orders + ["order"] * (orders + len(injected)), "the agent makes a call again"
        assert [(hit[0], hit[4]) for hit in injected] == ([] if key.mode == "NP" else [("order", moment)])
        assert one.value == (0 if injected and moment == "after" else 1), "an order that was done is then done twice"


def test_options_of_other_modes_are_kept(tmp_path: Path) -> None:
    assert options_for("plain").fault_modes == ("P1", "P2")


@pytest.mark.parametrize(("task", "tool"), [("delegated", "buyer"), ("handed_over", "transfer_to_buyer")])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_agent_that_works_for_another_is_struck_where_the_plan_names_it(
    task: str, tool: str, moment: str, tmp_path: Path
) -> None:
    """Struck before its work, the other agent orders nothing; after it, it ordered all, and the answer is lost."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"version: 1\nname: x\nrules:\n- match: {{tool: {tool}}}\n  when: {{first: 1}}\n"
        f"  fault: {{kind: error, status: 503}}\n  moment: {moment}\n"
    )
    logs = play(tmp_path / "run", task, "patient", plan=str(plan), task_args=FEW)
    found = {key: one for key, one in logs.played.items() if key.mode == "plan"}
    assert len(found) == 3
    for key, one in found.items():
        ((hit, _, _, _, when, shown),) = injections(logs)[key]
        assert (hit, when) == (tool, moment)
        (sample,) = [
            one for one in all_samples(tmp_path / "run") if (str(one.id), mode_of(one)) == (key.sample, "plan")
        ]
        errors = [
            (event.function, event.error.message) for event in sample.events if event.event == "tool" and event.error
        ]
        assert [name for name, _ in errors] == [tool]
        assert "503" in errors[0][1]
        assert "503" in json.loads(shown)["failure"]["message"] or json.loads(shown)["failure"]["status"] == 503
        made = [call.split("(")[0] for call in calls(one)]
        orders = 1 + int(key.sample[1:]) % 3
        assert made.count(tool) == 2, "the patient clerk asks again"
        assert made.count("order") == orders * (1 if moment == "before" else 2), "what the other agent did is recorded"
        assert one.value == (1 if moment == "before" else 0), "orders are made twice where the answer was lost"


@pytest.mark.parametrize(("task", "tool"), [("delegated", "buyer"), ("handed_over", "transfer_to_buyer")])
def test_what_an_agent_that_works_for_another_calls_is_struck_as_any_call(task: str, tool: str, tmp_path: Path) -> None:
    """A plan that strikes every tool strikes what the second agent calls, and not that agent."""
    plan = tmp_path / "all.yaml"
    plan.write_text(
        "version: 1\nname: x\nrules:\n- match: {tool: '*'}\n  when: {first: 9}\n  persistence: permanent\n"
        "  fault: {kind: delay, seconds: 0}\n"
    )
    logs = play(tmp_path / "run", task, plan=str(plan), limit=1)
    one = logs.played[EvalEpisode("plan", "s0", 1)]
    assert calls(one) == ["look_up(lamp)", "order(lamp, 1)"]
    assert [hit[0] for hit in injections(logs)[one.episode]] == ["look_up", "order"]
    assert one.value == 1
