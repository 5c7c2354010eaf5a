"""The GitHub Action: its script as the runner would start it, and that both agree on the names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests import needs

ROOT = Path(__file__).parent.parent.parent
AGENT = """
import sealegs

@sealegs.tool(effects=False)
def ask(): return 1

def naive(): return ask()

def careful():
    for _ in range(3):
        try:
            return ask()
        except Exception:
            pass

def wrong(): return ask() + 1

def fine(answer): return answer == 1
"""


@pytest.fixture
def job(tmp_path: Path) -> Path:
    if shutil.which("bash") is None:
        pytest.skip(needs.reason("bash", "install it"))
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "plan.yaml").write_text(
        "name: p\nrules:\n  - match: {tool: ask}\n    when: {first: 1}\n    fault: {kind: error, status: 503}\n"
    )
    return tmp_path


def run(job: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    settings = {f"SEALEGS_{name.upper()}": text for name, text in inputs.items()}
    runner = {
        "GITHUB_OUTPUT": str(job / "output"),
        "GITHUB_STEP_SUMMARY": str(job / "summary"),
        "RUNNER_TEMP": str(job / "temp"),
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", str(ROOT / "action.sh")],
        cwd=job,
        env={**os.environ, "PATH": path, **runner, **settings},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("agent", "code", "verdict", "annotation"),
    [
        ("careful", 0, "held", "::notice"),
        ("naive", 1, "weakness", "::error"),
        ("wrong", 0, "inconclusive", "::warning"),
    ],
)
def test_a_job_ends_as_the_verdict_says(job: Path, agent: str, code: int, verdict: str, annotation: str) -> None:
    given = {"check": "agent:fine", "fault_plan": "plan.yaml", "contracts": "same_call_at_most:3\n"}
    done = run(job, agent=f"agent:{agent}", **given)
    assert done.returncode == code, done.stdout + done.stderr
    assert f"verdict={verdict}" in (job / "output").read_text()
    assert f"{annotation} title=Sealegs test::" in done.stdout
    assert verdict.upper() in (job / "summary").read_text()
    report = job / "temp" / "sealegs-test"
    pages = ["runs/report.html"] if find_spec("jinja2") else []
    assert all((report / name).is_file() for name in ("junit.xml", "rows.json", *pages))


def test_inconclusive_may_fail_the_job(job: Path) -> None:
    done = run(job, agent="agent:wrong", check="agent:fine", fault_plan="plan.yaml", inconclusive="fail")
    assert done.returncode == 1


def test_a_mistake_ends_the_job_with_its_message(job: Path) -> None:
    done = run(job, agent="agent:nothing")
    assert done.returncode == 2
    assert "module agent has no 'nothing'" in done.stderr
    assert not (job / "output").exists()


def test_no_input_is_read_as_a_command(job: Path) -> None:
    run(job, agent="agent:careful; touch hacked $(touch hacked) `touch hacked`", check="$(touch hacked)")
    assert not (job / "hacked").exists()


def test_the_action_hands_over_what_the_script_reads() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][0]
    read = set(re.findall(r"SEALEGS_\w+", (ROOT / "action.sh").read_text("utf-8")))
    assert set(step["env"]) == read
    handed = {re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)[1] for text in step["env"].values()}  # type: ignore[index]
    assert handed == set(action["inputs"])
    assert "${{" not in step["run"]
