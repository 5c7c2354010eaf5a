"""`sealegs report` on what no suite made: an experiment's folder, records of one's own, a replay, spans."""

from __future__ import annotations

import json
import re
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sealegs.adapters.python import tool
from sealegs.cli import main
from sealegs.engines.logs import LogError
from sealegs.experiments import experiment
from sealegs.experiments.log_reports import report_on
from sealegs.faults.plan_files import plan_from
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.suites.suite_reports import RunReport
from sealegs.traces import Event, Recorder, Store
from tests import needs
from tests.experiments import agents

PLAN = plan_from(
    {
        "name": "own",
        "rules": [
            {"match": {"tool": "pay"}, "when": {"first": 1}, "fault": {"kind": "lost_ack"}},
            {"match": {"tool": "look"}, "when": {"nth": 2}, "fault": {"kind": "error", "status": 503}},
        ],
    }
)


@tool(effects=True)
def pay(amount: float) -> dict[str, Any]:
    return {"paid": amount}


@tool(effects=False)
def look(number: int) -> dict[str, Any]:
    if number > 2:
        raise ValueError("<no such order>")
    return {"number": number}


def tried(call: Any, *given: Any) -> Any:
    try:
        return call(*given)
    except Exception:
        return None


def episode(name: str, looks: int, pays: int, about: dict[str, Any] | None = None, crashed: str = "") -> list[Event]:
    """An episode that looks and pays so often."""
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start(name, about or {})
    with Session(PLAN, episode=name, clock=clock, watcher=recorder):
        for number in range(1, looks + 1):
            tried(look, number)
        for _ in range(pays):
            tried(pay, 10.0)
    if crashed:
        recorder.finish("crashed", detail=crashed)
    else:
        recorder.finish("answered", answer="paid <b>10</b>")
    return recorder.events


def written(file: Path, *episodes: list[Event]) -> Path:
    store = Store(file)
    for events in episodes:
        store.append(events)
    store.close()
    return file


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return written(
        tmp_path / "own.jsonl",
        episode("plain", 1, 0),
        episode("looking", 3, 0, crashed="KeyError: 'x'"),
        episode("paying", 1, 2, {"input": "Pay 10"}),
    )


def value(report: RunReport, level: str, mode: str, metric: str) -> Any:
    (row,) = [one for one in report.rows if (one["level"], one["mode"], one["metric"]) == (level, mode, metric)]
    assert row["suite"] == "records"
    return row["value"], row["n"]


def printed(report: RunReport) -> str:
    text = StringIO()
    report.show(Console(width=120, file=text))
    return text.getvalue()


def test_the_rows_of_records_that_nobody_judged(records: Path) -> None:
    report = report_on(records)
    assert value(report, "all", "all", "episodes") == (3, 3)
    assert value(report, "all", "all", "delivered") == (66.67, 3)
    assert value(report, "all", "all", "doubled") == (33.33, 3)
    assert value(report, "all", "all", "calls") == (2.33, 3)
    assert value(report, "look", "all", "calls") == (5, 5)
    assert value(report, "look", "all", "failures_shown") == (2, 5)
    assert value(report, "look", "error", "failures_shown") == (1, 5)
    assert value(report, "look", "none", "failures_shown") == (1, 5)
    assert value(report, "look", "none", "faults") == (0, 5)
    assert value(report, "pay", "lost_ack", "faults") == (1, 2)
    assert value(report, "pay", "lost_ack", "failures_shown") == (1, 2)


def test_the_tables_say_that_there_is_no_verdict(records: Path) -> None:
    text = printed(report_on(records))
    assert "own.jsonl: 3 episodes" in text
    assert "No verdict" in text
    assert re.search(r"^look +5 +1 +2 *$", text, re.MULTILINE)
    assert re.search(r"^  without a fault +0 +1 *$", text, re.MULTILINE)


def test_the_page_has_a_card_for_each_episode(records: Path) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))
    page = report_on(records).page()
    assert re.findall(r'id="(episode-\d)"', page) == ["episode-3", "episode-2", "episode-1"], "worth a look first"
    assert "No verdict" in page
    doubled, crashed, plain = re.findall(r"<article.*?</article>", page, re.DOTALL)
    assert "took effect twice: call-2" in doubled
    assert "<dd>Pay 10</dd>" in doubled
    assert "lost ack, after" in doubled
    assert "The tool said: {&#34;paid&#34;: 10.0}" in doubled
    assert "answered: paid &lt;b&gt;10&lt;/b&gt;" in doubled
    assert "ended without an answer: KeyError" in crashed
    assert "The tool did not run." in crashed
    assert "&lt;no such order&gt;" in crashed
    assert 'class="tag fault"' not in plain


def test_an_undeclared_repetition_is_a_remark(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))

    @tool
    def pay(amount: float) -> float:
        return amount

    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("one", {})
    with Session(PLAN, clock=clock, watcher=recorder):
        tried(pay, 1.0)
        tried(pay, 1.0)
    recorder.finish("answered")
    report = report_on(written(tmp_path / "own.jsonl", recorder.events))
    assert value(report, "all", "all", "doubled") == (0, 1)
    assert 'class="remark">pay(amount=1.0) ran twice, and may have effects' in report.page()
    assert "ended by itself; its answer is not recorded" in report.page()


def test_a_replay_and_a_folder_of_records(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = records.parent / "folder"
    folder.mkdir()
    monkeypatch.setattr(sys, "argv", ["sealegs", "replay", str(records), "--records", str(folder / "again.jsonl")])
    with pytest.raises(SystemExit):
        main()
    written(folder / "more.jsonl", episode("more", 1, 1))
    report = report_on(folder)
    assert value(report, "all", "all", "episodes") == (4, 4)
    assert "folder: 4 episodes" in printed(report)


def test_spans_of_opentelemetry(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.arguments": '{"number": 1}',
        "gen_ai.tool.call.result": '{"total": 4}',
    }
    span = {
        "traceId": "0" * 31 + "1",
        "spanId": "0" * 15 + "1",
        "name": "execute_tool look",
        "startTimeUnixNano": "1000000000",
        "endTimeUnixNano": "2000000000",
        "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()],
    }
    file = tmp_path / "spans.json"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    report = report_on(file)
    assert value(report, "look", "all", "calls") == (1, 1)
    assert "look(number=1)" in report.page()
    assert "continued in a way that the spans do not show" in report.page()
    with pytest.raises(UserError, match=r"^--against x: .*spans.json holds spans"):
        report_on(file, "x")


def test_an_experiment_is_reported_as_it_was(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))
    here = tmp_path / "tests" / "here"
    for agent in (agents.naive, agents.hasty):
        made = experiment(agent, inputs=["x"], check=agents.fine, runs=5, out=here)
    for logs in (here, here / "episodes.jsonl", here.parent):
        found = report_on(logs)
        assert found.rows == made.rows
        assert found.page() == made.page()
        assert made.summary in " ".join(printed(found).split("\n"))
        assert not found.warnings
    with pytest.raises(UserError, match=r"holds an experiment, and only runs of one suite are compared"):
        report_on(here, "maze")
    (here / "verdict.json").unlink()
    assert "has not ended" in report_on(here).warnings[0]
    experiment(agents.careful, inputs=["x"], runs=2, out=here.parent / "there")
    with pytest.raises(UserError, match=r"holds 2 experiments \(.*here, .*there\); name the folder of one"):
        report_on(here.parent)
    (here / "run.json").write_text("{")
    with pytest.raises(UserError, match="name a folder that `sealegs test` made"):
        report_on(here)
    (here / "run.json").unlink()
    alone = report_on(here / "episodes.jsonl")
    assert "run.json of `sealegs test` is not beside" in alone.warnings[0]
    assert value(alone, "all", "all", "episodes") == (len(made.runs), len(made.runs))


def test_a_suite_that_is_not_installed_is_not_judged(tmp_path: Path) -> None:
    report = report_on(written(tmp_path / "theirs.jsonl", episode("one", 1, 0, {"suite": "theirs"})))
    assert report.warnings == ("the suite 'theirs' is not installed, so its episodes are not judged",)
    assert "No verdict" in printed(report)


def test_records_without_a_finished_episode(tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_text("")
    with pytest.raises(LogError, match="holds no finished episode"):
        report_on(tmp_path / "cut.jsonl")


def test_the_command_writes_the_page_and_the_rows(
    records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))
    monkeypatch.setattr(sys, "argv", ["sealegs", "report", str(records), "--json", "-"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["metric"] == "episodes"
    assert "No verdict" in (records.parent / "report.html").read_text()
