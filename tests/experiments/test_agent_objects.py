"""Agent objects of frameworks as an experiment takes them. `tests/adapters/frameworks/agent_runs.py` runs real ones.

A class is taken for a framework's by its module, so what needs no framework is shown with classes that name one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from sealegs.experiments import experiment
from sealegs.experiments.agent_under_test import agent_from
from sealegs.experiments.code_digest import code_digest
from sealegs.experiments.framework_agents import framework_runner
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import Tool
from sealegs.faults.user_error import UserError
from tests import needs

PLAN = Plan(name="p", rules=(Rule(match=Tool("*"), fault=Error(status=503)),))
NAMED = """
from sealegs import tool

@tool(effects=False)
def look() -> int:
    return 7

class Agent:
    __module__ = "smolagents.agents"
    state: dict = {}
    managed_agents: dict = {}

    def run(self, input):
        return look()

AGENT = Agent()
"""


def of_module(module: str, **attributes: Any) -> Any:
    """An object whose class names a module as its own."""
    return type("Thing", (), {"__module__": module, **attributes})()


def test_any_other_object_is_not_taken_for_a_framework_s() -> None:
    assert framework_runner(object()) is None
    assert framework_runner(lambda: 1) is None
    assert framework_runner(of_module("my_strands.agent", tool_names=[])) is None
    assert framework_runner(of_module("google.cloud.agents", run_async=None)) is None
    assert framework_runner(of_module("google.adk.agents.base", run_async=None)) is not None


def test_code_of_a_named_object_is_that_of_the_module_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "named_object.py"
    file.write_text(NAMED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        agent = agent_from("named_object:AGENT")
        before = code_digest(agent, None)
        assert before == code_digest(agent, None)
        file.write_text(NAMED.replace("7", "8"))
        after = code_digest(agent, None)
        assert after != before
        made_up = ModuleType("made_up")
        made_up.__file__ = "_classes.py"  # as torch has it: a name relative to wherever one is, of no file
        monkeypatch.setitem(sys.modules, "made_up", made_up)
        assert code_digest(agent, None) == after
    finally:
        del sys.modules["named_object"]


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        (
            of_module("strands.multiagent.graph"),
            "is of type strands.multiagent.graph.Thing, which cannot be run: give a",
        ),
        (of_module("agent_framework._workflows", run=None), "give a function that takes the input, runs the agent and"),
        (
            of_module("crewai.crew", kickoff=None, tasks=[], agents=[], fetch_inputs=lambda self: set()),
            "texts have no place for the input; write {input} in the description of a task",
        ),
        (
            of_module("crewai.crew", kickoff=None, tasks=[], agents=[], fetch_inputs=lambda self: {"topic", "year"}),
            "texts have places for topic, year; write {input}",
        ),
        (
            of_module("claude_agent_sdk.types", mcp_servers={}, continue_conversation=True, resume=None),
            "leave out continue_conversation",
        ),
        (
            of_module(
                "claude_agent_sdk.client",
                options=SimpleNamespace(continue_conversation=False, resume="s", fork_session=False),
            ),
            "give fork_session=True beside resume",
        ),
        (
            of_module("dspy.primitives", named_predictors=None, forward=lambda self: None),
            "the module Thing takes no input; give a function",
        ),
    ],
)
def test_what_cannot_be_run_with_a_text_is_reported_in_one_sentence(agent: Any, says: str) -> None:
    with pytest.raises(UserError) as error:
        experiment(agent, PLAN, inputs=["x"])
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_an_object_needs_an_input() -> None:
    agent = of_module("smolagents.agents", run=lambda self, text: text, state={}, managed_agents={})
    with pytest.raises(UserError, match=r"^Thing needs an input \(input\); give it with --input or --inputs$"):
        experiment(agent, PLAN)


def test_the_only_place_in_a_crew_s_texts_is_that_of_the_input() -> None:
    received = []

    def kickoff(self: Any, inputs: Any) -> Any:
        received.append(inputs)
        return SimpleNamespace(raw="done")

    crew = of_module("crewai.crew", kickoff=kickoff, tasks=[], agents=[], fetch_inputs=lambda self: {"topic"})
    filled = SimpleNamespace(description="Write of rain.", _original_description="Write of {topic}.")
    has_run = of_module("crewai.crew", kickoff=kickoff, tasks=[filled], agents=[], fetch_inputs=lambda self: set())
    for one in (crew, has_run):
        runner = framework_runner(one)
        assert runner is not None
        assert runner("rain") == "done"
    assert received == [{"topic": "rain"}] * 2


def test_a_graph_without_messages_is_refused() -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(dict)
    graph.add_node("same", lambda state: state)
    graph.add_edge(START, "same")
    graph.add_edge("same", END)
    with pytest.raises(UserError, match="no messages to put the input into; give a function"):
        experiment(graph.compile(), PLAN, inputs=["x"])
