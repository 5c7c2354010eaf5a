"""The page in a real browser: it draws, and asks the network for nothing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sealegs.reports.maze_page import render_maze_page
from sealegs.scoring.maze_metrics import maze_table
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.judged_maze import judge_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.page_material import build_page_material
from sealegs.traces.atomic_files import write_atomically
from tests import needs

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
]


@pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
def test_the_page_of_a_real_run_opens(tmp_path: Path) -> None:
    run_scripted_agent(MazeOptions(agent="retrier", limit=2), tmp_path / "logs", lambda done, total: None, jobs=1)
    run = judge_maze_run(tmp_path / "logs")
    results = list(run.results.values())
    file = tmp_path / "report.html"
    write_atomically(file, render_maze_page(build_page_material(run, maze_table(results, run.who), [])))
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert "retrier" in done.stdout
    assert done.stdout.count("<svg") > 5
    assert ":CONSOLE" not in done.stderr
