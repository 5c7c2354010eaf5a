"""The entry for the register of Inspect Evals: what the register asks for, and that its task can be run by its file."""

from __future__ import annotations

import ast
import tomllib
from types import ModuleType

import pytest

from sealegs.scenarios import MODES
from sealegs.scenarios.task_sets import task_set
from tests import needs
from tests.scripts import ROOT, load_script

PLACE = ("https://github.com/owner/sealegs", "0" * 40, ["owner"])


def load(name: str) -> ModuleType:
    return load_script(f"register/{name}.py")


def test_the_entry_has_one_task_whose_file_defines_it_as_the_register_asks() -> None:
    entry = load("complete").complete_entry(*PLACE)
    (task,) = entry["tasks"]
    tree = ast.parse((ROOT / task["task_path"]).read_text("utf-8"))
    decorated = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(one, ast.Name) and one.id == "task" for one in node.decorator_list)
    }
    assert decorated == {task["name"]}
    assert "\n" not in entry["description"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert any(one.startswith("inspect-ai") for one in project["optional-dependencies"]["bench"])
    assert "uv sync --extra bench" in task["comment"]


def test_its_counts_are_those_of_the_suite() -> None:
    entry = load("complete").complete_entry(*PLACE)
    shipped = task_set()
    assert entry["tasks"][0]["dataset_samples"] == len(shipped.tasks) * len(MODES)
    tools = len(shipped.corpus("c1-01").tools)
    assert entry["description"].startswith(f"{len(shipped.tasks)} tasks on {tools} simulated tools")


def test_the_register_s_own_model_takes_it() -> None:
    metadata = pytest.importorskip("inspect_evals.metadata", reason=needs.module("inspect_evals"))
    if not hasattr(metadata, "ExternalEvalMetadata"):
        pytest.skip(needs.reason("inspect_evals 0.28", "pip install -U inspect-evals"))
    entry = load("complete").complete_entry(*PLACE)
    found = metadata.ExternalEvalMetadata(**entry, id="sealegs_maze")
    assert found.package == "sealegs"
    assert found.title == entry["full_title"]
    assert found.tags == entry["tags"]


def test_its_task_runs_by_its_file() -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    task = load("maze").sealegs_maze(levels="C1", modes="NP,P1", limit=1)
    (log,) = inspect_ai.eval(
        task, model="sealegs/oracle", display="none", log_samples=False, log_dir="memory://register"
    )
    assert log.status == "success"
    assert log.results.completed_samples == 2
    scores = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
    assert scores["tsr"] == 100
