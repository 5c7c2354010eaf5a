"""`sealegs campaign`: each command from end to end, resuming after kills, and what it says to bad input."""

from __future__ import annotations

import csv
import json
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sealegs.suites.micro.campaign.campaign_check import check_campaign, read_campaign
from sealegs.suites.micro.campaign.kept_records import check_campaign_records
from sealegs.suites.micro.campaign.shipped import shipped_campaigns

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]
SMALL = """
# every fault once, and a second way of failing
default model=scripted/naive,scripted/oracle
tip unreachable,slow(seconds=0.2),incorrect,delta,hang
tip unreachable errors=raised
tip unreachable schedule=transient:1 model=scripted/retrier
trivia delta tool=DateTool schedule=burst:5:1
research_age incorrect boundary=inner,outer model=scripted/naive
"""
OUTCOMES = {
    ("tip", "unreachable", "scripted/naive"): "ERROR",
    ("tip", "unreachable", "scripted/oracle"): "CORRECT",
    ("tip", "slow(seconds=0.2)", "scripted/naive"): "CORRECT",
    ("tip", "slow(seconds=0.2)", "scripted/oracle"): "CORRECT",
    ("tip", "incorrect", "scripted/naive"): "SILENT-DIFF",
    ("tip", "incorrect", "scripted/oracle"): "CORRECT",
    ("tip", "delta", "scripted/naive"): "SILENT-DIFF",
    ("tip", "delta", "scripted/oracle"): "CORRECT",
    ("tip", "hang", "scripted/naive"): "TIMEOUT",
    ("tip", "hang", "scripted/oracle"): "TIMEOUT",
    ("tip", "unreachable raised", "scripted/naive"): "CRASH",
    ("tip", "unreachable raised", "scripted/oracle"): "CRASH",
    ("tip", "unreachable transient:1", "scripted/retrier"): "CORRECT",
    ("trivia", "delta burst:5:1 at DateTool", "scripted/naive"): "not exposed",
    ("trivia", "delta burst:5:1 at DateTool", "scripted/oracle"): "not exposed",
    ("research_age", "incorrect inner", "scripted/naive"): "SILENT-DIFF",
    ("research_age", "incorrect outer", "scripted/naive"): "SILENT-DIFF",
}


def sealegs(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SEALEGS, "campaign", *arguments], cwd=cwd, capture_output=True, text=True, timeout=1800)


def listed(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "runs.csv").read_text().splitlines()))


def journal(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the small campaign was run."""
    home = tmp_path_factory.mktemp("campaign")
    (home / "small.campaign").write_text(SMALL)
    done = sealegs("run", "small.campaign", "--jobs", "2", "--time-limit", "4", "--json", "table.json", cwd=home)
    assert done.returncode == 0, done.stderr
    (home / "printed.txt").write_text(done.stdout)
    return home


def test_a_run_gives_every_experiment_its_outcome(ran: Path) -> None:
    folder = ran / "sealegs-logs" / "micro-small"
    rows = listed(folder)
    assert {(row["task"], row["fault"], row["model"]): row["counted as"] for row in rows} == OUTCOMES
    assert len(rows) == len(OUTCOMES)
    for row in rows:
        assert row["rule"]
        assert row["expected"]
        assert row["without a fault"]
        assert bool(row["fault delivered"]) == (row["counted as"] != "not exposed")
    ids = [entry["id"] for entry in journal(folder)]
    clean = len({(row["task"], row["model"], "raised" in row["fault"]) for row in rows})
    assert len(ids) == len(set(ids)) == len(rows) + clean
    assert {path.stem for path in (folder / "traces").glob("*.jsonl")} == set(ids)


def test_a_run_prints_its_tables_beside_the_published_ones(ran: Path) -> None:
    printed = (ran / "printed.txt").read_text()
    assert "17 runs, 15 of them count" in printed
    assert "2 not exposed" in printed
    assert re.search(r"hang +CORRECT +3 +3 +9", printed)
    assert re.search(r"o3 +78\.7 +14\.7 +5\.3", printed)
    assert "where errors went" in printed
    rows = json.loads((ran / "table.json").read_text())["rows"]
    cell = next(r for r in rows if (r["model"], r["mode"], r["metric"]) == ("scripted/naive", "all", "hr"))
    assert (cell["value"], cell["n"]) == (50.0, 8)
    assert set(cell) == {"suite", "model", "level", "mode", "metric", "value", "low", "high", "n", "task_set"}


def test_the_error_is_followed_across_the_boundary(ran: Path) -> None:
    rows = [row for row in listed(ran / "sealegs-logs" / "micro-small") if row["boundary"]]
    by_boundary = {row["boundary"]: (row["fault delivered"], row["the inner agent"]) for row in rows}
    assert by_boundary["inner"][0].startswith("scramble at the inner agent's")
    assert by_boundary["inner"][1] == "passed on silently"
    assert by_boundary["outer"][0].startswith("scramble at the outer agent's ResearchAgent")


def test_the_same_command_does_nothing_twice(ran: Path) -> None:
    folder = ran / "sealegs-logs" / "micro-small"
    before = (folder / "journal.jsonl").read_bytes()
    done = sealegs("run", "small.campaign", "--jobs", "2", "--time-limit", "4", "--json", "-", cwd=ran)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runs"] == 17
    assert (folder / "journal.jsonl").read_bytes() == before


@pytest.mark.slow
def test_a_changed_file_adds_and_removes_what_changed(ran: Path, tmp_path: Path) -> None:
    (tmp_path / "c.campaign").write_text("tip incorrect,delta model=scripted/naive\n")
    first = sealegs("run", "c.campaign", "--out", "o", "--time-limit", "20", cwd=tmp_path)
    before = {entry["id"]: entry for entry in journal(tmp_path / "o")}
    (tmp_path / "c.campaign").write_text("# moved\ntip delta,unreachable model=scripted/naive\n")
    done = sealegs("run", "c.campaign", "--out", "o", "--time-limit", "20", cwd=tmp_path)
    assert (first.returncode, done.returncode) == (0, 0)
    after = {entry["id"]: entry for entry in journal(tmp_path / "o")}
    assert len(after) == len(before) + 1 == 4
    assert all(after[id] == entry for id, entry in before.items())
    assert "holds 1 runs that the campaign has no longer" in done.stderr
    assert "2 of 3 runs are finished" in done.stderr
    assert [row["fault"] for row in listed(tmp_path / "o")] == ["delta", "unreachable"]
    other = sealegs("run", "c.campaign", "--out", "o", "--time-limit", "5", cwd=tmp_path)
    assert other.returncode == 2
    assert "budget was 20.0, is 5.0" in other.stderr


def test_a_report_takes_people_at_their_word_and_writes_a_page(ran: Path) -> None:
    folder = ran / "sealegs-logs" / "micro-small"
    run = next(row["run"] for row in listed(folder) if row["counted as"] == "TIMEOUT")
    clean = next(row["without a fault"] for row in listed(folder) if row["task"] == "trivia")
    baseline = re.search(r"\(run (\w+)\)", clean)
    assert baseline is not None
    labels = f"run,label,note\n{run},ERROR,<it> said so\n{baseline[1]},ERROR,no\n"
    (folder / "labels.csv").write_text(labels)
    try:
        done = sealegs("report", str(folder), "--html", "page.html", "--json", "rows.json", cwd=ran)
        assert done.returncode == 0, done.stderr
        assert "1 corrected by hand" in done.stdout
        assert "1 not comparable" in done.stdout
        row = next(row for row in listed(folder) if row["run"] == run)
        assert (row["outcome"], row["by the rules"], row["note"]) == ("ERROR", "TIMEOUT", "<it> said so")
        page = (ran / "page.html").read_text()
        assert "&lt;it&gt; said so" in page
        assert "by hand, was TIMEOUT" in page
        assert page.count("<code>") >= 17
        assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")
        assert (folder / "labels.csv").read_text() == labels
        rows = json.loads((ran / "rows.json").read_text())["rows"]
        assert (
            sum(
                row["value"]
                for row in rows
                if (row["metric"], row["level"], row["mode"]) == ("corrected", "all", "all")
            )
            == 1
        )
        (folder / "labels.csv").write_text("nonsense,SILENT\n")
        wrong = sealegs("report", str(folder), cwd=ran)
        assert wrong.returncode == 2
        assert "labels.csv has 2 mistakes" in wrong.stderr
    finally:
        (folder / "labels.csv").unlink()


def test_check_counts_runs_and_the_worst_time(tmp_path: Path) -> None:
    done = sealegs("check", "paper", "--jobs", "2", "--json", "c.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "75 experiments, 225 runs, and 45 runs without a fault" in done.stdout
    assert "2 h 15 min" in done.stdout
    rows = json.loads((tmp_path / "c.json").read_text())["rows"]
    figures = {row["metric"]: (row["value"], row["n"]) for row in rows}
    assert figures == {
        "experiments": (75, 225), "runs": (225, 225), "baselines": (45, 45), "worst_seconds": (8100.0, 270)
    }  # fmt: skip
    columns = ["suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"]
    assert all([*row] == columns and row["agent"] == "paper" for row in rows)
    one = sealegs("check", "paper", "--model", "scripted/naive", cwd=tmp_path)
    assert "25 experiments, 75 runs, and 15 runs" in one.stdout


def test_what_ships_is_sound_and_can_be_shown(tmp_path: Path) -> None:
    for name, text in shipped_campaigns().items():
        assert check_campaign(name, "", jobs=1, budget=5).campaign == read_campaign(text, "", name)
    shown = sealegs("show", "two-agents", cwd=tmp_path)
    assert shown.stdout == shipped_campaigns()["two-agents"]
    assert set(shipped_campaigns()) == {"paper", "transient", "two-agents", "mcp"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["check", "bad.campaign"],
            ["bad.campaign has 4 mistakes", "line 1, column 5", "hang?", "line 2, column 1", "tip?"],
        ),
        (["run", "bad.campaign"], ["bad.campaign has 4 mistakes"]),
        (["check", "bed.campaign"], ["bed.campaign", "did you mean bad.campaign?"]),
        (["check", "papper"], ["did you mean paper?"]),
        (["check", "paper", "--model", "gpt"], ["--model 'gpt'", "PROVIDER:MODEL"]),
        (["run", "paper", "--out", "full"], ["full is not empty"]),
        (["report", "full"], ["full holds no campaign"]),
        (["report", "nowhere"], ["nowhere holds no campaign"]),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    (tmp_path / "bad.campaign").write_text("tip hnag model=scripted/naive\ntpi hang modle=scripted/naive\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    done = sealegs(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr.replace("\n", " ")
    assert sorted(tmp_path.rglob("*")) == before


FEW = "tip,bmi unreachable,incorrect,delta model=scripted/naive,scripted/retrier\n"
MANY = "tip,bmi,currency unreachable,incorrect,delta,slow(seconds=0.1) model=scripted/naive,scripted/retrier seed=1,2\n"


def ended(folder: Path) -> int:
    file = folder / "journal.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def killed_and_resumed(home: Path, text: str, kills: int, seed: int) -> Path:
    """Run a campaign whose launcher is killed at random moments, then let the same command finish."""
    (home / "many.campaign").write_text(text)
    folder, draw = home / "out", random.Random(seed)
    runs = len(read_campaign(text, "", "").runs())
    command = [*SEALEGS, "campaign", "run", "many.campaign", "--jobs", "2", "--time-limit", "60", "--out", "out"]
    for kill in range(kills):
        process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if kill % 4 == 3:  # while it starts
            time.sleep(draw.uniform(0, 2))
        else:  # while it runs; sooner than all would be done
            wanted, until = ended(folder) + draw.randint(0, max(1, runs // (kills + 1))), time.monotonic() + 60
            while process.poll() is None and ended(folder) < wanted and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return folder


def whole_and_once(folder: Path, text: str, home: Path) -> None:
    """Every planned run is there once, and came to what it comes to without kills."""
    ends = Counter(entry["id"] for entry in journal(folder))
    assert set(ends) == {run.id for run in read_campaign(text, "", "").runs()}
    assert set(ends.values()) == {1}
    calm = sealegs("run", "many.campaign", "--jobs", "2", "--time-limit", "60", "--out", "calm", cwd=home)
    assert calm.returncode == 0, calm.stderr
    assert (folder / "runs.csv").read_text() == (home / "calm" / "runs.csv").read_text()
    assert {found.state for found in check_campaign_records(folder)} == {"whole"}
    for run in ends:
        events = (folder / "traces" / f"{run}.jsonl").read_text().splitlines()
        types = [json.loads(event)["type"] for event in events]
        assert (types[0], types[-1], types.count("started")) == ("started", "ended", 1)


@pytest.mark.slow
def test_a_killed_launcher_loses_and_doubles_no_run(tmp_path: Path) -> None:
    whole_and_once(killed_and_resumed(tmp_path, FEW, 2, 5), FEW, tmp_path)


def test_ctrl_c_ends_with_a_word_on_what_is_kept(tmp_path: Path) -> None:
    (tmp_path / "c.campaign").write_text("tip hang,slow(seconds=0.1) model=scripted/naive\n")
    command = [*SEALEGS, "campaign", "run", "c.campaign", "--time-limit", "60", "--out", "out"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and ended(tmp_path / "out") < 1:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=1800)
    assert process.returncode == 130
    assert "every finished run is kept, and the same command resumes the run" in stderr
    assert "Traceback" not in stderr
    shown = sealegs("report", "out", cwd=tmp_path)
    assert "2 of 2 runs are not finished" in shown.stderr.replace("\n", " ")


@pytest.mark.slow
def test_the_faults_strike_alike_at_mcp(tmp_path: Path) -> None:
    (tmp_path / "m.campaign").write_text("tip unreachable,delta level=python,mcp model=scripted/naive\n")
    done = sealegs("run", "m.campaign", "--jobs", "2", "--time-limit", "60", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {(row["fault"], row["level"]): (row["counted as"], row["found"]) for row in listed(tmp_path / "out")}
    assert {outcome for outcome, _ in found.values()} == {"ERROR", "SILENT-DIFF"}
    for fault in ("unreachable", "delta"):
        assert found[fault, "python"] == found[fault, "mcp"]


@pytest.mark.slow
def test_twenty_killed_launchers_lose_and_double_no_run(tmp_path: Path) -> None:
    whole_and_once(killed_and_resumed(tmp_path, MANY, 20, 7), MANY, tmp_path)


def test_a_trace_that_cannot_be_replaced_is_named_and_its_run_made_again(tmp_path: Path) -> None:
    """Such a run was a crash of its agent, for good, or the report of it broke down."""
    text = "tip unreachable schedule=transient:1 model=scripted/retrier\n"
    (tmp_path / "one.campaign").write_text(text)
    command = ("run", "one.campaign", "--time-limit", "60", "--out", "out")
    assert sealegs(*command, cwd=tmp_path).returncode == 0
    folder = tmp_path / "out"
    calm = (folder / "runs.csv").read_text()
    run = read_campaign(text, "", "").planned()[0].id
    lines = [line for line in (folder / "journal.jsonl").read_text().splitlines() if run not in line]
    (folder / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines))
    trace = folder / "traces" / f"{run}.jsonl"
    trace.unlink()
    trace.mkdir()
    refused = sealegs(*command, cwd=tmp_path)
    assert refused.returncode == 3, refused.stderr
    assert "1 episode is invalid and in no rate; the same command makes them again" in refused.stderr
    assert str(trace) in refused.stderr.replace("\n", "")
    assert "Traceback" not in refused.stderr
    trace.rmdir()
    again = sealegs(*command, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (folder / "runs.csv").read_text() == calm
