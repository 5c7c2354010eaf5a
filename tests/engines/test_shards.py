"""The division among shards: exact, even, and the same whatever the order; and what a shard's folder refuses."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.engines.shards import (
    NOTE,
    Shard,
    ShardNote,
    absent_shards_note,
    describe_shard,
    open_shard_folder,
    parse_shard,
    read_shard_note,
)
from sealegs.faults.user_error import UserError

KEYS = st.lists(st.text(), unique=True, max_size=60)


@given(KEYS, st.integers(1, 70))
def test_every_key_is_of_one_shard_and_shards_are_even(keys: list[str], of: int) -> None:
    parts = [Shard(number, of).among(keys, str) for number in range(1, of + 1)]
    assert sorted(key for part in parts for key in part) == sorted(keys)
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


@given(KEYS, st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_order_of_the_keys_does_not_matter(keys: list[str], of: int, draw: random.Random) -> None:
    shuffled = list(keys)
    draw.shuffle(shuffled)
    for number in range(1, of + 1):
        part = Shard(number, of).among(keys, str)
        assert set(part) == set(Shard(number, of).among(shuffled, str))
        assert part == [key for key in keys if key in part], "a shard keeps the order"


@given(KEYS, st.integers(1, 9))
def test_a_note_counts_what_the_shard_holds(keys: list[str], of: int) -> None:
    for number in range(1, of + 1):
        note = describe_shard(Shard(number, of), "maze", keys, {})
        assert (note.own, note.total) == (len(Shard(number, of).among(keys, str)), len(keys))


def test_neighbours_do_not_go_together() -> None:
    keys = [f"c1-{task:02}/{mode}/1" for task in range(40) for mode in ("NP", "P1", "P2", "P3", "P4")]
    modes = {key.split("/")[1] for key in Shard(2, 5).among(keys, str)}
    assert modes == {"NP", "P1", "P2", "P3", "P4"}, "dealing in the listed order would give one mode to each shard"


@given(st.integers(1, 100_000).flatmap(lambda of: st.tuples(st.integers(1, of), st.just(of))))
def test_a_shard_is_read_as_it_is_written(pair: tuple[int, int]) -> None:
    assert parse_shard(str(Shard(*pair))) == pair


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3", "i/n"),
        ("a/b", "i/n"),
        ("1/2/3", "i/n"),
        ("-1/3", "i/n"),
        (" 1/3", "i/n"),
        ("1/३", "i/n"),
        ("0/3", "from 1 to 3"),
        ("4/3", "from 1 to 3"),
        ("1/0", "1 to 100,000 shards"),
        ("1/100001", "1 to 100,000 shards"),
    ],
)
def test_what_is_no_shard_is_refused_with_its_value(text: str, reason: str) -> None:
    with pytest.raises(UserError) as error:
        parse_shard(text)
    assert text in str(error.value)
    assert reason in str(error.value)


def note(shard: str = "1/2", **settings: object) -> ShardNote:
    found = parse_shard(shard)
    assert found is not None
    return describe_shard(found, "maze", ["a", "b", "c"], settings)


def test_a_folder_is_of_one_shard(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    open_shard_folder(folder, note(limit=1))
    open_shard_folder(folder, note(limit=1))
    for other, reason in [
        (note("2/2", limit=1), "holds shard 1/2, not 2/2"),
        (note("1/3", limit=1), "holds shard 1/2, not 1/3"),
        (note(limit=2), "limit was 1, is 2"),
        (replace(note(limit=1), code="other"), "the version of the code"),
        (replace(note(limit=1), keys="other"), "what there is to do"),
        (None, "holds shard 1/2; add --shard 1/2"),
    ]:
        with pytest.raises(UserError, match=reason):
            open_shard_folder(folder, other)
    assert read_shard_note(folder) == note(limit=1)


def test_a_folder_with_a_whole_run_takes_no_shard(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match="holds no shard"):
        open_shard_folder(tmp_path, note())
    assert not (tmp_path / NOTE).exists()


def test_what_a_killed_process_was_writing_stops_no_shard(tmp_path: Path) -> None:
    (tmp_path / ".shard.json.123").write_text("{", encoding="utf-8")
    open_shard_folder(tmp_path, note())
    assert read_shard_note(tmp_path) == note()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "maze"}'])
def test_a_damaged_note_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / NOTE).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"shard\.json is damaged"):
        read_shard_note(tmp_path)


def test_files_that_the_options_name_are_part_of_the_work(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    (tasks / "one.yaml").write_text("a: 1", encoding="utf-8")
    before = note(tasks=str(tasks))
    assert note(tasks=str(tasks)) == before
    (tasks / "one.yaml").write_text("a: 2", encoding="utf-8")
    assert note(tasks=str(tasks)).files != before.files


def test_a_reader_of_some_shards_gets_a_note_of_it(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abc"]
    for folder, shard in zip(folders, ("1/3", "2/3", "3/3"), strict=True):
        open_shard_folder(folder, note(shard))
    (line,) = absent_shards_note(folders[:1])
    assert line == "this is shard 1/3: 1 of 3; `sealegs merge` joins it with the others"
    assert absent_shards_note(folders[1:]) == [
        "these are the shards 2/3, 3/3: 2 of 3; `sealegs merge` joins them with the others"
    ]
    assert absent_shards_note(folders) == []
    json.loads((folders[0] / NOTE).read_text("utf-8"))
