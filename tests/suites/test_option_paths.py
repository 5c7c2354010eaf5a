"""What a suite is stands in one place: an option where it is declared and given its meaning, a name in its own room."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sealegs.scenarios.scenario import Scenario, scenario_from_record
from sealegs.scenarios.scenario_setup import SETUP_FACTS, ScenarioSetup
from sealegs.suites.highwater.coder_setup import CODER_FACTS, CoderSetup
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.maze.maze_logs import SCHEMA
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.paladin.arm_engine import ARM_FACTS, Setup
from sealegs.suites.run_options import RunOptions
from sealegs.suites.suite import suites
from tests import needs

SOURCE = Path(__file__).parents[2] / "src" / "sealegs"
ENGINES = "inspect"  # the suite of this name and the engine of this name are two things
CODER, PROBLEMS = "suites/highwater/coder_setup.py", "suites/highwater/problem_episodes.py"
# Quoted names outside the suite's room that are something else.
OTHERWISE = {
    ("agents/arms/__init__.py", "paladin"): "an arm",
    ("generate/library_build.py", "highwater"): "rows about functions, of no run",
    ("reports/highwater_page.py", "highwater"): "a title",
    ("reports/paladin_tables.py", "paladin"): "an arm of the published table",
    ("reports/published_models.py", "paladin"): "an arm of the published table",
    ("scenarios/scenario.py", "maze"): "the name that the records of scenarios have",
    ("scoring/micro_metrics.py", "micro"): "the name in the rows of these metrics",
    ("suites/paladin/episodes.py", "maze"): "a source of tasks, in records",
    ("suites/registry.py", "highwater"): "a task of Inspect",
    ("suites/registry.py", "maze"): "a task of Inspect",
    ("suites/registry.py", "paladin"): "a task of Inspect",
    ("suites/scripted_provider.py", "maze"): "whose agents play a conversation that names no suite",
    ("training/proof/sizes.py", "paladin"): "an arm",
    ("world/sql/augmentation.py", "highwater"): "the key of a random stream",
    ("world/sql/build.py", "highwater"): "the key of a random stream",
}
# Names in a suite's rooms that are written like an option of it and are something else.
NAMESAKES = {
    ("suites/highwater/__init__.py", "distractors"): "a setting",
    ("suites/highwater/coding_protocol.py", "search"): "of a regular expression",
    ("suites/highwater/inspect_task.py", "sandbox"): "a parameter of Inspect's tasks",
}


@cache
def names_in(file: Path) -> frozenset[str]:
    """The texts, attributes, parameters and keywords of a file."""
    return frozenset(_names(ast.parse(file.read_text("utf-8"))))


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg


def quoted_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


@pytest.mark.parametrize(
    ("suite", "option", "rooms", "meaning"),
    [
        ("maze", "recovery", ("scenarios", "engines", "suites/maze"), {"scenarios/scenario_setup.py"}),
        ("maze", "wording", ("engines", "suites/maze"), set()),
        ("maze", "language", ("engines", "suites/maze"), set()),
        ("inspect", "recovery", ("suites/inspect_eval",), {"suites/inspect_eval/knowledge_use.py"}),
        ("paladin", "retrieval", ("engines", "suites/paladin"), {"suites/paladin/arm_engine.py"}),
        ("highwater", "search", ("engines", "suites/highwater"), {CODER}),
        ("highwater", "interface", ("engines", "suites/highwater"), {CODER}),
        ("highwater", "allow_weak_sandbox", ("engines", "suites/highwater"), {CODER}),
        ("highwater", "sandbox", ("engines", "suites/highwater"), {CODER, "suites/highwater/containers.py"}),
        ("highwater", "distractors", ("engines", "suites/highwater"), {PROBLEMS}),
        ("highwater", "hints", ("engines", "suites/highwater"), {PROBLEMS, "suites/highwater/coder_prompts.py"}),
    ],
)
def test_an_option_stands_where_it_is_declared_and_means_something(
    suite: str, option: str, rooms: tuple[str, ...], meaning: set[str]
) -> None:
    declared = Path(inspect.getfile(suites()[suite].options)).relative_to(SOURCE).as_posix()
    files = [file for room in rooms for file in sorted((SOURCE / room).rglob("*.py"))]
    found = {file.relative_to(SOURCE).as_posix() for file in files if option in names_in(file)}
    assert found == {declared} | meaning | {file for file, name in NAMESAKES if name == option}


def test_no_suite_is_named_outside_its_room() -> None:
    rooms = {name: Path(inspect.getfile(type(suite))).parent for name, suite in suites().items() if name != ENGINES}
    found = {
        (file.relative_to(SOURCE).as_posix(), name)
        for file in SOURCE.rglob("*.py")
        for name in quoted_in(file) & rooms.keys()
        if rooms[name] not in file.parents
    }
    assert found == OTHERWISE.keys()


def test_a_setup_is_taken_from_the_options_as_a_whole() -> None:
    assert MazeOptions(agent="naive", recovery="advise", max_steps=7).setup == ScenarioSetup(7, "advise")
    coder = HighwaterOptions(agent="naive", search="mine", interface="calls", max_steps=7, allow_weak_sandbox=True)
    assert coder.setup == CoderSetup(7, "mine", True, "calls")
    assert coder.setup.about() == {"max_steps": 7, "search": "mine", "interface": "calls"}
    noted = (
        (ScenarioSetup, "maze", SETUP_FACTS),
        (Setup, "paladin", ARM_FACTS),
        (CoderSetup, "highwater", CODER_FACTS),
    )
    for kind, options, facts in noted:
        assert {field.name for field in fields(kind)} <= suites()[options].options.model_fields.keys()
        assert set(facts) <= set(suites()[options].schema.settings)
    assert {field.name for field in fields(CoderSetup)} - set(CODER_FACTS) == {"allow_weak_sandbox", "sandbox"}


def test_a_field_that_is_new_needs_no_more_than_the_option_and_the_setup() -> None:
    @dataclass(frozen=True)
    class Wider(ScenarioSetup):
        patience: str = "none"

    class WiderOptions(RunOptions):
        recovery: str = "off"
        patience: str = "none"

    assert WiderOptions(agent="naive", patience="long").part_for(Wider) == Wider(patience="long")
    assert Wider(patience="long").about() == {"max_steps": 25, "recovery": "off", "patience": "long"}


def test_the_settings_of_a_run_are_those_that_records_note() -> None:
    noted = Scenario("c1-01", "P1", own="{}", tasks="here")
    assert scenario_from_record(asdict(noted)) == noted
    older = scenario_from_record({"task": "c1-01", "mode": "P1", "epoch": 2, "seed": 3})
    assert older == Scenario("c1-01", "P1", 2, 3, moment="before", implicit="published")
    assert SCHEMA.settings == (
        *("agent", "model", "prompt", "seed", "own", "max_steps"),
        *("tasks", "moment", "implicit", "wording", "language", "recovery", "task_set"),
    )
    assert suites()["highwater"].schema.settings == (
        *("agent", "model", "setting", "distractors", "hints", "seed", "own", "data"),
        *("rows", "empty_hint", "examples", "refusal", "max_steps", "search", "interface", "task_set"),
    )


def test_a_sample_without_a_record_is_of_its_own_run() -> None:
    about = {"task": "c1-01", "mode": "P1", "epoch": 1, "epochs": 1, "seed": 0, "prompt": "standard"}
    started: dict[str, Any] = {"model": "openai/x", "task_args": {"max_steps": 9, "recovery": "active", "levels": "C1"}}
    first, _ = SCHEMA.unrecorded({"metadata": about, "epoch": 1}, started, Path("x.eval"))
    assert {name: first.about[name] for name in SETUP_FACTS} == {"max_steps": 9, "recovery": "active"}


def test_a_solver_has_the_parameters_of_its_setup() -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    from sealegs.suites.highwater.inspect_task import code_loop
    from sealegs.suites.maze.inspect_task import tool_loop
    from sealegs.suites.paladin.inspect_task import played_arm

    assert list(inspect.signature(tool_loop).parameters) == ["max_steps", "recovery"]
    assert list(inspect.signature(played_arm).parameters) == ["arm", "retrieval", "max_steps"]
    assert list(inspect.signature(code_loop).parameters) == ["max_steps", "search", "allow_weak_sandbox"]
    assert callable(tool_loop(recovery="active"))
