"""Inspect's logs of our own runs are traces too, and their tools are known."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from sealegs.cli import main
from sealegs.engines.direct import play_scenario
from sealegs.faults.call import Value
from sealegs.scenarios.scenario import Scenario
from sealegs.suites.maze.maze_eval import run_maze_in_inspect
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces import Recorder, Store, build_record
from sealegs.traces.observed import trace_from_events
from sealegs.traces.sources import TraceError, read_traces

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect leaves streams open

PLAN = """
name: wrong numbers
rules:
  - {id: broken, match: {tool: account_balance}, fault: {kind: physics_violation}}
  - {id: other, match: {tool: amount_at_rate}, fault: {kind: irrelevant_response}}
"""
TOOLS = '''
"""A shop of one tool."""
from pydantic import Field

from sealegs.faults.invariants import Bounds
from sealegs.world.state import World
from sealegs.world.tool import Answer, simulated_tool


class Price(Answer):
    """What something costs."""

    item: str = Field(description="What it is")
    price: float = Field(description="In euros")


@simulated_tool(
    domain="shopping",
    category="source",
    answer=Price,
    examples=({"item": "lamp"}, {"item": "sofa"}),
    invariants=(Bounds("price", minimum=0.0),),
)
def price(world: World, item: str) -> dict:
    """The price of an item.

    Args:
        item: what it is.
    """
    return {"item": item, "price": 10.0 * len(item)}
'''


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    settings = MazeOptions(agent="planner", limit=1, levels=("C2",), modes=("NP", "P1"), engine="inspect")
    run_maze_in_inspect(settings, folder, display="none")
    (found,) = folder.glob("*.eval")
    return found


def played(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Our command in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", ["sealegs", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_a_log_of_inspect_holds_the_episodes_that_a_direct_run_records(log: Path) -> None:
    notes: list[str] = []
    found = {trace.name: trace for trace in read_traces([log], notes)}
    assert notes == []
    assert set(found) == {"c2-01/NP/1", "c2-01/P1/1"}
    for mode in ("NP", "P1"):
        direct = trace_from_events(play_scenario(Scenario("c2-01", mode), "planner"))
        seen = found[direct.name]
        assert [(c.tool, c.arguments, c.said, c.shown, c.faulted) for c in seen.calls] == [
            (c.tool, c.arguments, c.said, c.shown, c.faulted) for c in direct.calls
        ]


def test_it_is_replayed_under_faults_that_must_know_the_tools(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(PLAN, encoding="utf-8")
    options = ["--episode", "c2-01/NP/1", "--plan", "plan.yaml", "--json", "rows.json"]
    assert played(["replay", str(log), *options], monkeypatch) == 0
    rows = json.loads(Path("rows.json").read_text(encoding="utf-8"))["rows"]
    delivered = {row["tool"]: [fault["delivered"] for fault in row["faults"]] for row in rows}
    assert delivered["account_balance"] == [True]
    assert delivered["amount_at_rate"] == [True]  # the world was asked about another entity
    assert {row["record"] for row in rows} == {"recorded"}


def test_a_plan_is_fitted_to_it(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert played(["plan", "from-traces", str(log), "--shown", "--no-latency", "--json", "seen.json"], monkeypatch) == 0
    rows = json.loads(Path("seen.json").read_text(encoding="utf-8"))["rows"]
    faulted = build_record(play_scenario(Scenario("c2-01", "P1"), "planner")).turns
    (tool,) = {turn.call.tool for turn in faulted if turn.faulted}
    assert [row["tool"] for row in rows if row["error"] is not None] == [tool]


def test_a_log_that_is_cut_off_is_read_as_far_as_it_goes(log: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.eval"
    with zipfile.ZipFile(log) as archive:
        end = max(one.header_offset for one in archive.infolist() if one.filename.startswith("samples/"))
    cut.write_bytes(log.read_bytes()[:end])
    notes: list[str] = []
    assert len(read_traces([cut], notes)) == 1
    assert notes == ["cut.eval was cut off while it was written; what is whole in it is read"]


def test_a_log_without_records_of_ours_is_reported(log: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "theirs.eval", "w") as archive:
        archive.writestr("samples/1.json", json.dumps({"id": 1, "events": []}))
    notes: list[str] = []
    with pytest.raises(TraceError, match="there is no tool call in"):
        read_traces([tmp_path / "theirs.eval"], notes)
    assert notes == ["theirs.eval: 1 sample(s) hold no record of ours and are left out"]
    (tmp_path / "broken.eval").write_bytes(b"PK nothing")
    with pytest.raises(TraceError, match="not a readable Inspect log"):
        read_traces([tmp_path / "broken.eval"])
    shutil.copy(log, tmp_path / "renamed.zip")
    assert len(read_traces([tmp_path / "renamed.zip"])) == 2


def test_a_world_may_be_named_that_knows_the_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from sealegs.inject import Session, VirtualClock

    monkeypatch.chdir(tmp_path)
    Path("tools.py").write_text(TOOLS, encoding="utf-8")
    rule = "{id: sign, match: {tool: price}, fault: {kind: physics_violation}}"
    Path("plan.yaml").write_text(f"{{name: p, rules: [{rule}]}}", encoding="utf-8")
    recorder = Recorder(VirtualClock())
    recorder.start("monday", {})
    Session(watcher=recorder).call("price", {"item": "lamp"}, lambda call: Value({"item": "lamp", "price": 40.0}))
    recorder.finish("answered")
    store = Store(Path("monday.jsonl"))
    store.append(recorder.events)
    store.close()
    options = ["replay", "monday.jsonl", "--plan", "plan.yaml", "--json", "rows.json"]
    assert played(options, monkeypatch) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "rule 'sign' (physics_violation) came to nothing on 1 call(s) of 'price', of which no invariants" in printed
    assert "--world" in printed
    assert played([*options, "--world", "tools.py"], monkeypatch) == 0
    assert "came to nothing" not in capsys.readouterr().out
    (row,) = json.loads(Path("rows.json").read_text(encoding="utf-8"))["rows"]
    assert row["struck"] is True
    assert played([*options, "--world", "nowhere.py"], monkeypatch) == 2
    assert "there is no Python file nowhere.py" in capsys.readouterr().err
