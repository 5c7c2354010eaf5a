"""`sealegs maze`: one run of each command, and what it says to bad input."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sealegs.scenarios import LEVELS
from sealegs.world.corpus import load_corpus
from tests import needs
from tests.cli.test_run import SEALEGS, sealegs


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    done = sealegs("run", "maze", "--agent", "retrier", "--limit", "1", "--out", "logs", cwd=folder)
    assert done.returncode == 0, done.stderr
    done = sealegs("maze", "export", "--out", "out", "--logs", "logs", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_export_then_judge(run: Path) -> None:
    done = sealegs("maze", "judge", "out/tasks", "out/traces", "--json", "-", cwd=run)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert len(rows) == 20
    assert {frozenset(row) for row in rows} == {frozenset({"task_id", "mode", "as_published", "strict", "reason"})}
    strict = {(row["task_id"], row["mode"]): row["strict"] for row in rows}
    assert all(strict[f"{level.lower()}-01", "NP"] for level in LEVELS)
    assert not any(strict[f"{level.lower()}-01", "P4"] for level in LEVELS)
    table = sealegs("maze", "judge", "out/tasks", "out/traces", cwd=run).stdout
    assert f"20 traces: {sum(r['as_published'] for r in rows)} successes as published" in table


def test_import_then_run(run: Path) -> None:
    done = sealegs("maze", "import", "out/tasks", "--out", "own", cwd=run)
    assert done.returncode == 0, done.stderr
    assert "4 tasks imported into own, 0 left out." in done.stdout
    done = sealegs("run", "maze", "--tasks", "own", "--agent", "planner", "--json", "-", cwd=run)
    rows = json.loads(done.stdout)["rows"]
    whole = next(r for r in rows if (r["level"], r["mode"], r["metric"]) == ("all", "all", "tsr"))
    assert (whole["value"], whole["n"]) == (100.0, 20)
    report = sealegs("report", "sealegs-logs/maze-planner-own", "--json", "-", cwd=run)
    assert json.loads(report.stdout)["rows"] == rows


def test_generate_then_run(tmp_path: Path) -> None:
    done = sealegs("maze", "generate", "--out", "more", "-n", "2", "--levels", "C1,C2", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert next(r["value"] for r in rows if (r["level"], r["metric"]) == ("all", "accepted")) == 4
    done = sealegs("run", "maze", "--tasks", "more", "--agent", "oracle", "--json", "-", cwd=tmp_path)
    rows = json.loads(done.stdout)["rows"]
    assert next(r["value"] for r in rows if (r["level"], r["mode"], r["metric"]) == ("all", "all", "tsr")) == 100.0


def test_report_against_the_published_models(run: Path) -> None:
    done = sealegs("report", "logs", "--against", "toolmaze", "--json", "published.json", cwd=run)
    assert done.returncode == 0, done.stderr
    assert "GPT-5.5" in done.stdout
    assert "retrier (published judge)" in done.stdout
    assert "Shapes can be compared, ranks with care" in " ".join(done.stdout.split())
    rows = json.loads((run / "published.json").read_text())["rows"]
    theirs = [row for row in rows if row["suite"] == "toolmaze"]
    cell = next(r for r in theirs if (r.get("model"), r["mode"], r["metric"]) == ("GPT-5.5", "P1", "tsr"))
    assert cell["value"] == 67.25


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("maze", "import", "nowhere"), "there is no folder nowhere"),
        (("maze", "judge", "nowhere", "nowhere"), "there is no folder nowhere"),
        (("maze", "generate", "--out", "x", "--method", "magic"), "unknown method 'magic': choose from rules, model"),
        (("maze", "generate", "--out", "x", "--method", "model"), "--method model needs a model"),
        (("maze", "generate", "--out", "x", "--levels", "C9,"), "unknown level 'C9'"),
        (("maze", "generate", "--out", "x", "--model", "openai/gpt-5"), "--method rules asks no model"),
        (("run", "maze", "--agent", "planner", "--tasks", "nowhere"), "nowhere holds no tasks.jsonl"),
    ],
)
def test_bad_input_is_one_message(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done: subprocess.CompletedProcess[str] = sealegs(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_stats(tmp_path: Path) -> None:
    done = sealegs("maze", "stats", "--json", "stats.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "stats.json").read_text())
    assert (found["tools"] >= 270, found["groups"] >= 126, found["tasks"]) == (True, True, 400)
    near = {part: found["published"]["corpus"][part] for part in ("category", "domain", "group")}
    ours = {"category": found["categories"], "domain": found["domains"], "group": found["kinds"]}
    for part, names in near.items():
        for name, count in names.items():
            assert abs(ours[part][name] - count) <= 0.05 * count, name
    for figure, published in found["published"]["levels"].items():
        for level, value in published.items():
            own = found["levels"][figure][level]
            if "path length" in figure:
                assert abs(own - value) <= 0.1 * value, (figure, level)
            elif figure.startswith("valid paths"):
                assert own >= value, (figure, level)
            elif figure.startswith("mean Jaccard"):
                assert own <= value, (figure, level)
    assert found["retrieval"]["share"] >= 90
    assert found["rows"]
    assert "average path length" in done.stdout
    every = load_corpus().tools
    histories = {tool.spec.shown_by for tool in every.values() if tool.spec.effects}
    assert "" not in histories, "an action's effect cannot be seen"
    assert found["history_tools"] == len(histories)
    assert found["tools"] == len(every.keys() - histories), "history tools are counted apart"
    assert f"{len(histories)} history tools, which show what the actions did, are kept apart" in done.stdout


def alive_in(session: int) -> list[int]:
    """The processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason=needs.PROC)
def test_a_killed_run_leaves_no_process_behind(tmp_path: Path) -> None:
    command = [*SEALEGS, "maze", "generate", "--out", "more", "-n", "5000", "--levels", "C1", "--jobs", "2"]
    run = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        journal = tmp_path / "more" / "journal.jsonl"
        assert eventually(lambda: journal.exists() and len(journal.read_bytes().splitlines()) > 2)
        assert len(alive_in(run.pid)) > 2
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        assert eventually(lambda: alive_in(run.pid) == [])
    finally:
        for left in alive_in(run.pid):
            os.kill(left, signal.SIGKILL)


def eventually(holds: Callable[[], bool], seconds: float = 60) -> bool:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()
