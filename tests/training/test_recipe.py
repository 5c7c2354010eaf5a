"""Recipes and rows: what is read, and that all mistakes are reported. Needs none of training's packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.faults.user_error import UserError
from sealegs.training.conversation_rows import (
    BadRow,
    data_files,
    digest_files,
    parse_row,
    read_row_texts,
    validation_folder,
)
from sealegs.training.training_recipe import PROJECTIONS, parse_training_recipe, read_training_recipe
from tests import needs
from tests.training.small import row


def test_the_shipped_recipe_has_the_published_settings() -> None:
    found = read_training_recipe("paladin", {"model": "m", "data": "d"})
    assert found.lora is not None
    assert (found.lora.r, found.lora.alpha, found.lora.dropout) == (16, 32, 0)
    assert set(found.lora.targets) == {f"{name}_proj" for name in ("q", "k", "v", "o", "up", "down", "gate")}
    assert (found.precision, found.optimizer) == ("bf16", "paged_adamw_32bit")
    assert (found.learning_rate, found.schedule, found.epochs) == (2e-4, "constant", 1)
    assert (found.context, found.batch, found.accumulation) == (8192, 1, 8)


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("model: m\nlambda: -1\nlora: {r: 0, rank: 4}\nprecision: fp8\nepochs: many\n")
    with pytest.raises(UserError) as caught:
        read_training_recipe(str(path), {})
    message = str(caught.value)
    assert "6 mistakes" in message
    for place in ("lambda: -1", "lora.r: 0", "lora.rank:", 'precision: "fp8"', 'epochs: "many"', "data: is missing"):
        assert place in message, message


def test_files_beside_the_recipe_are_found(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("")
    (tmp_path / "mine.yaml").write_text("model: some/name\ndata: rows.jsonl\nlearning_rate: 2e-4\n")
    found = read_training_recipe(str(tmp_path / "mine.yaml"), {})
    assert (found.name, found.model, found.data) == ("mine", "some/name", str(tmp_path / "rows.jsonl"))
    assert found.learning_rate == 2e-4
    with pytest.raises(UserError, match="neither a file nor a recipe that ships"):
        read_training_recipe("nothing", {})


def test_the_digest_changes_with_what_decides_the_run() -> None:
    base = {"model": "m", "data": "d"}
    same = parse_training_recipe({**base, "data": "elsewhere", "keep": 5, "name": "other"})
    assert parse_training_recipe(base).digest == same.digest
    assert parse_training_recipe(base).digest != parse_training_recipe({**base, "lambda": 2}).digest
    assert parse_training_recipe(base).lora is not None
    assert parse_training_recipe({**base, "lora": None}).lora is None
    assert PROJECTIONS[0] == "q_proj"


def test_the_command_tells_mistakes_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(app, ["train", "paladin"])
    assert isinstance(found.exception, UserError)
    assert "2 mistakes" in str(found.exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("marks", ["flags", "indices", "truth values", "json"])
def test_recovery_is_marked_in_any_of_the_ways(marks: str) -> None:
    one = row(3, recovering=True)
    nth = next(place for place, message in enumerate(one["messages"]) if message.get("recovery"))
    if marks != "flags":
        del one["messages"][nth]["recovery"]
        truth = [place == nth for place in range(len(one["messages"]))]
        one["recovery"] = truth if marks == "truth values" else [nth]
    if marks == "json":
        one = {name: json.dumps(value) for name, value in one.items()}
    found = parse_row(json.dumps(one))
    assert found.recovery == {nth}
    assert found.tools[0]["function"]["name"] == "weather"


def test_arguments_may_be_json_text_and_marks_of_tools_are_left_out() -> None:
    one = row(3, recovering=True)
    one["messages"][2]["tool_calls"][0]["function"]["arguments"] = '{"town": "Oslo"}'
    one["recovery"] = [0, 3]
    found = parse_row(json.dumps(one))
    assert found.messages[2]["tool_calls"][0]["function"]["arguments"] == {"town": "Oslo"}
    assert found.recovery == {4}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1]", "is not an object but"),
        ('{"messages": "{"}', "`messages` is text, but not JSON"),
        ('{"messages": [{"role": "robot"}]}', "has no role among"),
        ('{"messages": [{"role": "user", "content": "a"}]}', "no message of the assistant"),
        ('{"messages": [{"role": "assistant", "content": "a", "train": false}]}', "nothing to learn"),
        ('{"messages": [{"role": "assistant", "content": "a", "train": "no"}]}', "neither true nor false"),
        ('{"messages": [{"role": "assistant"}], "recovery": [7]}', "messages that are not there"),
        ('{"messages": [{"role": "assistant"}], "recovery": [true, false]}', "2 truth values for 1 messages"),
        ('{"messages": [{"role": "assistant", "tool_calls": [{}]}]}', "a tool call without a name"),
        ('{"messages": [{"role": "assistant"}], "tools": 3}', "`tools` is not a list"),
    ],
)
def test_bad_rows_say_why(text: str, reason: str) -> None:
    with pytest.raises(BadRow, match=reason):
        parse_row(text)


def test_files_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no train"):
        data_files(str(tmp_path))
    for name in ("train-1.jsonl", "train-0.jsonl", "test.jsonl", "train.md"):
        (tmp_path / name).write_text('{"n": "' + name + '"}\n\n')
    assert [file.name for file in data_files(str(tmp_path))] == ["train-0.jsonl", "train-1.jsonl"]
    assert [place for place, _ in read_row_texts(data_files(str(tmp_path)))] == ["train-0.jsonl:1", "train-1.jsonl:1"]
    assert validation_folder(str(tmp_path)) is None
    (tmp_path / "validation.jsonl").write_text("")
    assert validation_folder(str(tmp_path)) == str(tmp_path)
    (tmp_path / "made" / "data").mkdir(parents=True)
    (tmp_path / "made" / "data" / "train-00000.jsonl").write_text("{}")
    assert [file.name for file in data_files(str(tmp_path / "made"))] == ["train-00000.jsonl"]
    before = digest_files(data_files(str(tmp_path)))
    (tmp_path / "train-1.jsonl").write_text("{}")
    assert digest_files(data_files(str(tmp_path))) != before
    with pytest.raises(UserError, match="rows are read from"):
        data_files(str(tmp_path / "train.md"))


def test_parquet_rows_read_like_lines(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason=needs.module("pyarrow"))
    import pyarrow.parquet as parquet

    one = row(3, recovering=True)
    flat = {"messages": json.dumps(one["messages"]), "tools": json.dumps(one["tools"])}
    parquet.write_table(pyarrow.Table.from_pylist([flat]), tmp_path / "train.parquet")
    [(place, text)] = read_row_texts(data_files(str(tmp_path)))
    assert place == "train.parquet:1"
    assert parse_row(text) == parse_row(json.dumps(one))
    (tmp_path / "train.parquet").write_text("no")
    with pytest.raises(UserError, match="is not a Parquet file"):
        list(read_row_texts(data_files(str(tmp_path))))
