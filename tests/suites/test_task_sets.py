"""Every suite names the edition of its tasks, in records, rows and pages, and refuses records of another one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines.logs import LogError
from sealegs.faults.user_error import UserError
from sealegs.suites.ranked_runs import ranked_tables
from sealegs.suites.suite import AnySuite, suites
from sealegs.suites.tool_suite import ToolSuite, ToolSuiteOptions
from sealegs.tasks.editions import CANARY, GUID, TASK_SET, contents_digest
from sealegs.traces import build_record, read_episodes
from tests import needs

EDITION = re.compile(r"\d+(-\w+)?:[0-9a-f]{12}")
SHELF = Path(__file__).parents[2] / "examples" / "shelf_suite" / "src"
OPTIONS: Mapping[str, dict[str, Any]] = {
    "maze": {"agent": "retrier", "levels": "C1", "modes": "NP,P1", "limit": 1},
    "highwater": {"agent": "naive", "limit": 1},
    "paladin": {"agent": "paladin/follower", "limit": 1},
    "shelf": {"agent": "hasty", "limit": 1},
}


def suite(name: str, monkeypatch: pytest.MonkeyPatch) -> AnySuite:
    if name != "shelf":
        return suites()[name]
    monkeypatch.syspath_prepend(SHELF)
    found: AnySuite = import_module("shelf_suite.suite").SUITE

    assert isinstance(found, ToolSuite)
    return found


def play(found: AnySuite, folder: Path) -> Path:
    folder.mkdir()
    found.run_scripted(found.options(jobs=1, **OPTIONS[found.name]).checked(), folder, lambda done, total: None)
    return folder


@pytest.mark.parametrize("name", OPTIONS)
def test_records_rows_and_page_name_the_edition(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = suite(name, monkeypatch)
    folder = play(found, tmp_path / "run")
    file = folder / "episodes.jsonl"
    records = [build_record(events) for events in read_episodes(file, [])]
    (edition,) = {record.about[TASK_SET] for record in records}
    assert EDITION.fullmatch(edition)
    assert {record.about["canary"] for record in records} == {CANARY}
    report = found.report(folder)
    assert {row[TASK_SET] for row in report.rows} == {edition}
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))
    assert f"<dt>task set</dt><dd>{edition}</dd>" in report.page()
    (entrant,) = found.entrants(folder)
    assert entrant.task_set == edition
    file.write_text(file.read_text("utf-8").replace(edition, edition[:-12] + "0" * 12), "utf-8")
    with pytest.raises(LogError, match=f"task set {edition[:-12]}0{{12}}, and {edition} is there now"):
        found.report(folder)


def test_a_campaign_names_the_edition_and_is_not_resumed_with_another(tmp_path: Path) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from sealegs.suites.micro.campaign.campaign_results import read_folder
    from sealegs.suites.micro.campaign.campaign_runner import prepare_campaign
    from sealegs.suites.micro.workloads import workloads_edition

    edition = workloads_edition()
    assert EDITION.fullmatch(edition)
    file = tmp_path / "small.campaign"
    file.write_text("tip unreachable model=scripted/oracle\n", "utf-8")
    folder = tmp_path / "run"
    prepare_campaign(str(file), "", folder, jobs=1, budget=20).run(lambda done, total: None, lambda note: None)
    found = read_folder(folder)
    assert {row[TASK_SET] for row in found.rows()} == {edition}
    record = build_record(next(iter(read_episodes(next((folder / "traces").iterdir()), []))))
    assert (record.about[TASK_SET], record.about["canary"]) == (edition, CANARY)
    settings_file = folder / "campaign.json"
    settings_file.write_text(settings_file.read_text("utf-8").replace(edition, "1-A:000000000000"), "utf-8")
    with pytest.raises(UserError, match=f"task_set was '1-A:0{{12}}', is '{edition}'"):
        prepare_campaign(str(file), "", folder, jobs=1, budget=20)


def test_runs_of_two_editions_are_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = suite("shelf", monkeypatch)
    first = play(found, tmp_path / "first")
    monkeypatch.setattr("sealegs.suites.suite.suites", lambda: {"shelf": found})
    monkeypatch.setattr(type(found), "tasks_digest", lambda self, episode: "f" * 12)
    second = play(found, tmp_path / "second")
    monkeypatch.setattr(type(found), "schema", property(_any_edition(type(found).schema)))
    with pytest.raises(UserError, match=r"differ in task_set: \S+:[0-9a-f]{12} and \S+:f{12}"):
        ranked_tables([first, second])


def _any_edition(schema: Any) -> Any:
    """The schema, reading records of any edition, as two machines with two editions would each read their own."""
    from dataclasses import replace

    def of(self: ToolSuite) -> Any:
        whole = schema.fget(self)
        return replace(whole, episode=lambda record, file: self.episode_from(record.about["episode"]))

    return of


def test_an_edition_follows_from_the_tasks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = suite("shelf", monkeypatch)
    assert isinstance(found, ToolSuite)
    (first, *_) = found.options_type().cases()
    assert found.tasks_digest(first) == found.tasks_digest(first)

    class Fewer(found.options_type):  # type: ignore[name-defined, misc]
        def cases(self) -> Any:
            return super().cases()[:1]

    monkeypatch.setattr(type(found), "options_type", Fewer)
    few = found.tasks_digest(first)
    monkeypatch.undo()
    assert few != found.tasks_digest(first)


def test_contents_differ_where_a_text_does_or_where_texts_are_parted_otherwise() -> None:
    digests = {contents_digest(texts) for texts in ([b"ab"], [b"a", b"b"], [b"b", b"a"], [b"ab", b""], [])}
    assert len(digests) == 5
    assert GUID in CANARY
    assert ToolSuiteOptions.model_fields["version"].default == "1"
