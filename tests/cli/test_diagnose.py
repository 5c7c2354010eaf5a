"""`sealegs diagnose` and `sealegs bank`: each verb once from end to end, and what they say to bad input."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sealegs.cli import main
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.bank import read_bank_file
from sealegs.traces import Recorder
from sealegs.traces.store import line

NEW = """
name: till-busy
cause: unavailable
status: [503]
looks: [The till is being counted]
diagnosis: The till is being counted.
steps: [Ask again after noon.]
stop: it is evening.
"""


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def sealegs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, which spares sixteen starts of Python."""

    def run(*arguments: str, given: str = "") -> Done:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["sealegs", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return Done(int(end.value.code or 0), captured.out, captured.err)

    return run


def test_a_failure_is_diagnosed(tmp_path: Path, sealegs: Run) -> None:
    text = "Error: KeyError('EURX')\n Please fix your mistakes."
    done = sealegs("diagnose", "--json", "-", given=text)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert {"class", "signature", "exemplar", "distance", "advice"} <= set(data)
    assert (data["class"], data["signature"]["type"], data["exemplar"]) == (
        "Argument Hallucination",
        "KeyError",
        "key-missing",
    )
    assert data["advice"].startswith("Recovery: ")
    (tmp_path / "failure.txt").write_text("HTTP/1.1 429 Too Many Requests", encoding="utf-8")
    done = sealegs("diagnose", "failure.txt")
    assert "class      Partial Execution" in done.stdout
    assert "truer      Re-entrant Failures" in done.stdout
    assert "rate-limited at 0.0" in done.stdout


def test_bad_input_is_reported(tmp_path: Path, sealegs: Run) -> None:
    for arguments, part in (
        (("diagnose", "none.txt"), "cannot read none.txt"),
        (("diagnose",), "the text is empty"),
        (("diagnose", "--measure", "--split", "dev"), "test or train"),
        (("bank", "add", "none.yaml", "--bank", "own.yaml"), "does not exist"),
    ):
        done = sealegs(*arguments)
        assert done.returncode == 2
        assert part in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_figures_are_a_long_table(tmp_path: Path, sealegs: Run) -> None:
    done = sealegs("diagnose", "--measure", "--json", "figures.json")
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "figures.json").read_text())["rows"]
    assert all(set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"} for row in rows)
    assert "published class" in done.stdout


def test_a_bank_of_ones_own(tmp_path: Path, sealegs: Run) -> None:
    (tmp_path / "new.yaml").write_text(NEW, encoding="utf-8")
    done = sealegs("bank", "add", "new.yaml", "--bank", "own.yaml")
    assert done.returncode == 0, done.stderr
    again = sealegs("bank", "add", "new.yaml", "--bank", "own.yaml")
    assert again.returncode == 2
    assert "already" in again.stderr
    found = sealegs("bank", "search", "503 the till is counted", "--bank", "own.yaml", "--json", "-")
    assert json.loads(found.stdout)["found"][0]["name"] == "till-busy"
    checked = sealegs("bank", "check", "own.yaml")
    assert "own.yaml: sound, 1 exemplars" in checked.stdout
    assert json.loads(sealegs("bank", "schema").stdout)["title"] == "Sealegs exemplar bank"


def recorded(path: Path) -> None:
    recorder = Recorder(VirtualClock())
    recorder.start("one", {})
    session = Session(clock=VirtualClock(), watcher=recorder)
    gone = Failure("The old index of parts was taken down", "OldIndexGone", 410)
    calls: list[tuple[str, Outcome]] = [("price", gone), ("quote", Value({"price": 2.5}))]
    for tool, outcome in calls:
        session.call(tool, {"part": "A-7"}, lambda call, outcome=outcome: outcome)  # type: ignore[misc]
    recorder.finish("answered", answer="done")
    path.write_text("".join(line(event) for event in recorder.events), encoding="utf-8")


def test_mining_takes_nothing_without_a_yes(tmp_path: Path, sealegs: Run) -> None:
    recorded(tmp_path / "runs.jsonl")
    mine = ("bank", "mine", "runs.jsonl", "--bank", "own.yaml")
    done = sealegs(*mine, given="n\n")
    assert "Call quote in its place" in done.stdout
    assert "1 proposed, 0 taken" in done.stdout
    assert not (tmp_path / "own.yaml").exists()
    done = sealegs(*mine, "--yes", "--json", "-")
    assert json.loads(done.stdout)["proposed"][0]["taken"] is True
    (one,) = read_bank_file(tmp_path / "own.yaml").exemplars
    assert one.mined == "one"
    assert "0 proposed" in sealegs(*mine, "--yes").stdout
    diagnosed = sealegs("diagnose", "runs.jsonl", "--bank", "own.yaml", "--json", "-")
    assert json.loads(diagnosed.stdout)["exemplar"] == one.name
