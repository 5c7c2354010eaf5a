"""`sealegs test` as a user runs it: exit codes, what it prints and writes, several processes, and being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests import needs
from tests.reports.test_browser import CHROMIUM, FLAGS

COMMAND = [sys.executable, "-m", "sealegs", "test"]
AGENT = """
import os, time
from pathlib import Path
from sealegs import tool

@tool(effects=False)
def price(item): return {"item": item, "price": 12}

def naive(input): return f"{price(input)['price']}"

def careful(input):
    for _ in range(3):
        try:
            if price(input)["price"] == price(input)["price"] == 12:
                return "12"
        except Exception:
            pass

def slow(input):
    with Path("begun").open("a") as file: file.write("x")
    time.sleep(0.1)
    return careful(input)

def hostile(input): return "<script>alert(1)</script>\\x00\\ud800"

def fine(answer): return answer == "12"
"""
PLAN = "name: p\nrules:\n  - match: {tool: price}\n    when: {first: 1}\n    fault: {kind: error, status: 503}\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words, "--input", "pen"], cwd=place, capture_output=True, text=True)


def rows(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["rows"]
    return found


@pytest.mark.parametrize(
    ("agent", "code", "word"), [("careful", 0, "HELD"), ("naive", 1, "WEAKNESS FOUND"), ("hostile", 3, "INCONCLUSIVE")]
)
def test_the_exit_code_is_the_verdict(place: Path, agent: str, code: int, word: str) -> None:
    done = run(place, f"agent:{agent}", "--check", "agent:fine", "--plan", "plan.yaml", "--junit", "junit.xml")
    assert done.returncode == code, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"{word}: ")
    suite = ElementTree.parse(place / "junit.xml").getroot()[0]
    assert int(suite.attrib["tests"]) == len(suite)
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    verdict = suite.findall("testcase")[-1]
    assert [child.tag for child in verdict] == {0: [], 1: ["failure"], 3: ["skipped"]}[code]
    page = place / "sealegs-test" / f"agent-{agent}" / "report.html"
    assert page.exists() == (find_spec("jinja2") is not None)
    assert not page.exists() or "<script>alert" not in page.read_text("utf-8")


def test_only_the_table_goes_to_standard_output(place: Path) -> None:
    done = run(place, "agent:careful", "--check", "agent:fine", "--plan", "plan.yaml", "--json", "-")
    table = rows(done.stdout)
    assert {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"} == set(table[0])
    assert {row["suite"] for row in table} == {"test"}
    assert "without faults it passed 20 of 20" in done.stderr


def test_several_processes_find_the_same(place: Path) -> None:
    words = ("agent:careful", "--check", "agent:fine", "--all", "--json", "-")
    one, two = (run(place, *words, "--jobs", jobs, "--out", f"out-{jobs}") for jobs in ("1", "2"))
    assert (one.returncode, rows(one.stdout)) == (two.returncode, rows(two.stdout))


def test_a_killed_experiment_is_resumed(place: Path) -> None:
    words = ("agent:slow", "--check", "agent:fine", "--plan", "plan.yaml")
    command = [*COMMAND, *words, "--input", "pen"]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = place / "sealegs-test" / "agent-slow" / "episodes.jsonl"
    while not (kept.exists() and kept.read_text().count('"ended"') >= 4):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before, begun = kept.read_text().count('"type": "ended"'), len((place / "begun").read_text())
    assert before >= 4
    done = run(place, *words)
    assert done.returncode == 0, done.stderr
    assert f"{before} runs that had ended are kept" in done.stderr
    assert len((place / "begun").read_text()) == begun + 40 - before, "no run is made twice"


def test_an_interrupt_says_what_is_kept(place: Path) -> None:
    command = [*COMMAND, "agent:slow", "--check", "agent:fine", "--input", "pen"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True, env=environment)
    while not (place / "begun").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "every finished run is kept" in stderr
    assert "Traceback" not in stderr


def test_a_breakdown_of_ours_is_no_verdict(place: Path) -> None:
    broken = "import sealegs.scoring.experiment_metrics as m; m.experiment_rows = None\n"
    words = ["test", "agent:careful", "--plan", "plan.yaml", "--input", "pen", "--runs", "1"]
    program = f"{broken}import sys; sys.argv = {['sealegs', *words]!r}\nfrom sealegs.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", program], cwd=place, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (70, True), done.stderr


@pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
def test_the_page_opens(place: Path) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))
    run(place, "agent:naive", "--check", "agent:fine", "--plan", "plan.yaml")
    file = place / "sealegs-test" / "agent-naive" / "report.html"
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={place / 'profile'}", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert "Weakness found" in done.stdout
    assert done.stdout.count('class="card run"') == 8
    assert ":CONSOLE" not in done.stderr
