"""`sealegs check` as a user runs it: exit codes, what it prints and writes, being killed, and its report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.experiments import check_agents

COMMAND = [sys.executable, "-m", "sealegs"]
WORDS = ["--tools", "shop:TOOLS", "--effects", "refund", "--same", "exchange_rate,fx_quote", "--reset", "shop:reset"]
ARGUMENTS = [*WORDS, "--task", check_agents.TASK]
SLOW = """

import time

def slow(request, tools):
    with open("begun", "a") as file:
        file.write("x")
    time.sleep(0.1)
    return careful(request, tools)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(Path(check_agents.__file__).read_text() + SLOW)
    return tmp_path


def sealegs(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], cwd=place, capture_output=True, text=True)


def test_the_exit_code_is_the_verdict(place: Path) -> None:
    held = sealegs(place, "check", "shop:careful", *ARGUMENTS, "--json", "rows.json", "--junit", "runs.xml")
    assert held.returncode == 0, held.stderr
    assert held.stdout.splitlines()[-1].startswith("HELD: 10 of 10 runs under faults were right")
    assert json.loads((place / "rows.json").read_text())["verdict"] == "held"
    assert ElementTree.parse(place / "runs.xml").getroot().find("testsuite") is not None
    assert (place / "sealegs-check" / "shop-careful" / "report.html").exists() is bool(find_spec("jinja2"))
    weak = sealegs(place, "check", "shop:naive", *ARGUMENTS, "--json", "-")
    assert weak.returncode == 1
    assert json.loads(weak.stdout)["failures"][0]["mode"] == "P1"


def test_a_killed_check_is_resumed(place: Path) -> None:
    running = subprocess.Popen(
        [*COMMAND, "check", "shop:slow", *ARGUMENTS], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    begun = place / "begun"
    while not begun.exists() or len(begun.read_text()) < 6:
        assert running.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    before = len(begun.read_text())
    again = sealegs(place, "check", "shop:slow", *ARGUMENTS)
    assert again.returncode == 0, again.stderr
    # Two runs to learn from, three without faults, ten under faults; the one that was under way is made again.
    assert len(begun.read_text()) <= 15 + 1
    assert len(begun.read_text()) - before <= 15 - 5 + 1
    if find_spec("jinja2"):
        report = sealegs(place, "report", "sealegs-check/shop-slow")
        assert report.returncode == 0, report.stderr
        assert "HELD: 10 of 10 runs" in report.stdout
        assert "left out: P3 on refund" in report.stdout
