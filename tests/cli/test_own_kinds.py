"""A kind of fault of one's own in every verb: from a module in the current folder, and from an installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from sealegs.traces.store import read_episodes
from tests.adapters.mcp.piping import piped, text_of

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "stuck_clock"
MODULE = """
from typing import ClassVar
from sealegs.faults.kinds import Rewrite

class Emptied(Rewrite):
    implicit: ClassVar[bool] = True
    word: str = "nothing"
    def rewritten(self, value, setting):
        return {"only": self.word} if isinstance(value, dict) else self.word
"""
PLAN = """
name: emptied
rules:
  - {id: mine, match: {tool: "*"}, moment: after, fault: {kind: "my_faults:Emptied", word: gone}}
"""
TEST = """
import pytest
from sealegs import tool

@tool
def weather(city):
    return {"city": city}

@pytest.mark.faults("plan.yaml")
def test_file():
    assert weather("Oslo") == {"only": "gone"}

@pytest.mark.faults({"name": "x", "rules": [{"match": {"tool": "*"}, "fault": {"kind": "my_faults:Emptied"}}]})
def test_inline():
    assert weather("Oslo") == {"only": "nothing"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the module and a plan that names it."""
    (tmp_path / "my_faults.py").write_text(MODULE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment in which the example's package is installed, beside what is installed here."""
    target = tmp_path_factory.mktemp("stuck") / "site-packages"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(EXAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {**os.environ, "PYTHONPATH": str(target)}


def sealegs(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from sealegs.cli import main; main()", *arguments]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_plan_check(folder: Path) -> None:
    assert "sound, 1 rule(s)" in sealegs("plan", "check", "plan.yaml", cwd=folder).stdout
    (folder / "plan.yaml").write_text(PLAN.replace("Emptied", "Emptyed"))
    message = sealegs("plan", "check", "plan.yaml", cwd=folder, code=2).stderr
    assert "has no 'Emptyed'. Did you mean Emptied?" in message
    assert "Traceback" not in message


def test_run_with_several_processes_and_replay_of_its_records(folder: Path) -> None:
    run = ["run", "maze", "--agent", "naive", "--plan", "plan.yaml", "--limit", "2", "--levels", "C1"]
    sealegs(*run, "--jobs", "2", "--out", "out", cwd=folder)
    episodes = read_episodes(folder / "out" / "episodes.jsonl")
    injections = [event for episode in episodes for event in episode if event.type == "struck"]
    assert {(one.kind, one.rule) for one in injections} == {("my_faults:Emptied", "mine")}
    assert any(one.delivered for one in injections)
    command = ("replay", "out/episodes.jsonl", "--plan", "plan.yaml", "--records", "again.jsonl", "--timeout", "5")
    again = sealegs(*command, cwd=folder)
    assert "Traceback" not in again.stderr
    assert '"my_faults:Emptied"' in (folder / "again.jsonl").read_text()


def test_proxy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with piped(folder, None, "--plan", "plan.yaml") as faulted:
        assert "gone" in text_of(faulted.answer(1, "echo", price=1.0))


def test_pytest(folder: Path) -> None:
    (folder / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_a_package(installed: Mapping[str, str], tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        'name: old\nrules:\n  - {match: {tool: "*"}, moment: after, fault: {kind: stuck_clock, date: "2001-01-01"}}\n'
    )
    sealegs("plan", "check", "plan.yaml", cwd=tmp_path, env=installed)
    message = sealegs("plan", "check", "plan.yaml", cwd=tmp_path, code=2).stderr
    assert '"stuck_clock" is not a kind of fault' in message
    (tmp_path / "plan.yaml").write_text(
        'name: old\nrules:\n  - {match: {tool: "*"}, fault: {kind: stuck_clock, date: today}}\n'
    )
    message = sealegs("plan", "check", "plan.yaml", cwd=tmp_path, env=installed, code=2).stderr
    assert 'rules[0].fault.date: "today"' in message
