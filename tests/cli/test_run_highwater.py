"""`sealegs run highwater` and `sealegs report`: the main job, its numbers, and what they say to bad input."""

import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from sealegs.sandbox import find_isolation
from sealegs.suites.highwater.highwater_logs import read_highwater_run
from sealegs.traces import EpisodeStarted
from sealegs.traces.store import read_episodes
from tests import needs
from tests.cli.test_run import SEALEGS, sealegs

KEYS = {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n", "task_set"}


def test_the_main_job_and_its_report(tmp_path: Path) -> None:
    done = sealegs("run", "highwater", "--agent", "planner", "--limit", "6", "--json", "table.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Accuracy" in done.stdout
    assert "After the first refusal" in done.stdout
    rows = json.loads((tmp_path / "table.json").read_text())["rows"]
    assert all(set(row) == KEYS for row in rows)
    cell = {(row["mode"], row["metric"]): row for row in rows}
    assert cell["no errors", "accuracy"]["n"] == cell["external errors", "accuracy"]["n"] == 6
    assert cell["all", "accuracy_drop"]["n"] == 6
    again = sealegs("run", "highwater", "--agent", "planner", "--limit", "6", "--json", "-", cwd=tmp_path)
    assert json.loads(again.stdout)["rows"] == rows  # nothing was played twice
    folder = tmp_path / "sealegs-logs" / next(path.name for path in (tmp_path / "sealegs-logs").iterdir())
    assert len(read_highwater_run(folder).records) == 12
    for distractors in ("0", "9"):
        logs = tmp_path / "sealegs-logs" / f"closed-{distractors}"
        more = ["--setting", "closed", "--distractors", distractors, "--interface", "calls", "--out", str(logs)]
        done = sealegs("run", "highwater", "--agent", "naive", "--limit", "4", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    reported = sealegs("report", "sealegs-logs", "--against", "hohw", "--json", "all.json", cwd=tmp_path)
    assert reported.returncode == 0, reported.stderr
    assert "Gemini" in reported.stdout  # the rest of the name may stand on the next line
    page = (tmp_path / "sealegs-logs" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "naive, closed 9" in page
    assert "Accuracy by number of distractors" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")
    assert {row["level"] for row in json.loads((tmp_path / "all.json").read_text())["rows"]} == {
        "open",
        "closed 0",
        "closed 9",
    }


def test_a_plan_of_ones_own(tmp_path: Path) -> None:
    rules = "- {match: {tool: search_tools}, when: {first: 1}, fault: {kind: error, status: 503}}"
    (tmp_path / "plan.yaml").write_text(f"name: search is down\nrules:\n{rules}\n")
    options = ["--plan", "plan.yaml", "--limit", "3", "--interface", "calls", "--json", "-", "--out", "here"]
    done = sealegs("run", "highwater", "--agent", "planner", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {row["mode"] for row in rows} == {"plan"}
    assert next(row["value"] for row in rows if row["metric"] == "exposed") == 100
    assert next(row["value"] for row in rows if row["metric"] == "accuracy") == 0  # the planner searches once


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["--agent", "planer", "--setting", "opn", "--errors", "maybe"], ["'planer'", "planner", "'opn'", "'maybe'"]),
        (["--agent", "retrier"], ["'retrier'", "oracle"]),
        (
            ["--agent", "naive", "--levels", "C1"],
            ["--levels is not an option of highwater (it belongs to maze)"],
        ),
        (["--agent", "naive", "--data", "nowhere"], ["nowhere", "sealegs highwater build"]),
        (["--agent", "naive", "--split", "train"], ["'train'", "validation"]),
        (["--agent", "naive", "--plan", "idle.yaml"], ["'rule-1'", "no function of highwater"]),
        (["--agent", "naive", "--search", "no-such-model"], ["no-such-model"]),
        (["--agent", "naive", "--sandbox", "nosuch"], ["'nosuch' not recognized", "docker"]),
        (["--agent", "naive", "--sandbox", "docker:none.yaml"], ["no file none.yaml"]),
        (["--agent", "naive", "--sandbox", "docker", "--engine", "direct"], ["leave --engine out"]),
        (["--agent", "naive", "--sandbox", "local"], ["--allow-weak-sandbox"]),
        ([], ["neither is given"]),
        (["--model", "openai/gpt-5", "--interface", "calls"], ["calls is for scripted agents"]),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path, arguments: list[str], messages: list[str]) -> None:
    (tmp_path / "idle.yaml").write_text("name: x\nrules:\n- {match: {tool: book_flight}, fault: {kind: empty}}\n")
    done = sealegs("run", "highwater", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for words in messages:
        assert words in done.stderr
    assert not (tmp_path / "sealegs-logs").exists()


def test_an_option_of_highwater_is_refused_for_maze(tmp_path: Path) -> None:
    done = sealegs("run", "maze", "--agent", "naive", "--hints", "--errors", "on", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "sealegs: --hints is not an option of maze (it belongs to highwater); remove it\n"


def test_other_functions_are_not_judged_by_these(tmp_path: Path) -> None:
    options = ["--limit", "1", "--interface", "calls", "--errors", "off", "--out", "here"]
    assert sealegs("run", "highwater", "--agent", "naive", *options, cwd=tmp_path).returncode == 0
    file = tmp_path / "here" / "episodes.jsonl"
    file.write_text(re.sub(r'("task_set": ?"2-A:)', r"\g<1>0", file.read_text()))
    done = sealegs("report", "here", cwd=tmp_path)
    assert done.returncode == 2
    assert "was played on the task set 2-A:0" in done.stderr


Process = tuple[int, str]
"""A process: its id, and when it began, so that another one with the same id is not taken for it."""


def family(pid: int) -> dict[Process, bytes]:
    """All processes that come from this one, and the command of each."""
    children: dict[int, list[Process]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := fields(int(entry.name))):
            children.setdefault(int(stat[1]), []).append((int(entry.name), stat[19]))
    found, left = [], [pid]
    while left:
        found += (more := children.get(left.pop(), []))
        left += [one for one, _ in more]
    return {one: command(one[0]) for one in found}


def fields(pid: int) -> list[str]:
    """What Linux tells of a process, from its state on; nothing of one that has ended."""
    try:
        found = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
    return [] if found[0] == "Z" else found


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def living(family: dict[Process, bytes]) -> list[bytes]:
    return [line for (pid, began), line in family.items() if (stat := fields(pid)) and stat[19] == began]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*was cut off and is left out")  # what a kill in the middle of writing leaves
@pytest.mark.skipif(not find_isolation().strong, reason=needs.STRONG)
def test_killed_at_any_moment_it_goes_on_and_leaves_nothing_behind(tmp_path: Path) -> None:
    options = ["--agent", "naive", "--limit", "100", "--interface", "code", "--jobs", "2", "--out", "here"]
    records = tmp_path / "here" / "episodes.jsonl"
    chance = random.Random(7)
    size = 0
    for victim in ("run", "worker"):
        running = subprocess.Popen(
            [*SEALEGS, "run", "highwater", *options], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        kin: dict[Process, bytes] = {}
        workers: list[Process] = []
        while running.poll() is None:
            kin = family(running.pid)
            workers = [one for one, line in kin.items() if b"forkserver" in line][1:]  # the first one makes them
            if any(b"bwrap" in line for line in kin.values()) and len(workers) == 2 and grown(records, size):
                break
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.2))
        kin |= family(running.pid)
        os.kill(running.pid if victim == "run" else workers[0][0], signal.SIGKILL)
        _, stderr = running.communicate(timeout=1800)
        assert running.returncode == (-signal.SIGKILL if victim == "run" else 0), stderr  # another worker takes it over
        assert b"Traceback" not in stderr
        until = time.monotonic() + 60
        while living(kin) and time.monotonic() < until:
            time.sleep(0.02)
        assert not living(kin)
        size = records.stat().st_size
    assert sealegs("run", "highwater", *options, cwd=tmp_path).returncode == 0
    names = Counter(
        found[0].episode for found in map(list, read_episodes(records)) if isinstance(found[0], EpisodeStarted)
    )
    assert set(names.values()) == {1}
    assert len(names) == len(read_highwater_run(tmp_path / "here").records) == 200


def grown(records: Path, size: int) -> bool:
    return records.exists() and records.stat().st_size > size
