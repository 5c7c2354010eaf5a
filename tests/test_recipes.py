"""CONTRIBUTING's recipes, each done to the letter in a copy of the tree: the checks pass, and the new thing is there.

Frameworks are not here (each needs an environment of its own), nor is a suite, which `suites/test_tool_suite.py` makes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import needs

ROOT = Path(__file__).parent.parent
KIND = '''"""The answer comes in capitals."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sealegs.faults.kinds.fault import FaultSetting, Rewrite


class Shouted(Rewrite):
    """The tool runs; the agent sees every text of the answer in capitals."""

    implicit: ClassVar[bool] = True
    kind: Literal["shouted"] = "shouted"

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The loud answer."""
        if isinstance(value, dict):
            return {key: self.rewritten(item, setting) for key, item in value.items()}
        return value.upper() if isinstance(value, str) else value
'''
PAGE = """# `shouted`

*Implicit: it looks like data.* The tool runs. Every text of its answer is in capitals.

No parameters.

**Moments.** `after`: the tool did its work, and the changed answer is shown. `before`: the answer was made without the
effect, so what it reports was not done. `during`: a part was done (a tool with several effects).
See [plans](../plans.md#moments).

```yaml
match: {tool: search_*}
when: {first: 1}
fault: {kind: shouted}
```

**A good agent.** Reads capitals as it reads other letters.
"""
VERB = '''"""`sealegs wave`: wave."""

from __future__ import annotations

import typer


def wave() -> None:
    """Wave."""
    typer.echo("ahoy")
'''


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the checkout, as Git would give it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip(needs.reason("a Git checkout", "clone the repository with Git"))
    for name in listed.stdout.split("\0"):
        if name.startswith(("src/", "tests/", "docs/", "README", "pyproject")) and (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


def run(tree: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env: Mapping[str, str] = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"}
    return subprocess.run([sys.executable, "-m", *command], cwd=tree, env=env, capture_output=True, text=True)


def check(tree: Path, *command: str) -> str:
    done = run(tree, *command)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def check_tests(tree: Path, chosen: str, *paths: str) -> None:
    check(tree, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", chosen, *paths)


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(before) == 1, f"{file.name} holds {before!r} {text.count(before)} times"
    file.write_text(text.replace(before, after), "utf-8")


@pytest.mark.slow
def test_a_fault_kind(tree: Path) -> None:
    kinds, golden = tree / "src/sealegs/faults/kinds", tree / "tests/faults/golden"
    (kinds / "shouted.py").write_text(KIND, "utf-8")
    edit(
        kinds / "__init__.py",
        "from sealegs.faults.kinds.silent_noop import SilentNoop\n",
        "from sealegs.faults.kinds.shouted import Shouted\nfrom sealegs.faults.kinds.silent_noop import SilentNoop\n",
    )
    edit(kinds / "__init__.py", "    | Empty\n", "    | Empty\n    | Shouted\n")
    (tree / "docs/faults/shouted.md").write_text(PAGE, "utf-8")
    edit(tree / "docs/plans.md", "[empty](faults/empty.md),", "[empty](faults/empty.md), [shouted](faults/shouted.md),")
    (golden / "shouted.txt").write_text('fault: {"kind": "shouted"}\nsaid: {"city": "Oslo"}\n', "utf-8")
    check(tree, "tests.faults.golden")
    assert 'shown: {"value": {"city": "OSLO"}}' in (golden / "shouted.txt").read_text("utf-8")
    check_tests(tree, "not light", "tests/faults", "tests/test_layers.py")
    plan = tree / "plan.yaml"
    plan.write_text("name: loud\nrules:\n  - match: {tool: '*'}\n    fault: {kind: shouted}\n", "utf-8")
    check(tree, "sealegs.cli", "plan", "check", str(plan))


@pytest.mark.slow
def test_a_verb(tree: Path) -> None:
    (tree / "src/sealegs/cli/wave.py").write_text(VERB, "utf-8")
    start = tree / "src/sealegs/cli/__init__.py"
    edit(start, "    train,\n", "    train,\n    wave,\n")
    command = 'app.command("train")(train.train_command)\n'
    edit(start, command, command + 'app.command("wave")(wave.wave)\n')
    assert check(tree, "sealegs.cli", "wave") == "ahoy\n"
    check_tests(tree, "cli or name", "tests/test_layers.py", "tests/test_names.py")


@pytest.mark.slow
def test_a_metric(tree: Path) -> None:
    edit(
        tree / "src/sealegs/scoring/maze_metrics.py",
        "    COMPOSITE,\n)",
        '    Metric[MazeResult]("stopped", lambda r: r.verdict.stopped),\n    COMPOSITE,\n)',
    )
    rows = check(tree, "sealegs.cli", "run", "maze", "--agent", "naive", "--limit", "1", "--out", "run", "--json", "-")
    assert '"metric": "stopped"' in rows
    check_tests(tree, "metric", "tests/scoring")


@pytest.mark.slow
def test_a_simulated_tool(tree: Path) -> None:
    tool = '''

@simulated_tool(
    category="processor",
    answer=Doubled,
    examples=[{"number": 1}, {"number": 2}, {"number": 5}],
    refusals=[({"number": -1}, 422)],
    invariants=[
        Formula("twice", ("number",), lambda one: 2 * one, "it is twice the number"),
        Bounds("twice", minimum=0),
    ],
    echoes=("number",),
)
def double_number(world: World, number: Annotated[int, Field(ge=0, description="A number")]) -> dict[str, Any]:
    """Work out twice a number, as a till does for a second piece of the same thing."""
    return {"twice": 2 * number}
'''
    head = '''"""Doubling."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula
from sealegs.world.state import World
from sealegs.world.tool import Answer, simulated_tool


class Doubled(Answer):
    """A number and twice that number."""

    number: int = Field(description="The number")
    twice: int = Field(description="Twice the number")
'''
    (tree / "src/sealegs/world/general/zz_doubling.py").write_text(head + tool, "utf-8")
    assert ": 0 problem(s)" in check(tree, "sealegs.cli", "world", "check")
    assert "double_number" in check(tree, "sealegs.cli", "world", "list")
