"""`sealegs plan from-traces` and `sealegs replay`: from production to a plan, and back into an episode."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sealegs.cli import main
from sealegs.faults.naming import import_callable
from sealegs.faults.plan_files import read_plan
from sealegs.faults.user_error import UserError
from sealegs.traces import Store, build_record, read_episodes
from tests.cli.test_run import sealegs
from tests.traces.test_sources import DATA, _recorded

SPANS = str(DATA / "pydantic_ai.jsonl")
PLAN = """
name: hard day
rules:
  - {match: {tool: search}, when: {nth: 1}, moment: before, fault: {kind: error, status: 503}}
"""
AGENT = """
from sealegs import wrap

def search(q, page=1):
    raise RuntimeError("the real tool ran")

def buy(id):
    raise RuntimeError("the real tool ran")

def run(session):
    find, order = wrap([search, buy], session)
    for _ in range(3):
        try:
            found = find(q="lamp")
            break
        except Exception as error:
            print("again after", type(error).__name__)
    try:
        return order(id=found[0]["id"])
    except TimeoutError:
        return "the shop is too slow"

def careless(session):
    return wrap(search, session)("sofa")

value = 5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "shopper.py").write_text(AGENT)
    return tmp_path


def test_a_plan_is_fitted_and_can_be_used(folder: Path) -> None:
    done = sealegs("plan", "from-traces", SPANS, str(DATA / "fastmcp.jsonl"), "--out", "fitted.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "TimeoutError" in done.stdout
    plan = read_plan(folder / "fitted.yaml")
    assert [rule.id for rule in plan.rules] == ["buy: TimeoutError", "buy: tool_error", "search: latency"]
    assert sealegs("replay", SPANS, "--plan", "fitted.yaml", cwd=folder).returncode == 0


def test_the_plan_comes_alone_on_standard_output_and_so_do_the_rows(folder: Path) -> None:
    done = sealegs("plan", "from-traces", SPANS, "--no-latency", "--name", "ours", cwd=folder)
    (folder / "again.yaml").write_text(done.stdout)
    assert read_plan(folder / "again.yaml").name == "ours"
    rows = json.loads(sealegs("plan", "from-traces", SPANS, "--json", "-", cwd=folder).stdout)
    assert rows["traces"] == 1
    assert {row["tool"]: row["calls"] for row in rows["rows"] if row["error"] is None} == {"buy": 1, "search": 2}
    assert rows["plan"]["rules"][0]["fault"]["kind"] == "timeout"


def test_an_agent_plays_against_a_recorded_episode(folder: Path) -> None:
    written = ("--records", "r.jsonl", "--json", "t.json")
    command = ("replay", SPANS, "--plan", "plan.yaml", "--agent", "shopper:run", *written)
    done = sealegs(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "again after ServiceUnavailable" in done.stdout
    assert "answer: the shop is too slow" in done.stdout
    rows = json.loads((folder / "t.json").read_text())["rows"]
    assert [(row["tool"], row["record"], row["struck"]) for row in rows] == [
        ("search", None, True),
        ("search", "recorded", False),
        ("buy", "recorded", False),
    ]
    (events,) = read_episodes(folder / "r.jsonl")
    assert build_record(events).answer == "the shop is too slow"


def test_what_the_record_cannot_answer_is_reported_and_an_agent_that_breaks_is_exit_code_1(folder: Path) -> None:
    done = sealegs("replay", SPANS, "--agent", "shopper:careless", cwd=folder)
    assert done.returncode == 1
    assert "1 without a record" in done.stdout
    assert 'search {"q": "sofa"}: the record has no call with these arguments' in done.stdout
    assert "crashed (NoRecord" in done.stdout


def test_our_own_records_are_replayed_without_their_faults(folder: Path) -> None:
    from sealegs.faults import Value

    store = Store(folder / "records.jsonl")
    store.append(_recorded(read_plan(folder / "plan.yaml"), lambda: Value({"n": 1}), calls=3).events)
    store.close()
    rows = json.loads(sealegs("replay", "records.jsonl", "--json", "-", cwd=folder).stdout)["rows"]
    assert [row["record"] for row in rows] == ["recorded"] * 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["replay", "nowhere.jsonl"], ["nowhere.jsonl", "cannot be read"]),
        (["replay", SPANS, "--episode", "x"], ["'x'", "it has 1"]),
        (["replay", SPANS, "--agent", "shopper"], ["'shopper'", "module:function"]),
        (["replay", SPANS, "--agent", "shoper:run"], ["'shoper'", "there is no module"]),
        (["replay", SPANS, "--agent", "shopper:rum"], ["'rum'", "did you mean run?"]),
        (["replay", SPANS, "--agent", "shopper:value"], ["int", "cannot be called"]),
        (["replay", str(DATA / "fastmcp.jsonl")], ["nothing can be served again", "gen_ai.tool.call.result"]),
        (["plan", "from-traces", "plan.yaml"], ["plan.yaml", "is not JSON"]),
        (["plan", "from-traces", "empty.jsonl"], ["empty.jsonl", "no tool call"]),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    folder: Path,
    arguments: list[str],
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "empty.jsonl").write_text("")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["sealegs", *arguments])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    message = " ".join(capsys.readouterr().err.split())
    for word in words:
        assert word in message


def test_a_module_that_the_agent_lacks_is_reported_with_its_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "lacking.py").write_text("import no_such_package\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(UserError, match=r"^lacking cannot be used: .*'no_such_package' \(lacking.py:1\)$"):
        import_callable("lacking:run")
