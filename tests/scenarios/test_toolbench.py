"""Trajectories in ToolBench's format: read, written, and played as tasks."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.agents.arms.toolbench_arm import finishing, read_step, written_step
from sealegs.faults.user_error import UserError
from sealegs.scenarios.toolbench.toolbench_export import TASKS, conversation_of
from sealegs.scenarios.toolbench.toolbench_format import (
    ObservedCall,
    ToolBenchConversation,
    ToolBenchTrajectory,
    conversation_data,
    parse_observation,
    read_trajectories,
    tools_in,
    trajectories_in,
    trajectory,
)
from sealegs.scenarios.toolbench.toolbench_import import import_trajectories, shipped_trajectory_tasks
from sealegs.scoring import judge
from sealegs.suites.paladin.arm_engine import Setup, play_paladin_episode
from sealegs.suites.paladin.episodes import PaladinEpisode
from sealegs.traces import build_record

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.from_regex(r"[a-z_]{3,12}", fullmatch=True)
ARGUMENTS = st.dictionaries(NAMES, JSON, max_size=3)


@given(tool=NAMES, arguments=ARGUMENTS, thought=st.from_regex(r"[A-Za-z ,.]{0,30}", fullmatch=True))
def test_a_step_is_read_as_it_was_written(tool: str, arguments: dict[str, Any], thought: str) -> None:
    text = written_step(thought, tool, arguments)
    step = read_step(text)
    assert step is not None
    assert (step.tool, dict(step.arguments), step.problem) == (tool, arguments, "")


@pytest.mark.parametrize(
    ("text", "tool", "arguments", "problem"),
    [
        ("Action: f\nAction Input: {'a': None, 'b': [1]}", "f", {"a": None, "b": [1]}, ""),
        ('Thought: x\nAction: `f`\nAction Input:\n```json\n{"a": 1}\n```', "f", {"a": 1}, ""),
        ('Action: f\nAction Input: {"a": 1}\nObservation: {"b": 2}\nThought: and so on', "f", {"a": 1}, ""),
        ("Action: f\nAction Input: ", "f", {}, ""),
        ("Action: f\nAction Input: a = 1", "f", {}, "the action input is no JSON object"),
        ("Action: f\nAction Input: [1]", "f", {}, "the action input is no JSON object"),
    ],
)
def test_steps_as_models_write_them(text: str, tool: str, arguments: dict[str, Any], problem: str) -> None:
    step = read_step(text)
    assert step is not None
    assert (step.tool, dict(step.arguments), step.problem) == (tool, arguments, problem)


def test_a_text_without_an_action_is_no_step() -> None:
    assert read_step("Thought: I am done.\nThe answer is 4.") is None


@given(
    steps=st.lists(st.tuples(NAMES, ARGUMENTS, JSON), min_size=1, max_size=4),
    answer=st.from_regex(r"[A-Za-z0-9 .:\n]{1,40}", fullmatch=True),
    gave_up=st.booleans(),
)
def test_a_trajectory_is_read_as_it_was_written(
    steps: list[tuple[str, dict[str, Any], Any]], answer: str, gave_up: bool
) -> None:
    made = tuple(ObservedCall(tool, arguments, data) for tool, arguments, data in steps)
    own = ToolBenchTrajectory("x", "What is it?", ({"name": "f", "description": ""},), made, answer, gave_up)
    text = json.dumps(conversation_data(own))
    (found,) = trajectories_in(text)
    assert [(s.tool, dict(s.arguments)) for s in found.steps] == [(t, a) for t, a, _ in steps]
    assert (found.request, found.answer, found.gave_up, found.tools) == (own.request, answer, gave_up, own.tools)
    assert [step.answer for step in found.steps] == [data for _, _, data in steps]


@pytest.mark.parametrize(
    ("text", "data", "error"),
    [
        ('{"error": "", "response": "{\'a\': None}"}', {"a": None}, ""),
        ('{"error": "", "response": "[1, 2]"}', [1, 2], ""),
        ('{"error": "", "response": "plain"}', "plain", ""),
        ('{"error": "", "response": "NaN"}', "NaN", ""),
        ('{"error": "Unauthorized", "response": ""}', "", "Unauthorized"),
        ('{"a": 1}', {"a": 1}, ""),
        ("not JSON", "not JSON", ""),
    ],
)
def test_observations(text: str, data: Any, error: str) -> None:
    assert parse_observation(text) == (data, error)


def test_lists_of_tools_as_json_and_as_python_prints_them() -> None:
    entry = {"name": "f", "description": 'it\'s "f"', "parameters": {"required": ["a"]}}
    for listed in (json.dumps([entry, {"name": "Finish"}]), repr([entry, {"name": "Finish"}])):
        assert tools_in(f"You may use: {listed}\nGo.") == [entry]
    assert tools_in("no list") == []
    with pytest.raises(ValueError, match="neither JSON nor Python"):
        tools_in("[{broken]")


def test_our_own_trajectories_are_those_that_the_writer_makes() -> None:
    text = resources.files("sealegs.scenarios.toolbench").joinpath("own.jsonl").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) == len(TASKS)
    for task, line in zip(TASKS[::4], lines[::4], strict=True):
        assert json.loads(line) == conversation_of(task)


@pytest.mark.parametrize(("name", "count"), [("own", 20), ("foreign", 8)])
def test_shipped_trajectories_can_be_played_to_the_end(name: str, count: int) -> None:
    found = shipped_trajectory_tasks(name)
    assert (len(found.tasks.tasks), found.left_out) == (count, {})
    for task in found.tasks.tasks:
        episode = PaladinEpisode("eval", name, task)
        events = build_record(play_paladin_episode(episode, "follower", Setup("toolbench")))
        verdict = judge(events, episode.case(events))
        assert verdict.success, (task, verdict.reasons)
        assert {spec.name for spec in episode.specs} >= {step.tool for step in episode.base.graph.walk()}


def test_foreign_trajectories_with_one_request_are_alternatives_and_failed_calls_are_left_out() -> None:
    tides = shipped_trajectory_tasks("foreign").tasks.tasks["tides-1"]
    (group,) = tides.graph.groups
    assert [[step.tool for step in branch.steps] for branch in group.branches] == [
        ["tide_table_for_seamarks"],
        ["tidal_curve_for_seamarks"],
    ]
    assert "harbour_lookup_for_seamarks" in tides.graph.step_of
    assert shipped_trajectory_tasks("foreign").tasks.right_run("tides-1").deliverables == ("11:42", 4.63, 2.48)


def _conversation(*turns: tuple[str, str]) -> ToolBenchTrajectory:
    entries = [{"from": who, "value": value} for who, value in turns]
    return trajectory(ToolBenchConversation.model_validate({"id": "x", "conversations": entries}))


def test_a_trajectory_that_makes_no_task_is_left_out_with_its_reason() -> None:
    question, call = ("user", "How far is it?"), ("assistant", written_step("", "f", {}))
    seen = ("function", '{"error": "", "response": "{\\"km\\": 412.5}"}')
    gave_up = _conversation(question, call, seen, ("assistant", finishing("", "no idea", gave_up=True)))
    says_nothing = _conversation(question, call, seen, ("assistant", finishing("", "far")))
    failed = ("function", '{"error": "Timeout", "response": ""}')
    no_call = _conversation(question, call, failed, ("assistant", finishing("", "412.5 km")))
    for found, reason in ((gave_up, "gave up"), (says_nothing, "no value"), (no_call, "no call")):
        assert reason in import_trajectories([found]).left_out["x"]
    good = _conversation(question, call, seen, ("assistant", finishing("", "It is 412.5 km.")))
    assert [d.source.path for d in import_trajectories([good]).tasks.tasks["x"].deliverables] == ["km"]


def test_bad_files_are_reported_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "a"}\nnot json\n{"conversations": [{"from": "system", "value": "x"}]}\n')
    with pytest.raises(UserError) as caught:
        read_trajectories(file)
    assert "bad.jsonl:1: conversations" in str(caught.value)
    assert "bad.jsonl:2: not JSON" in str(caught.value)
    assert "has no request" in str(caught.value)
    with pytest.raises(UserError, match=r"cannot read .*nowhere"):
        read_trajectories(tmp_path / "nowhere.json")
    with pytest.raises(UserError, match="holds no trajectory"):
        trajectories_in("[]")
