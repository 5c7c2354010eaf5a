"""Runs: both engines alike, gone on with after a stop, shown as tables; and the command."""

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.agents.arms import ARMS
from sealegs.engines.logs import LogError
from sealegs.reports.paladin_tables import PUBLISHED_ARMS, correlations, published_correlations, published_paladin_rows
from sealegs.scoring.metric import Row
from sealegs.suites.paladin.arm_engine import play_paladin_episode
from sealegs.suites.paladin.backbone_run import run_scripted_backbone
from sealegs.suites.paladin.options import PaladinOptions
from sealegs.suites.paladin.paladin_eval import run_paladin_in_inspect
from sealegs.suites.paladin.paladin_logs import read_paladin_run, read_paladin_runs
from sealegs.traces import build_record

pytestmark = pytest.mark.filterwarnings("ignore")
SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]


@pytest.fixture(autouse=True)
def _streams_of_inspect() -> Iterator[None]:
    """Inspect leaves streams open: they are let go of here, where that is known, and not in another test."""
    yield
    gc.collect()


def sealegs(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SEALEGS, *arguments], cwd=cwd, capture_output=True, text=True, timeout=1800)


@pytest.mark.parametrize(("arm", "retrieval"), [("toolbench", "off"), ("critic-p0.7", "off"), ("paladin", "on")])
def test_inspect_and_direct_agree_call_by_call(arm: str, retrieval: str, tmp_path: Path) -> None:
    settings = PaladinOptions(agent="follower", arm=arm, retrieval=retrieval, limit=1, engine="inspect")
    run_paladin_in_inspect(settings, tmp_path / "logs", display="none")
    found = read_paladin_run(tmp_path / "logs")
    assert str(found.who["agent"]).startswith(f"{arm}/follower")
    assert len(found.records) == 8
    for episode, through_inspect in found.records.items():
        direct = build_record(play_paladin_episode(episode, "follower", settings.setup))
        assert through_inspect.turns == direct.turns
        assert through_inspect.answer == direct.answer
    logs = list((tmp_path / "logs").glob("*.eval"))
    run_paladin_in_inspect(settings, tmp_path / "logs", display="none")
    assert list((tmp_path / "logs").glob("*.eval")) == logs


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = PaladinOptions(agent="follower", arm="paladin", retrieval="on", limit=2)
    counts: list[int] = []
    run_scripted_backbone(settings, tmp_path / "whole", lambda done, of: counts.append(done), jobs=1)
    records = (tmp_path / "whole" / "episodes.jsonl").read_text()
    assert counts[-1] == 16
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "run.json").write_text((tmp_path / "whole" / "run.json").read_text())
    (tmp_path / "part" / "episodes.jsonl").write_text(records[: int(len(records) * 0.6)])  # in the midst of a line
    begun: list[int] = []
    run_scripted_backbone(settings, tmp_path / "part", lambda done, of: begun.append(done), jobs=1)
    assert 0 < begun[0] < 16
    whole, part = read_paladin_run(tmp_path / "whole"), read_paladin_run(tmp_path / "part")
    assert {e: r.turns for e, r in part.records.items()} == {e: r.turns for e, r in whole.records.items()}
    with pytest.raises(LogError, match="holds another run"):
        run_scripted_backbone(PaladinOptions(agent="naive", limit=2), tmp_path / "part", lambda done, of: None, jobs=1)


def test_records_of_another_version_are_reported(tmp_path: Path) -> None:
    run_scripted_backbone(PaladinOptions(agent="naive", limit=1), tmp_path / "run", lambda done, of: None, jobs=1)
    file = tmp_path / "run" / "episodes.jsonl"
    text, name = file.read_text(), next(e.failure for e in PaladinOptions(limit=1).episodes() if e.failure)
    assert text.count(f'"{name}"') >= 1
    file.write_text(text.replace(f'"{name}"', '"no such failure"'))
    with pytest.raises(LogError, match="another version"):
        read_paladin_runs(tmp_path / "run")


def test_the_command_runs_reports_and_grades(tmp_path: Path) -> None:
    base = ["run", "paladin", "--limit", "1", "--jobs", "1"]
    done = sealegs(*base, "--agent", "paladin/follower", "--retrieval", "on", "--json", "one.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "one.json").read_text())["rows"]
    assert {row["metric"] for row in rows} >= {"tsr", "rr", "csr", "es", "efficiency"}
    assert {row["agent"] for row in rows} == {"paladin/follower (with retrieval)"}
    assert all(
        set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n", "task_set"}
        for row in rows
    )
    assert next(row for row in rows if (row["level"], row["metric"]) == ("all", "tsr"))["n"] == 7
    assert "Class by class" in done.stdout
    for agent in ("vanilla/naive", "critic/follower"):
        assert sealegs(*base, "--agent", agent, "--set", "toolreflect", cwd=tmp_path).returncode == 0
    reported = sealegs("report", "sealegs-logs", "--against", "paladin", "--json", "all.json", cwd=tmp_path)
    assert reported.returncode == 0, reported.stderr
    assert "Pearson" in reported.stdout
    assert "Gemma-3" in reported.stdout
    metrics = {row["metric"] for row in json.loads((tmp_path / "all.json").read_text())["rows"]}
    assert {"r(rr,tsr)", "p(rr,tsr)"} <= metrics
    graded = sealegs("grade", "traces", "sealegs-logs", "--out", "g.jsonl", "--json", "-", cwd=tmp_path)
    assert graded.returncode == 0, graded.stderr
    assert len((tmp_path / "g.jsonl").read_text().splitlines()) == 24
    assert {row["metric"] for row in json.loads(graded.stdout)["rows"]} >= {"covered", "honest"}
    agreed = sealegs("grade", "agree", "g.jsonl", "g.jsonl", cwd=tmp_path)
    assert agreed.returncode == 0, agreed.stderr
    assert "100.0" in agreed.stdout


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["--agent", "paladin/folower"], ["'folower'", "did you mean follower"]),
        (["--agent", "paladn/follower", "--set", "evil"], ["'paladn'", "did you mean paladin", "'evil'"]),
        (["--agent", "critic/follower", "--arm", "paladin"], ["names the arm 'critic'"]),
        (["--agent", "follower"], ["no arm is named"]),
        ([], ["neither is given"]),
        (["--model", "nosuch/model", "--retrieval", "yes"], ["'yes'", "off, on"]),
        (
            ["--agent", "paladin/follower", "--levels", "C1"],
            ["--levels is not an option of paladin (it belongs to maze)"],
        ),
    ],
)
def test_what_cannot_be_run_is_reported(arguments: list[str], messages: list[str], tmp_path: Path) -> None:
    done = sealegs("run", "paladin", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert all(words in done.stderr for words in messages), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow  # the same way in as those of `maze` and `highwater`
def test_inspect_eval_by_entry_point(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspect_ai", "eval", "sealegs/paladin", "--model", "sealegs/follower"]
    options = ["-T", "limit=1", "-T", "arm=critic", "--log-dir", str(tmp_path), "--display", "plain"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    found = read_paladin_run(tmp_path)
    assert len(found.records) == 8
    assert all(result.verdict.success for result in found.results())


def test_the_published_table_and_its_correlations() -> None:
    rows = published_paladin_rows()
    assert len(rows) == 32
    assert {row["metric"] for row in rows} == {"RR", "TSR", "CSR", "ES"}
    assert set(PUBLISHED_ARMS) <= set(ARMS)
    assert [each.n for each in published_correlations()] == [40] * 6
    assert all(each.r > 0.7 for each in published_correlations()[:2])  # RR with TSR and CSR
    made: list[Row] = [
        {"suite": "paladin", "agent": name, "level": "all", "mode": "eval", "metric": metric, "value": value}
        for name, values in {"a": (10, 20), "b": (20, 40), "c": (30, 60)}.items()
        for metric, value in zip(("rr", "tsr"), map(float, values), strict=True)
    ]
    assert next((each.r, each.p) for each in correlations(made)) == pytest.approx((1.0, 0.0), abs=1e-6)
