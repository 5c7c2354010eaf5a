"""CONTRIBUTING's recipes, each done to the letter in a copy of the tree: the checks pass, and the new thing is there.

The files of the new things are in `recipes/`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import needs

ROOT = Path(__file__).parent.parent
MADE = Path(__file__).parent / "recipes"
DATA = "src/sealegs/training/data"
PLAN = "policies: [retry, apologise]\n"
SORRY = """
from sealegs import Session, wrap
from sealegs.recovery.recovery_plan import read_recovery_plan


def price() -> float:
    raise PermissionError("closed")


try:
    wrap({"price": price}, Session(layers=[read_recovery_plan("recovery.yaml").layer()]))["price"]()
except PermissionError as error:
    print(error)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the checkout, as Git would give it."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip(needs.reason("a Git checkout", "clone the repository with Git"))
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


def check_script(tree: Path, *command: str) -> str:
    """What Python prints when it runs this in the tree, which must not fail."""
    places = os.pathsep.join(str(place) for place in (tree / "src", tree, tree / "installed"))
    env: Mapping[str, str] = {**os.environ, "PYTHONPATH": places}
    done = subprocess.run([sys.executable, *command], cwd=tree, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def check(tree: Path, *command: str) -> str:
    return check_script(tree, "-m", *command)


def check_tests(tree: Path, chosen: str, *paths: str) -> None:
    check(tree, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", chosen, *paths)


def put(made: str, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(MADE / made, place)


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(before) == 1, f"{file.name} holds {before!r} {text.count(before)} times"
    file.write_text(text.replace(before, after), "utf-8")


def count(file: Path, before: str, *more: int) -> None:
    """Raise the numbers of a text on a page, each by so much, wherever the page breaks its lines."""
    steps = iter(more)
    words = r"\s+".join(re.escape(word) for word in before.split())
    found = re.findall(words, file.read_text("utf-8"))
    assert len(found) == 1, f"{file.name} holds {before!r} {len(found)} times"
    edit(file, found[0], re.sub(r"(?<![-\d])\d+(?![-\d])", lambda number: str(int(number[0]) + next(steps)), found[0]))


def test_every_recipe_is_followed() -> None:
    recipes = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("**Adding**\n")[2].partition("\n\n")[0]
    things = re.findall(r"^- (an? [a-z ]+):", recipes, re.MULTILINE)
    assert len(things) == recipes.count("\n- ") + 1 == 10
    followed = {f"test_{thing.replace(' ', '_')}" for thing in things}
    assert followed <= globals().keys(), followed - globals().keys()


@pytest.mark.slow
def test_a_fault_kind(tree: Path) -> None:
    kinds, golden = tree / "src/sealegs/faults/kinds", tree / "tests/faults/golden"
    put("shouted.py", kinds / "shouted.py")
    line = "    from sealegs.faults.kinds.silent_noop import SilentNoop as SilentNoop\n"
    edit(kinds / "__init__.py", line, f"    from sealegs.faults.kinds.shouted import Shouted as Shouted\n{line}")
    put("shouted.md", tree / "docs/faults/shouted.md")
    check_script(tree, "docs_site/llms.py")
    (golden / "shouted.txt").write_text('fault: {"kind": "shouted"}\nsaid: {"city": "Oslo"}\n', "utf-8")
    check(tree, "tests.faults.golden")
    assert 'shown: {"value": {"city": "OSLO"}}' in (golden / "shouted.txt").read_text("utf-8")
    of_kinds = "shouted or kind or golden or docs or pages"
    check_tests(tree, of_kinds, "tests/faults", "tests/test_layers.py", "tests/docs/test_pages.py")
    plan = tree / "plan.yaml"
    plan.write_text("name: loud\nrules:\n  - match: {tool: '*'}\n    fault: {kind: shouted}\n", "utf-8")
    check(tree, "sealegs", "plan", "check", str(plan))


@pytest.mark.slow
def test_a_verb(tree: Path) -> None:
    put("wave.py", tree / "src/sealegs/cli/verbs/wave.py")
    assert check(tree, "sealegs", "wave") == "ahoy\n"
    check_tests(tree, "cli or name", "tests/test_layers.py", "tests/test_names.py")


@pytest.mark.slow
def test_a_metric(tree: Path) -> None:
    edit(
        tree / "src/sealegs/scoring/maze_metrics.py",
        "    COMPOSITE,\n)",
        '    Metric[MazeResult]("stopped", lambda r: r.verdict.stopped),\n    COMPOSITE,\n)',
    )
    rows = check(tree, "sealegs", "run", "maze", "--agent", "naive", "--limit", "1", "--out", "run", "--json", "-")
    assert '"metric": "stopped"' in rows
    check_tests(tree, "metric", "tests/scoring")


def counted(tree: Path, tools: int, groups: int, histories: int, *categories: int) -> None:
    """Make the pages count these more: tools, groups, history tools; actions, sources and processors."""
    maze = tree / "docs/maze.md"
    kinds = "| 1-to-1, 1-to-n, n-to-n groups | 44, 26, 56 |"
    count(tree / "docs/world.md", "(272 tools, 126 groups, and another 30 history tools)", tools, groups, histories)
    count(maze, "on 272 simulated tools of", tools)
    count(maze, "| tools, alternative groups | 272, 126 |", tools, groups)
    count(maze, "| action, source, processor tools | 124, 80, 68 |", *categories)
    if groups:
        count(maze, kinds, 0, groups, 0)


@pytest.mark.slow
def test_a_simulated_tool(tree: Path) -> None:
    put("doubling.py", tree / "src/sealegs/world/general/zz_doubling.py")
    assert ": 0 problem(s)" in check(tree, "sealegs", "world", "check")
    assert "double_number" in check(tree, "sealegs", "world", "list")
    counted(tree, 1, 0, 0, 0, 0, 1)
    check_tests(tree, "double_number or ships", "tests/world/test_corpus.py")


@pytest.mark.slow
def test_a_domain(tree: Path) -> None:
    garden = tree / "src/sealegs/world/garden"
    put("beds.py", garden / "beds.py")
    (garden / "__init__.py").write_text('"""Garden: the beds of a community garden and its rain tank."""\n', "utf-8")
    put("groups.txt", garden / "groups.txt")
    assert ": 0 problem(s)" in check(tree, "sealegs", "world", "check")
    found = check(tree, "sealegs", "world", "list", "garden")
    assert re.findall(r"^(?:group )?(\w+)[( ]", found, re.MULTILINE) == [
        "irrigate_bed", "water_bed", "watering_need", "watering_history", "bed_watered",
    ]  # fmt: skip
    counted(tree, 3, 1, 1, 2, 1, 0)
    tools = "garden or bed or watering or domain or ships"
    check_tests(tree, tools, "tests/world/test_corpus.py", "tests/world/test_group_text.py", "tests/test_layers.py")
    check_tests(tree, "balanced or name", "tests/generate/test_staged.py", "tests/test_names.py")


@pytest.mark.slow
def test_a_task(tree: Path) -> None:
    put("task.yaml", tree / "src/sealegs/scenarios/shipped_tasks/c1/101.yaml")
    check(tree, "sealegs.scenarios.implicit_table")
    check(tree, "sealegs.scenarios.ladder_table")
    check_tests(tree, "c1-101", "tests/scenarios")


@pytest.mark.slow
def test_a_suite(tree: Path) -> None:
    package = str(tree / "examples/shelf_suite")
    check(tree, "pip", "install", "-q", "--no-deps", "--target", str(tree / "installed"), package)
    rows = check(tree, "sealegs", "run", "shelf", "--agent", "careful", "--limit", "1", "--out", "run", "--json", "-")
    assert '"suite": "shelf"' in rows
    check(tree, "sealegs", "report", "run")


@pytest.mark.slow
def test_a_recovery_policy(tree: Path) -> None:
    recovery = tree / "src/sealegs/recovery"
    put("apologise.py", recovery / "policies/apologise.py")
    line = "from sealegs.recovery.policies.completion_check import Check\n"
    edit(recovery / "plan_policies.py", line, f"from sealegs.recovery.policies.apologise import Apologise\n{line}")
    edit(
        recovery / "plan_policies.py",
        '    "advise": ',
        '    "apologise": NamedPolicy(lambda settings, plan: Apologise()),\n    "advise": ',
    )
    (tree / "recovery.yaml").write_text(PLAN, "utf-8")
    (tree / "sorry.py").write_text(SORRY, "utf-8")
    assert check(tree, "sorry").split("\n")[-2] == "We are sorry."
    check_tests(
        tree, "plan or apologise or name", "tests/recovery/test_plan.py", "tests/test_layers.py", "tests/test_names.py"
    )


@pytest.mark.slow
def test_an_exporter_of_training_rows(tree: Path) -> None:
    pytest.importorskip("pyarrow", reason=needs.module("pyarrow"))
    put("transcript_rows.py", tree / DATA / "exporters/transcript_rows.py")
    for kind in ("jsonl", "parquet"):
        formats = ("--row-format", "transcript", "--file-format", kind)
        check(tree, "sealegs", "data", "make", "default", "-n", "25", *formats, "--out", kind)
        assert ", 0 problems." in check(tree, "sealegs", "data", "check", kind)
    assert '"transcript": "{' in next((tree / "jsonl/data").glob("train-*")).read_text("utf-8")
    check_tests(tree, "transcript or name", "tests/test_layers.py", "tests/test_names.py")


@pytest.mark.slow
def test_a_framework(tree: Path) -> None:
    """The framework is installed beside the package, and the kit runs in this environment rather than in one of nox."""
    put("skiff/framework.py", tree / "src/skiff/__init__.py")
    about = tree / "src/skiff-1.0.dist-info/METADATA"
    about.parent.mkdir()
    about.write_text("Metadata-Version: 2.1\nName: skiff\nVersion: 1.0\n", "utf-8")
    entry = '    Framework("Skiff", "skiff", ("skiff",), ("skiff",), "skiff", ("sail(model, wrap(tools))",)),\n'
    inspect = '    Framework("Inspect AI", '
    edit(tree / "src/sealegs/adapters/frameworks.py", inspect, entry + inspect)
    put("skiff/adapter.py", tree / "src/sealegs/adapters/skiff.py")
    put("skiff/harness.py", tree / "tests/adapters/frameworks/skiff.py")
    edit(tree / "pyproject.toml", "smolagents = [", 'skiff = ["skiff>=1,<2"]\nsmolagents = [')
    (tree / "boat").mkdir()
    (tree / "boat/agent.py").write_text("import skiff\n", "utf-8")
    assert "found: Skiff" in check(tree, "sealegs", "init", "boat")
    assert "adapter(skiff)" in check(tree, "nox", "--list")
    (tree / "build/adapters").mkdir(parents=True)
    output = check(tree, "tests.adapters.frameworks.suite", "skiff", "--json", "build/adapters/skiff.json")
    assert "passed  value_replaced" in output
    check(tree, "tests.adapters.frameworks.table", "build/adapters")
    page = (tree / "docs/adapters.md").read_text("utf-8")
    assert "| Skiff | `sail(model, wrap(tools))` | `skiff` |" in page
    assert "| Skiff | `skiff` 1.0 | sync | 14 of 14 | " in page
    check_tests(
        tree, "docs or skiff or name", "tests/adapters/test_frameworks.py", "tests/adapters/test_frameworks_docs.py",
        "tests/test_layers.py", "tests/test_names.py",
    )  # fmt: skip
