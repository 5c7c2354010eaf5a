"""A suite in a package of its own: installed, run, reported, and found by Inspect."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sealegs.agents import UseTool
from sealegs.engines.logs import LogError
from sealegs.faults.call import Failure
from sealegs.faults.user_error import UserError
from sealegs.traces import build_record
from tests import needs

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "shelf_suite"
pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment in which the package is installed, beside what is installed here."""
    target = tmp_path_factory.mktemp("shelf") / "site-packages"  # Inspect knows packages by this name
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(EXAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PYTHONPATH": str(target), "PATH": scripts, "COLUMNS": "130"}


def run(command: str, env: Mapping[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command.split(), env=env, cwd=folder, capture_output=True, text=True)


def values(text: str) -> dict[tuple[str, str], Any]:
    """Value by mode and metric, over all levels."""
    return {(r["mode"], r["metric"]): r["value"] for r in json.loads(text)["rows"] if r["level"] == "all"}


def test_the_suite_is_run_and_judged_by_its_ledger(installed: Mapping[str, str], tmp_path: Path) -> None:
    careful = run("sealegs run shelf --agent careful --out careful --json -", installed, tmp_path)
    assert careful.returncode == 0, careful.stderr
    found = values(careful.stdout)
    assert {found[mode, "success"] for mode in ("clean", "unavailable", "lost", "all")} == {100.0}
    assert found["lost", "exposed"] == found["unavailable", "exposed"] == 100.0
    assert found["clean", "exposed"] == 0
    assert found["clean", "recovered"] is None
    hasty = values(run("sealegs run shelf --agent hasty --out hasty --json -", installed, tmp_path).stdout)
    assert hasty["unavailable", "success"] == 100.0, "a call that failed before its work may be made again"
    assert hasty["lost", "success"] == 0.0, "the book was reserved, and is reserved again"
    assert hasty["lost", "repeated_effects"] == 100.0
    ranked = run("sealegs rank careful hasty --json -", installed, tmp_path)
    assert ranked.returncode == 0, ranked.stderr
    rows = json.loads(ranked.stdout)["rows"]
    assert {row["agent"]: row["value"] for row in rows if row["metric"] == "rank"} == {"careful": 1, "hasty": 2}
    assert {row["against"] for row in rows if row["metric"] == "success_difference"} == {"careful"}
    report = run("sealegs report hasty --against careful --json -", installed, tmp_path)
    assert values(report.stdout)["all", "success_difference"] == -33.33
    page = (tmp_path / "hasty" / "report.html").read_text("utf-8")
    assert "the ledger holds BK-11 for R-11, BK-11 for R-11, not BK-11 for R-11" in page
    assert "https://" not in page
    assert "Books that were reserved twice" in page
    assert "hasty: BK-11, lost" in page
    assert run("sealegs report careful --html c.html", installed, tmp_path).returncode == 0
    assert "Books that were reserved twice" not in (tmp_path / "c.html").read_text("utf-8")
    declared = run("sealegs run shelf --help", installed, tmp_path).stdout
    metrics = {row["metric"] for row in json.loads(report.stdout)["rows"] if "difference" not in row["metric"]}
    assert metrics == {"success", "recovered", "exposed", "repeated_effects", "calls", "short"}
    assert "success, recovered, exposed, repeated_effects, calls, short." in " ".join(declared.split())
    beside = run("sealegs report hasty --against library-desk", installed, tmp_path)
    assert "desk-model" in beside.stdout
    shown = run("sealegs rank careful hasty --published --json -", installed, tmp_path)
    published = [row for row in json.loads(shown.stdout)["rows"] if row["source"] == "published"]
    assert [(row["model"], row["value"]) for row in published] == [("desk-model", 75.0)]


def test_a_stopped_run_is_resumed_and_another_one_refused(installed: Mapping[str, str], tmp_path: Path) -> None:
    first = run("sealegs run shelf --agent careful --out here --json -", installed, tmp_path)
    records = tmp_path / "here" / "episodes.jsonl"
    whole = records.read_text("utf-8")
    lines = whole.splitlines(keepends=True)
    records.write_text("".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:20], "utf-8")
    again = run("sealegs run shelf --agent careful --out here --json -", installed, tmp_path)
    assert again.stdout == first.stdout
    other = run("sealegs run shelf --agent hasty --out here", installed, tmp_path)
    assert other.returncode == 2
    assert "holds another run (agent was 'careful', is 'hasty')" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--agent nobody", "unknown agent 'nobody': choose from careful, hasty"),
        ("", "name either an agent or a model (neither is given): --agent careful"),
        ("--agent hasty --levels C1", "--levels is not an option of shelf (it belongs to maze); remove it"),
        ("--agent hasty --modes clean,none", "unknown mode 'none': choose from clean, unavailable, lost"),
        ("--agent hasty --modes clean,clean", "4 ids name several episodes, such as 'BK-11/clean/1'"),
    ],
)
def test_bad_input_is_one_message(arguments: str, message: str, installed: Mapping[str, str], tmp_path: Path) -> None:
    done = run(f"sealegs run shelf {arguments} --out new", installed, tmp_path)
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")
    assert not (tmp_path / "new").exists()


def test_inspect_finds_the_task_and_agrees_with_the_direct_engine(installed: Mapping[str, str], tmp_path: Path) -> None:
    command = (
        "inspect eval shelf_suite/shelf --model sealegs/hasty -T modes=clean,lost -T limit=3 --epochs 2 --display plain"
    )
    done = run(command, installed, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    direct = run(
        "sealegs run shelf --agent hasty --modes clean,lost --limit 3 --epochs 2 --json -", installed, tmp_path
    )
    report = run("sealegs report logs --json -", installed, tmp_path)
    assert report.returncode == 0, report.stderr
    assert json.loads(report.stdout)["rows"] == json.loads(direct.stdout)["rows"]


@pytest.mark.slow
def test_rounds_of_inspect_are_epochs_of_their_own(installed: Mapping[str, str], tmp_path: Path) -> None:
    command = "inspect eval shelf_suite/shelf --model sealegs/careful -T modes=clean -T epochs=2 -T limit=1 --epochs 3"
    done = run(command, installed, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(run("sealegs report logs --json -", installed, tmp_path).stdout)["rows"]
    assert {row["n"] for row in rows if row["metric"] == "success"} == {6}


def test_a_run_of_another_version_is_not_resumed(installed: Mapping[str, str], tmp_path: Path) -> None:
    first = run("sealegs run shelf --agent careful --limit 1 --out here", installed, tmp_path)
    assert first.returncode == 0, first.stderr
    target = tmp_path / "site-packages"
    shutil.copytree(installed["PYTHONPATH"], target)
    suite = target / "shelf_suite" / "suite.py"
    text = suite.read_text("utf-8").replace("import Names, option\n", "import Names, hidden_option, option\n")
    newer = text.replace("    modes: Names", '    version: str = hidden_option("2")\n    modes: Names')
    suite.write_text(newer, "utf-8")
    later = {**installed, "PYTHONPATH": str(target)}
    again = run("sealegs run shelf --agent careful --limit 1 --out here", later, tmp_path)
    assert again.returncode == 2
    reported = run("sealegs report here", later, tmp_path)
    assert reported.returncode == 2
    assert "is of version '1' of shelf, and version '2' is installed" in reported.stderr.replace("\n", " ")
    assert "holds another run (version was '1', is '2')" in again.stderr.replace("\n", " ")


def test_runs_that_cannot_be_told_apart_are_refused(installed: Mapping[str, str], tmp_path: Path) -> None:
    for out, more in (("logs/one", ""), ("logs/two", "--epochs 2")):
        assert run(f"sealegs run shelf --agent hasty --limit 1 {more} --out {out}", installed, tmp_path).returncode == 0
    both = run("sealegs report logs", installed, tmp_path)
    assert both.returncode == 2
    assert "logs holds 2 runs of hasty; name the folder of one of them" in both.stderr.replace("\n", " ")


def loan(monkeypatch: pytest.MonkeyPatch, installed: Mapping[str, str]) -> tuple[Any, Any]:
    """The suite, and its first episode."""
    monkeypatch.syspath_prepend(installed["PYTHONPATH"])
    from shelf_suite.suite import SUITE

    return SUITE, SUITE.options(agent="hasty").episodes()[0]


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        (lambda enter: {"find_book": awaited}, "the tool find_book is async"),
        (lambda enter: enter("reserve", "x") or {}, "`enter` was called while the tools were made"),
        (
            lambda enter: {"find_book": lambda title: enter("reserve", 3)},
            "`enter` takes two texts, not 'reserve' and 3",
        ),
    ],
)
def test_a_mistake_of_the_suites_author_ends_the_run(
    tools: Any, message: str, installed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, episode = loan(monkeypatch, installed)
    monkeypatch.setattr(type(episode), "tools", lambda self, enter: tools(enter))
    with pytest.raises(UserError, match=re.escape(message)):
        suite.play_episode(episode, "hasty", 5)


async def awaited(title: str) -> str:
    return title


def test_an_agent_that_exits_and_a_judge_that_breaks_down(
    installed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, episode = loan(monkeypatch, installed)
    monkeypatch.setattr(suite.agents["hasty"], "act", lambda self: sys.exit(0))
    record = build_record(suite.play_episode(episode, "hasty", 5))
    assert (record.end.reason, record.end.detail) == ("crashed", "SystemExit: 0")
    monkeypatch.setattr(type(episode), "problem", lambda self, record: 1 / 0)
    with pytest.raises(LogError, match="the judge of shelf failed on BK-11/clean/1: ZeroDivisionError"):
        suite.judge(episode, record)


def test_wrong_arguments_are_a_failure_in_the_tools_words(
    installed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, episode = loan(monkeypatch, installed)
    monkeypatch.setattr(suite.agents["hasty"], "act", lambda self: UseTool("find_book", {"name": "x"}))
    (turn,) = build_record(suite.play_episode(episode, "hasty", 1)).turns
    assert isinstance(turn.shown, Failure)
    assert (turn.shown.type, turn.shown.message) == (
        "InvalidArguments",
        "find_book: missing a required argument: 'title'",
    )


def test_facts_of_another_version_are_refused(installed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(installed["PYTHONPATH"])
    from shelf_suite.suite import SUITE

    with pytest.raises(LogError, match="is not an episode of shelf, version 1"):
        SUITE.episode_from({"task": "BK-11"})
