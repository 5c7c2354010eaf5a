"""Every skip says what is missing and how to get it, wherever it is written."""

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs

TESTS = Path(__file__).parent
MADE = ("needs.", "f'{needs.", 'f"{needs.')
SKIPS = {"pytest.skip": 0, "pytest.mark.skipif": None, "pytest.importorskip": None}  # where the reason may stand
SUMMARY = """\
4 skipped:
     3 needs chromium: apt-get install chromium
     1 needs sqlglot: pip install 'sealegs[highwater]'"""


def skips(file: Path) -> Iterator[tuple[int, ast.expr | None]]:
    """The lines of a file that skip, and each one's reason."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in SKIPS:
            place = SKIPS[name]
            named = {one.arg: one.value for one in node.keywords}
            yield node.lineno, node.args[place] if place is not None and node.args else named.get("reason")


def test_every_reason_is_made_by_needs() -> None:
    wrong = [
        f"{file.relative_to(TESTS)}:{line}"
        for file in TESTS.rglob("*.py")
        for line, reason in skips(file)
        if reason is None or not ast.unparse(reason).startswith(MADE)
    ]
    assert not wrong, wrong


def test_every_reason_names_a_remedy() -> None:
    constants = [value for name, value in vars(needs).items() if name.isupper() and isinstance(value, str)]
    assert len(constants) > 10
    assert needs.vague([*constants, *map(needs.module, needs.EXTRAS), needs.framework("crewai")]) == []


def test_every_extra_exists() -> None:
    project = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(needs.EXTRAS.values()) <= set(project["optional-dependencies"])


def test_the_summary_counts_by_what_is_missing() -> None:
    reasons = [needs.CHROMIUM, needs.module("sqlglot"), needs.CHROMIUM, needs.CHROMIUM]
    assert "\n".join(needs.summary(reasons)) == SUMMARY
    assert list(needs.summary([])) == []


@pytest.mark.parametrize("reason", ["no chromium here", "needs chromium", "needs chromium: ", "could not import 'x'"])
def test_a_reason_without_a_remedy_is_found(reason: str) -> None:
    assert needs.vague([needs.CHROMIUM, reason]) == [reason]


def test_a_run_with_such_a_skip_fails(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import pytest\n\ndef test_it():\n    pytest.skip('not today')\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "test_it.py"]
    path = os.pathsep.join([str(TESTS.parent), *sys.path])
    run = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    assert "a skip names no remedy (see tests/needs.py): not today" in run.stdout
