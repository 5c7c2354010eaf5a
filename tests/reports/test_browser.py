"""The page in a real browser: it draws, asks the network for nothing, and shows its heat maps whole on a phone."""

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
from tests.reports.browser_control import CHROMIUM, FLAGS, opened_page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
CLIPPED = """[...document.querySelectorAll(".heat")]
    .flatMap(map => [map.parentElement, ...map.querySelectorAll("span, b")])
    .filter(e => e.scrollWidth > e.clientWidth)
    .map(e => e.textContent)"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    run_scripted_agent(MazeOptions(agent="retrier", limit=2), tmp_path / "logs", lambda done, total: None, jobs=1)
    run = judge_maze_run(tmp_path / "logs")
    results = list(run.results.values())
    file = tmp_path / "report.html"
    write_atomically(file, render_maze_page(build_page_material(run, maze_table(results, run.who), [])))
    return file


def test_the_page_of_a_real_run_opens(report: Path, tmp_path: Path) -> None:
    flags = [*FLAGS, "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    command = [str(CHROMIUM), *flags, report.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert "retrier" in done.stdout
    assert done.stdout.count("<svg") > 5
    assert ":CONSOLE" not in done.stderr


@pytest.mark.parametrize("width", [320, 400, 900, 1400])
async def test_heat_maps_are_shown_whole(report: Path, tmp_path: Path, width: int) -> None:
    async with opened_page(report, tmp_path / "profile") as page:
        await page.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        assert await page.value("document.querySelectorAll('.heat td b').length") > 50
        assert await page.value(CLIPPED) == []
