"""`sealegs run`: the main job, its numbers, and what it says to bad input."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.traces import EpisodeStarted
from sealegs.traces.store import read_episodes
from tests import needs

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]


def sealegs(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SEALEGS, *arguments], cwd=cwd, capture_output=True, text=True, timeout=1800)


def test_the_main_job(tmp_path: Path) -> None:
    done = sealegs("run", "maze", "--agent", "planner", "--limit", "2", "--json", "table.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    assert {row["metric"] for row in rows} >= {"tsr", "prr", "rc", "composite", "tsr_as_published", "prr_as_published"}
    assert all(
        set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n", "task_set"}
        for row in rows
    )
    cell = next(r for r in rows if (r["level"], r["mode"], r["metric"]) == ("C2", "P2", "tsr"))
    assert (cell["value"], cell["n"], cell["high"]) == (100.0, 2, 100.0)
    assert 0 < cell["low"] < 100
    whole = next(r for r in rows if (r["level"], r["mode"], r["metric"]) == ("all", "NP", "tsr"))
    assert (whole["value"], whole["n"]) == (100.0, 8)
    assert "TSR" in done.stdout
    assert "sealegs-logs" in done.stdout
    assert "Next, your own agent: " in done.stdout
    assert done.stderr.splitlines() == [f"planner on maze: {part} of 40" for part in (10, 20, 30, 40)]


def test_json_on_standard_output_is_nothing_but_json(tmp_path: Path) -> None:
    done = sealegs("run", "maze", "--agent", "naive", "--limit", "1", "--levels", "C1", "--json", "-", cwd=tmp_path)
    assert {row["level"] for row in json.loads(done.stdout)["rows"]} == {"C1", "all"}


def test_inspects_own_display_is_not_among_the_rows(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    words = ["--engine", "inspect", "--limit", "1", "--levels", "C1", "--modes", "NP", "--json", "-"]
    done = sealegs("run", "maze", "--agent", "planner", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"]
    assert "maze (1 sample)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "maze", "--agent", "planer"], ["'planer'", "planner"]),
        (["run", "maze", "--agent", "planner", "--levels", "C1,C7"], ["'C7'", "C1, C2, C3, C4"]),
        (["run", "maze", "--agent", "planner", "--modes", "p1"], ["'p1'", "P1"]),
        (["run", "maze", "--agent", "planner", "--prompt", "nice"], ["'nice'", "standard"]),
        (["run", "labyrinth", "--agent", "planner"], ["'labyrinth'", "maze"]),
        (["run", "maze"], ["neither is given"]),
        (["run", "maze", "--agent", "planner", "--model", "openai/gpt-5"], ["both are given"]),
        (["run", "maze", "--agent", "x", "--levels", "", "--modes", "Q"], ["'x'", "no level", "'Q'"]),
        (["run", "maze", "--model", "openai/gpt-5", "--limit", "1"], ["openai/gpt-5", "OPENAI_API_KEY"]),
        (["run", "maze", "--model", "nosuch/model", "--limit", "1"], ["nosuch/model"]),
        (["report", "nowhere"], ["nowhere"]),
        (["report", "empty"], ["empty", "*.jsonl"]),
        (["report", "damaged.jsonl"], ["damaged.jsonl", "line 1"]),
        (["report", "damaged.eval"], ["damaged.eval"]),
        (["plan", "check", "bad.yaml"], ["bad.yaml", "probability", "2.5", "eror"]),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "damaged.jsonl").write_text("not json\n{}\n")
    (tmp_path / "damaged.eval").write_bytes(b"PK no zip")
    rules = "name: x\nrules:\n- {match: {tool: a}, when: {probability: 2.5}, fault: {kind: eror}}\n"
    (tmp_path / "bad.yaml").write_text(rules)
    before = sorted(tmp_path.rglob("*"))
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    done = subprocess.run(
        [*SEALEGS, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=1800, env=environment
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_the_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    common = ["run", "maze", "--agent", "naive", "--levels", "C1", "--limit", "1", "--out", "here"]
    assert sealegs(*common, cwd=tmp_path).returncode == 0
    other = sealegs(*common, "--seed", "4", cwd=tmp_path)
    assert other.returncode == 2
    assert "seed was 0, is 4" in other.stderr


@pytest.mark.filterwarnings("ignore:.*was cut off and is left out")  # what a kill in the middle of writing leaves
def test_a_killed_run_goes_on_and_no_episode_is_lost_or_doubled(tmp_path: Path) -> None:
    command = [
        "run",
        "maze",
        "--agent",
        "retrier",
        "--out",
        "here",
        "--limit",
        "30",
        "--jobs",
        "1",
        "--json",
        "t.json",
    ]
    records = tmp_path / "here" / "episodes.jsonl"
    for size in (50_000, 500_000, 2_000_000):
        running = subprocess.Popen(
            [*SEALEGS, *command], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while running.poll() is None and not (records.exists() and records.stat().st_size > size):
            time.sleep(0.005)
        running.send_signal(signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL
        assert not (tmp_path / "t.json").exists()
    assert sealegs(*command, cwd=tmp_path).returncode == 0
    names = Counter(
        found[0].episode for found in map(list, read_episodes(records)) if isinstance(found[0], EpisodeStarted)
    )
    assert set(names.values()) == {1}
    assert len(names) == len(read_maze_run(tmp_path / "here").records) == 120 * 5


def test_ctrl_c_keeps_what_is_finished_and_says_so(tmp_path: Path) -> None:
    command = ["run", "maze", "--agent", "retrier", "--epochs", "100", "--out", "here", "--jobs", "2"]
    records = tmp_path / "here" / "episodes.jsonl"
    running = subprocess.Popen(
        [*SEALEGS, *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while running.poll() is None and not (records.exists() and records.stat().st_size > 1_000_000):
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=1800)
    assert running.returncode == 130
    assert "the same command resumes the run" in stderr
    assert "Traceback" not in stderr
    assert len(list(read_episodes(records))) > 50
