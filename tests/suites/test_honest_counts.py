"""Ways in which a run's figures could lie: half a run, the start of the process, differences that seem certain."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sealegs.engines.folders import RECORDS
from sealegs.engines.logs import SETTINGS
from sealegs.intervals.exact_shares import share_interval
from sealegs.scenarios.exchange.toolmaze_export import export_task
from sealegs.scenarios.exchange.toolmaze_format import read_task_forms
from sealegs.scenarios.scenario import Scenario
from sealegs.scoring.maze_metrics import paired_difference
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces.inspect_logs import samples, samples_planned
from tests import needs

FEW = MazeOptions(agent="planner", limit=1)  # 4 base tasks in 5 modes


def silent(done: int, total: int) -> None:
    return


def test_half_a_run_is_reported_as_half(tmp_path: Path) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    run_scripted_agent(FEW, whole, silent, jobs=1)
    assert read_maze_run(whole).warnings == ()
    half.mkdir()
    (half / SETTINGS).write_bytes((whole / SETTINGS).read_bytes())
    lines = (whole / RECORDS).read_text(encoding="utf-8").splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines, 1) if json.loads(line)["type"] == "ended"]
    (half / RECORDS).write_text("".join(lines[: ends[11]]), encoding="utf-8")
    found = read_maze_run(half)
    assert len(found.records) == 12
    (warning,) = found.warnings
    assert warning.startswith(f"{half}: 12 of 20 episodes are finished, and these alone are counted")
    run_scripted_agent(FEW, half, silent, jobs=1)
    assert read_maze_run(half).warnings == ()


@pytest.mark.slow
def test_half_a_run_of_inspect_is_reported_as_half(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    options = ["--agent", "planner", "--limit", "1", "--engine", "inspect", "--out", "run"]
    command = [sys.executable, "-m", "sealegs", "run", "maze", *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert read_maze_run(tmp_path / "run").warnings == ()
    (log,) = (tmp_path / "run").glob("*.eval")
    _, started = next(samples(log, []))
    assert samples_planned(started) == 20
    assert samples_planned({**started, "config": {"epochs": 3}}) == 60
    assert samples_planned({}) == 0
    data = json.loads((tmp_path / "run" / SETTINGS).read_text(encoding="utf-8"))
    (tmp_path / "run" / SETTINGS).write_text(json.dumps({**data, "episodes": 25}), encoding="utf-8")
    assert "20 of 25 episodes are finished" in " ".join(read_maze_run(tmp_path / "run").warnings)


@pytest.mark.slow
def test_neither_hash_seed_nor_processes_decide_anything(tmp_path: Path) -> None:
    found = []
    for hash_seed, jobs in (("1", "1"), ("2", "2")):
        name = f"run{hash_seed}"
        options = ["--agent", "planner", "--limit", "5", "--out", name, "--json", f"{name}.json", "--jobs", jobs]
        command = [sys.executable, "-m", "sealegs", "run", "maze", *options]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        records = read_maze_run(tmp_path / name).records
        found.append(((tmp_path / f"{name}.json").read_bytes(), {episode.id: records[episode] for episode in records}))
    assert found[0] == found[1]


def test_a_difference_that_is_alike_everywhere_is_not_certain(tmp_path: Path) -> None:
    runs = {}
    for agent in ("oracle", "naive"):
        settings = MazeOptions(agent=agent, limit=1, modes=("P1",))
        run_scripted_agent(settings, tmp_path / agent, silent, jobs=1)
        runs[agent] = read_maze_run(tmp_path / agent).results()
    (row,) = [r for r in paired_difference(runs["naive"], runs["oracle"], {}) if r["metric"] == "tsr_difference"]
    assert (row["value"], row["high"], row["n"]) == (100, 100, 4)
    unseen = 100 * share_interval(0, 1)[1] * math.sqrt(4) / 4  # one task of each of four levels
    assert row["low"] == round(100 - math.sqrt(2) * unseen, 2)  # alike, they say little of all
    (row,) = [r for r in paired_difference(runs["naive"], runs["naive"], {}) if r["metric"] == "tsr_difference"]
    assert row["value"] == 0
    assert row["low"] == -row["high"] == round(-unseen, 2)


def test_a_line_of_json_may_hold_any_separator(tmp_path: Path) -> None:
    form = json.loads(json.dumps(export_task(Scenario("c1-01", "NP"))))
    request = f"{form['user_input']}\u2028\x85"
    line = json.dumps({**form, "user_input": request}, ensure_ascii=False)
    (tmp_path / "tasks.jsonl").write_text(f"{line}\r\n\n", encoding="utf-8", newline="")
    (task,) = read_task_forms(tmp_path)
    assert task.user_input == request
