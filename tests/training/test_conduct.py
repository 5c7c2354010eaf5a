"""What a row must not teach is found in a row that teaches it, and in none that is made."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.training.data.conduct import BLIND, CAUSELESS, EARLY, KINDS, TRAINED, UNHEEDED, RowWithTools
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.slips import ARGUMENTS
from sealegs.training.data.task_sources import DataSources, all_base_tasks
from sealegs.world.corpus import load_corpus
from tests.training.made import rows
from tests.training.test_making import made


def found(row: Row) -> set[str]:
    return set(RowWithTools(row, all_base_tasks(DataSources())[row["base_task"]]).problems())


def without(row: Row, *keys: str) -> Row:
    return {name: value for name, value in row.items() if name not in keys}


@pytest.mark.parametrize("gone", [("messages", "tools"), ("conversations",)], ids=["toolbench", "trl"])
def test_no_row_teaches_what_it_must_not(gone: tuple[str, ...]) -> None:
    assert {row["id"]: found(without(row, *gone)) for row in rows() if found(without(row, *gone))} == {}


def first(fits: Callable[[Row], bool]) -> Row:
    """A copy of the first row that fits, in TRL's form alone."""
    return copy.deepcopy(without(next(row for row in rows() if fits(row)), "conversations"))


def dropped(row: Row, places: list[int]) -> Row:
    """The row without some of its calls, by their numbers from 0."""
    messages = row["messages"]
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    gone = {ids[place] for place in places}
    kept = [
        m
        for m in messages
        if m.get("tool_call_id") not in gone and not gone & {c["id"] for c in m.get("tool_calls", ())}
    ]
    return {**row, "messages": kept}


def spoken(row: Row) -> list[dict[str, Any]]:
    return [message for message in row["messages"] if message["role"] == "assistant"]


def looked(row: Row) -> list[int]:
    return [
        n
        for n, m in enumerate(spoken(row))
        for c in m.get("tool_calls", ())
        if "operation" in c["function"]["arguments"]
    ]


@pytest.mark.parametrize("strategy", ["look then stop", "look then switch", "look then retry then switch"])
def test_an_action_in_doubt_that_is_left_without_a_look(strategy: str) -> None:
    row = next(row for row in rows() if row["strategy"] == strategy)
    assert BLIND in found(dropped(row, looked(row)))


def test_an_action_that_acts_again_is_repeated() -> None:
    row = first(lambda row: row["strategy"] == "retry" and row["moment"] is not None)
    base = all_base_tasks(DataSources())[row["base_task"]]
    spec = base.specs[row["step_tool"]]
    assert not set(RowWithTools(row, base).problems())

    class Acting(RowWithTools):
        def spec(self, tool: str) -> Any:
            from dataclasses import replace

            return replace(spec, idempotent=False) if tool == spec.name else super().spec(tool)

    assert set(Acting(row, base).problems()) == {BLIND}


def test_a_slip_that_is_trained() -> None:
    row = first(lambda row: any(not m["train"] for m in spoken(row)))
    for message in spoken(row):
        message["train"] = True
    assert found(row) == {TRAINED}


def test_arguments_that_are_refused_and_right() -> None:
    row = first(lambda row: row["failure_class"] == ARGUMENTS)
    calls = [call["function"] for message in spoken(row) for call in message.get("tool_calls", ())]
    calls[row["step"] - 1]["arguments"] = calls[row["step"]]["arguments"]
    assert found(row) == {CAUSELESS}


def test_wrong_arguments_that_are_repeated() -> None:
    row = first(lambda row: row["failure_class"] == ARGUMENTS)
    calls = [call["function"] for message in spoken(row) for call in message.get("tool_calls", ())]
    calls[row["step"]]["arguments"] = calls[row["step"] - 1]["arguments"]
    assert CAUSELESS in found(row)


def test_an_error_of_arguments_that_nothing_caused() -> None:
    row = first(lambda row: row["mode"] == "NP")
    answer = next(message for message in row["messages"] if message["role"] == "tool")
    answer["content"] = json.dumps({"error": {"type": "KeyError", "message": "'city'"}})
    assert found(row) == {CAUSELESS}


def test_a_stop_before_all_is_done() -> None:
    stops = [row for row in rows() if row["outcome"] == "right stop"]
    early = 0
    for row in stops:
        tools = [c["function"]["name"] for m in spoken(row) for c in m.get("tool_calls", ())]
        last = max(
            n
            for n, tool in enumerate(tools)
            if tool in (row["step_tool"], load_corpus().tools[row["step_tool"]].shown_by)
        )
        if last + 1 < len(tools):
            early += 1
            assert EARLY in found(dropped(row, list(range(last + 1, len(tools)))))
    assert early


def test_advice_that_is_passed_over() -> None:
    row = first(lambda row: row["exemplar"] is not None and row["strategy"] in ("retry", "switch"))
    for message in spoken(row):
        message["content"] = "Recovery: on we go." if message["recovery"] else message["content"]
    assert found(row) == {UNHEEDED}


def test_the_check_counts_them_and_fails(tmp_path: Path) -> None:
    out = made(tmp_path / "set", n=25)
    checked = CliRunner().invoke(app, ["data", "check", str(out), "--sample", "0"])
    assert checked.exit_code == 0, checked.output
    for kind in KINDS:
        assert f"0 times: {kind}" in checked.stdout
    part = next((out / "data").glob("train-*.jsonl"))
    lines = [json.loads(line) for line in part.read_text().splitlines()]
    for message in lines[0]["messages"]:
        if message.get("tool_calls"):
            message["tool_calls"][0]["function"]["name"] = "no_such_tool"
            break
    part.write_text("".join(json.dumps(line) + "\n" for line in lines))
    checked = CliRunner().invoke(app, ["data", "check", str(out), "--sample", "0"])
    assert checked.exit_code == 1
    assert f"1 times {TRAINED}, as in row {lines[0]['id']}" in " ".join(checked.output.split())
