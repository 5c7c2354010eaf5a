"""The judge, the metrics and the sections of a page that each suite declares are those that its reports are made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sealegs import cli
from sealegs.faults.user_error import UserError
from sealegs.reports.page_sections import PageSection
from sealegs.scoring.eval_metrics import EvalResult, eval_table
from sealegs.scoring.invalid import PLAYED
from sealegs.scoring.metric import Row
from sealegs.scoring.micro_metrics import Evidence, LabelledRun, micro_table
from sealegs.suites.suite import AnySuite, suites
from tests import needs

RUNS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "maze": (
        {"agent": "planner", "limit": 2, "recovery": "active"},
        {"agent": "naive", "limit": 2, "implicit": "published", "recovery": "active"},
    ),
    "highwater": (
        {"agent": "planner", "limit": 6, "interface": "calls"},
        {"agent": "naive", "limit": 6, "interface": "calls"},
    ),
    "paladin": ({"agent": "paladin/follows_prompt", "limit": 5},),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Path]]:
    """The folders of small runs of each suite that plays without Inspect."""
    pytest.importorskip("sqlglot", reason=needs.module("sqlglot"))
    home = tmp_path_factory.mktemp("runs")
    found: dict[str, list[Path]] = {}
    for name, runs in RUNS.items():
        for number, given in enumerate(runs):
            folder = home / f"{name}-{number}"
            suites()[name].run_scripted(suites()[name].options(**given, jobs=1).checked(), folder, lambda *_: None)
            found.setdefault(name, []).append(folder)
    return found


def names(suite: AnySuite) -> list[str]:
    return [metric.name for metric in suite.metrics]


def own(rows: list[Row]) -> set[str]:
    """The metrics of rows but those that every run has."""
    return {row["metric"] for row in rows} - {metric.name for metric in PLAYED}


@pytest.mark.parametrize("name", RUNS)
def test_the_declared_metrics_are_those_of_the_rows(name: str, folders: Mapping[str, list[Path]]) -> None:
    suite = suites()[name]
    rows = [row for folder in folders[name] for row in suite.report(folder).rows]
    assert own(rows) == set(names(suite))


def test_the_declared_metrics_are_those_of_labelled_runs_and_of_judged_samples() -> None:
    run = LabelledRun("id", "tip", "m", "python", "hang", "", 0, 1, "CORRECT", "CORRECT", True, True, Evidence("rule"))
    micro, inspect = suites()["micro"], suites()["inspect"]
    assert {row["metric"] for row in micro_table([run], metrics=micro.metrics)} == set(names(micro))
    played = [
        EvalResult("s1", "NP", 1, solved=True),
        EvalResult("s1", "P2", 1, solved=False, clean_solved=True, kinds=("error 503",), lasting=True),
    ]
    assert {row["metric"] for row in eval_table(played, {}, inspect.metrics)} == set(names(inspect))


@pytest.mark.parametrize("name", ["highwater", "inspect", "maze", "micro", "paladin"])
def test_the_help_names_the_metrics(name: str) -> None:
    declared = names(suites()[name])
    assert declared
    assert len(declared) == len(set(declared))
    shown = CliRunner(env={"COLUMNS": "400", "TERMINAL_WIDTH": "400"}).invoke(cli.app, ["run", name, "--help"])
    assert f"Metrics of its report: {', '.join(declared)}." in " ".join(shown.output.split())


@pytest.mark.parametrize("name", RUNS)
def test_a_report_asks_the_suites_judge(
    name: str, folders: Mapping[str, list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, asked = suites()[name], Counter[str]()
    judge = suite.judge

    def counted(episode: Any, record: Any) -> Any:
        asked[record.episode] += 1
        return judge(episode, record)

    before = suite.report(folders[name][0]).rows
    monkeypatch.setattr(type(suite), "judge", staticmethod(counted))
    assert suite.report(folders[name][0]).rows == before
    assert asked
    assert set(asked.values()) == {1}
    asked.clear()
    assert suite.entrants(folders[name][0])
    assert asked


@pytest.mark.parametrize("name", RUNS)
def test_a_page_has_the_sections_of_the_suite(
    name: str, folders: Mapping[str, list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason=needs.module("matplotlib"))
    suite = suites()[name]
    declared, found = tuple(suite.sections), suite.report(folders[name][0])

    def parts_of(*sections: PageSection[Any]) -> list[str]:
        monkeypatch.setattr(type(suite), "sections", sections)
        return _parts(found.page())

    alone = [parts_of(section) for section in declared]
    assert sum(map(bool, alone)) > 1
    assert parts_of(*declared) == [part for parts in alone for part in parts]
    assert parts_of(*declared[::-1]) == [part for parts in alone[::-1] for part in parts]
    assert parts_of() == []
    with pytest.raises(UserError, match=r"^there is no template lost\.html\.j2; a section names"):
        parts_of(PageSection("lost", "lost.html.j2", lambda _: {"given": 1}))


def _parts(page: str) -> list[str]:
    """The headings of the sections, in their order."""
    return re.findall(r"<section[^>]*>\s*<h2>([^<]*)", page)
