"""`micro` as a suite: the command that all suites share does what `sealegs campaign` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sealegs.engines.folders import Progress
from sealegs.experiments.log_reports import report_on
from sealegs.faults.user_error import UserError
from sealegs.suites.micro.campaign.campaign_results import read_folder
from sealegs.suites.micro.campaign_options import MicroOptions
from sealegs.suites.suite import suite_holding, suite_named
from tests import needs

pytest.importorskip("langchain", reason=needs.module("langchain"))
CAMPAIGN = "default model=scripted/retrier seed=1\n\ntip unreachable schedule=transient:1\n"


class Notes:
    """Keeps the counts and sentences that a suite shows."""

    def __init__(self) -> None:
        self.counts: list[tuple[int, int]] = []
        self.notes: list[str] = []

    def progress(self, label: str) -> Shown:
        assert label == "small on micro"
        return Shown(self)

    def note(self, message: str) -> None:
        self.notes.append(message)


class Shown:
    """The block of a progress line."""

    def __init__(self, view: Notes) -> None:
        self.view = view

    def __enter__(self) -> Progress:
        return lambda done, total: self.view.counts.append((done, total))

    def __exit__(self, *_: object) -> None:
        return None


def test_a_campaign_is_played_resumed_and_reported_as_a_suite(tmp_path: Path) -> None:
    file, folder = tmp_path / "small.campaign", tmp_path / "run"
    file.write_text(CAMPAIGN)
    suite, view = suite_named("micro"), Notes()
    options = MicroOptions(campaign=str(file))
    assert options.name == "micro-small"
    suite.play(options, folder, view)
    assert view.counts[-1] == (2, 2)
    journal = (folder / "journal.jsonl").read_bytes()
    suite.play(options, folder, view)
    assert view.counts[-1] == (2, 2)
    assert (folder / "journal.jsonl").read_bytes() == journal
    found = report_on(folder)
    assert found.rows == read_folder(folder).rows()
    assert {"suite": "micro", "model": "scripted/retrier", "metric": "tsr", "value": 100.0}.items() <= next(
        row for row in found.rows if row["metric"] == "tsr"
    ).items()
    assert "unreachable" in found.page()
    assert suite_holding(folder, "sealegs run micro") is suite
    with pytest.raises(UserError, match="no questions to grade"):
        suite.grade(folder, "code", "")
    assert json.loads((folder / "campaign.json").read_text())["source"] == "small"
