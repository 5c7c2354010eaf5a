"""Scripted agents act on what they see, and only `oracle` knows where faults strike."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.agents import SCRIPTED, Briefing, Say, ScriptedAgent, UseTool
from sealegs.agents.planners import found_done
from sealegs.agents.scripted_agent import parse_tool_message
from sealegs.faults.invariants import Bounds
from sealegs.faults.spec import ToolSpec
from sealegs.tasks import Persistence
from tests.scoring.staged import LINE, RIGHT, TASK

SPECS = {tool: ToolSpec(tool) for tool in RIGHT} | {
    "quick": ToolSpec("quick", invariants=(Bounds("price", 0),)),
    "slow_b": ToolSpec("slow_b", invariants=(Bounds("price", 0),)),
}
ERROR = json.dumps({"error": {"status": 503, "message": "Service Temporarily Unavailable"}})
POISON = json.dumps({"price": -50.25})


@given(
    st.text(st.sampled_from(list('{}[]":,0e+-.aN \t\n\r\x0b\u00a0\ufeff')), max_size=12)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    ).map(json.dumps),
    st.sampled_from(["", " ", "\r\n\t", "\x0b", "\ufeff", "x"]),
    st.sampled_from(["", " ", "\n", "\u00a0", " x", "{}"]),
)
def test_a_message_is_read_as_the_library_reads_it(text: str, before: str, after: str) -> None:
    message = before + text + after
    try:
        expected = json.loads(message)
    except ValueError:
        expected = message
    assert repr(parse_tool_message(message)) == repr(expected)  # as text, for what is not a number equals nothing


def made(name: str, slots: Mapping[str, Persistence] | None = None, task: object = TASK) -> ScriptedAgent:
    return SCRIPTED[name](Briefing(task, SPECS, slots or {}))  # type: ignore[arg-type]


def played(agent: ScriptedAgent, shown: Mapping[str, list[str]]) -> tuple[list[str], str]:
    """Let the agent act until it speaks; each tool says what `shown` lists for it, then the truth."""
    left = {tool: list(texts) for tool, texts in shown.items()}
    called: list[str] = []
    for _ in range(20):
        act = agent.act()
        if isinstance(act, Say):
            return called, act.text
        called.append(act.tool)
        texts = left.get(act.tool)
        agent.observe(act, texts.pop(0) if texts else json.dumps(RIGHT[act.tool][1]))
    raise AssertionError("the agent never spoke")


@pytest.mark.parametrize("name", ["planner", "retrier", "naive"])
def test_only_oracle_looks_at_the_slots(name: str) -> None:
    lies: dict[str, Persistence] = {"rate": "permanent"}
    for shown in ({}, {"quick": [ERROR]}, {"quick": [POISON]}, {"quick": [ERROR, ERROR]}):
        assert played(made(name), shown) == played(made(name, lies), shown)


def test_clean() -> None:
    for name in SCRIPTED:
        called, text = played(made(name), {})
        assert called == ["look_up", "quick", "pay"]
        assert "RC-5513" in text
        assert "Status: complete" in text


def test_planner_tries_once_more_then_switches() -> None:
    assert played(made("planner"), {"quick": [ERROR]})[0] == ["look_up", "quick", "quick", "pay"]
    called, _ = played(made("planner"), {"quick": [POISON, POISON]})
    assert called == ["look_up", "quick", "quick", "slow_a", "slow_b", "pay"]


def test_planner_stops_and_says_why() -> None:
    called, text = played(made("planner", task=LINE), {"quick": [ERROR, ERROR]})
    assert called == ["look_up", "quick", "quick"]
    assert "503" in text
    assert "Status: incomplete" in text
    assert "RC-5513" not in text


def test_oracle_plays_against_the_fault_that_it_knows() -> None:
    assert played(made("oracle", {"rate": "transient"}), {"quick": [POISON]})[0] == ["look_up", "quick", "quick", "pay"]
    called, _ = played(made("oracle", {"rate": "permanent"}), {"quick": [POISON] * 9, "slow_a": [ERROR]})
    assert called == ["look_up", "slow_a", "quick", "pay"], "the fault is spent on the way that is not wanted"


def test_retrier_repeats_errors_and_believes_the_rest() -> None:
    assert played(made("retrier"), {"quick": [ERROR] * 2})[0] == ["look_up", "quick", "quick", "quick", "pay"]
    called, text = played(made("retrier"), {"quick": [ERROR] * 9})
    assert called == ["look_up", "quick", "quick", "quick", "quick"]
    assert "Status: incomplete" in text
    agent = made("retrier")
    agent.observe(UseTool("look_up", {}), json.dumps({"id": "ID-77"}))
    agent.observe(UseTool("quick", {}), POISON)
    pay = agent.act()
    assert isinstance(pay, UseTool)
    assert pay.arguments["price"] == -50.25


def test_naive_takes_an_error_for_an_answer() -> None:
    called, text = played(made("naive"), {"quick": [ERROR]})
    assert called == ["look_up", "quick", "pay"]
    assert "Status: complete" in text


def test_replay_gives_the_same_next_act() -> None:
    first, again = made("planner"), made("planner")
    seen: list[tuple[UseTool, str]] = []
    for text in (json.dumps(RIGHT["look_up"][1]), ERROR, POISON):
        act = first.act()
        assert isinstance(act, UseTool)
        seen.append((replace(act), text))
        first.observe(act, text)
    for act, text in seen:
        again.observe(act, text)
    assert again.act() == first.act()


@pytest.mark.parametrize(("given", "listed", "found"), [("", "k1", True), ("k1", "k1", True), ("k2", "k1", False)])
def test_a_look_knows_a_call_again_to_which_the_layer_gave_a_key(given: str, listed: str, found: bool) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "key": {"type": "string", "default": ""}}}
    spec = ToolSpec("pay", effects=True, key="key", shown_by="payments", parameters=schema)
    faulted = UseTool("pay", {"n": 5, **({"key": given} if given else {})})
    entry = {"operation": "pay", "request": {"n": 5, "key": listed}, "status": "completed", "result": {"id": "p1"}}
    assert found_done(faulted, spec, {"entries": [entry]}) == ({"id": "p1"} if found else None)
    assert found_done(faulted, spec, {"entries": [{**entry, "request": {"n": 6, "key": listed}}]}) is None
    assert found_done(faulted, spec, {"entries": [{**entry, "status": "partial"}]}) is None
