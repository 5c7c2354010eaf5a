"""The table of verdicts changes nothing but the time: whatever lies beside the records, they alone are believed."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from sealegs.engines import judging_ahead, table_parts
from sealegs.engines.logs import LogError, ReadEpisode
from sealegs.engines.table_parts import NOTE, TableParts
from sealegs.faults.user_error import UserError
from sealegs.scenarios.scenario import Scenario
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.suites import verdict_tables as table_of
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import MazeJudge, judge_maze_episode
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.suite import SUITE
from sealegs.suites.maze.verdict_table import FORM, read_maze_verdicts
from sealegs.suites.ranked_runs import ranked_tables
from sealegs.suites.suite import AnySuite
from sealegs.suites.verdict_tables import JudgedEpisode, encode_rows, table_beside
from sealegs.traces import Record, read_episodes
from sealegs.traces.episode_ranges import FILE_BEGINS, divide_records
from sealegs.traces.store import read_placed_episodes
from tests import needs

pq = pytest.importorskip("pyarrow.parquet", reason=needs.module("pyarrow"))
RECORDS = "episodes.jsonl"
EPISODES, LEAST, MOST = 20, 4, 8  # so that a whole run has parts of 8, 8 and 4 rows


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "planner"
    run_scripted_agent(MazeOptions(agent="planner", limit=1), folder, lambda *_: None, jobs=1)
    file = folder / RECORDS
    lines = file.read_text("utf-8").splitlines(keepends=True)
    first = json.loads(lines[0])
    first["about"]["outside"] = "the provider is gone"  # one is invalid
    file.write_text("".join([json.dumps(first) + "\n", *lines[1:]]), "utf-8")
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(table_parts, "LEAST", LEAST)
    monkeypatch.setattr(table_parts, "MOST", MOST)
    return Path(shutil.copytree(played, tmp_path / "run"))


def read(folder: Path) -> Any:
    """All that is read, with the record of each episode."""
    return read_maze_verdicts(folder, lambda _, one: (one[:-1], one.record()), SUITE.judge)


def directly(folder: Path) -> Any:
    """The same by the records alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_of, "tables_usable", lambda: False)
        return read(folder)


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("verdicts-*.parquet"))


def test_a_table_gives_what_the_records_give(folder: Path, judged: Counter[str]) -> None:
    true = directly(folder)
    judged.clear()
    assert read(folder) == true
    assert judged.total() == EPISODES - 1
    assert [pq.ParquetFile(file).metadata.num_rows for file in parts(folder)] == [8, 8, 4]
    assert {file.stat().st_mode & 0o777 for file in parts(folder)} == {0o600} or os.name == "nt"
    judged.clear()
    assert read(folder) == true
    assert not judged
    assert [len(own) for own in true.invalid.values()] == [1]


def shown(folder: Path, suite: AnySuite = SUITE) -> Iterator[Any]:
    found = suite.report(folder)
    text = io.StringIO()
    found.show(Console(file=text, width=120))
    yield from (found.rows, found.warnings, found.validity, text.getvalue(), found.page())
    yield [list(table.rows()) for table in ranked_tables([folder])]


def test_report_and_rank_say_the_same_to_the_byte(folder: Path, judged: Counter[str]) -> None:
    pytest.importorskip("matplotlib", reason=needs.module("matplotlib"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_of, "tables_usable", lambda: False)
        true = list(shown(folder))
    read(folder)
    judged.clear()
    assert list(shown(folder)) == true
    assert not judged


def rewrite(file: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    lines = file.read_text("utf-8").splitlines()
    file.write_text("".join(json.dumps(change(json.loads(line))) + "\n" for line in lines), "utf-8")


def test_other_records_are_judged_again(folder: Path, judged: Counter[str]) -> None:
    before = read(folder)
    size = (folder / RECORDS).stat().st_size
    turn = str.maketrans("0123456789", "1234567890")  # other answers, of the same length
    rewrite(folder / RECORDS, lambda one: {**one, "text": one["text"].translate(turn)} if "text" in one else one)
    assert (folder / RECORDS).stat().st_size == size
    judged.clear()
    found = read(folder)
    assert judged.total() == EPISODES - 1
    assert found == directly(folder)
    assert found.runs != before.runs
    judged.clear()
    read(folder)
    assert not judged


def test_other_code_judges_again(folder: Path, judged: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    true = read(folder)
    judged.clear()
    monkeypatch.setattr(table_parts, "source_digest", lambda _: "another version")
    assert read(folder) == true
    assert judged.total() == EPISODES - 1
    judged.clear()
    assert read(folder) == true
    assert not judged


def _other_judge(episode: Scenario, record: Record) -> MazeResult:
    """Nothing is ever a success."""
    found = judge_maze_episode(episode, record)
    return replace(found, verdict=replace(found.verdict, success=False))


def test_another_judge_is_asked(folder: Path) -> None:
    """Also where its table or that of Sealegs's own judge is there."""

    def wins(judge: MazeJudge) -> int:
        (found,) = read_maze_verdicts(folder, lambda _, one: one.result.verdict.success, judge).runs.values()
        return sum(found.values())

    for _ in range(2):
        assert wins(judge_maze_episode) == wins(judge_maze_episode) > 0
        assert wins(_other_judge) == wins(_other_judge) == 0
    assert len(parts(folder)) == 3
    for part in parts(folder):
        part.unlink()
    assert wins(lambda episode, record: _other_judge(episode, record)) == 0
    assert not parts(folder)  # what has no name cannot be told from others


def _foreign(file: Path) -> None:
    found = pq.ParquetFile(file).read()
    pq.write_table(found.append_column("more", [[1] * len(found)]), file)


def _renoted(file: Path, note: bytes) -> None:
    found = pq.ParquetFile(file).read()
    pq.write_table(found.replace_schema_metadata({NOTE: note}), file)


def _fewer(file: Path) -> None:
    """What a wrong bit of the footer can make: whole rows, and fewer of them, under the same note."""
    table = pq.read_table(file)
    pq.write_table(table.slice(0, 3), file)


def _noted_without_places(file: Path) -> None:
    note = json.loads(pq.read_schema(file).metadata[NOTE])
    _renoted(file, json.dumps({**note, "end": None}).encode())


def _flipped(file: Path) -> None:
    """A byte of the rows is another; the footer is as it was."""
    data = bytearray(file.read_bytes())
    data[60] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    "spoil",
    [
        Path.unlink,
        _flipped,
        _fewer,
        _noted_without_places,
        lambda file: file.write_bytes(file.read_bytes().replace(b'"start"', b'"rtart"')),
        _foreign,
        lambda file: _renoted(file, b"[]"),
        lambda file: _renoted(file, b'{"code": 3}'),
        lambda file: _renoted(file, b"not JSON"),
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-9]),
        lambda file: file.write_text("not Parquet"),
        lambda file: shutil.copy(file.with_name("verdicts-00001.parquet"), file),
    ],
    ids=[
        "missing",
        "a byte",
        "fewer rows",
        "no places in its note",
        "a letter of its note",
        "columns",
        "list",
        "short",
        "text",
        "empty",
        "cut",
        "foreign",
        "of other bytes",
    ],
)
def test_a_part_that_is_none_of_ours_is_made_again(
    spoil: Callable[[Path], Any], folder: Path, judged: Counter[str]
) -> None:
    true = read(folder)
    before = [file.read_bytes() for file in parts(folder)]
    spoil(parts(folder)[1])
    judged.clear()
    assert read(folder) == true
    assert judged.total() == EPISODES - MOST  # the first part stays
    assert [file.read_bytes() for file in parts(folder)] == before


def test_no_flipped_bit_of_a_footer_changes_anything(folder: Path) -> None:
    true = read(folder)
    part = parts(folder)[1]
    whole = part.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for nth, at in enumerate(range(start, len(whole), 61)):
        data = bytearray(whole)
        data[at] ^= 1 << nth % 8
        part.write_bytes(data)
        assert read(folder) == true, at


def test_only_what_is_new_is_judged(folder: Path, judged: Counter[str]) -> None:
    whole = (folder / RECORDS).read_bytes()
    starts = [at for at in range(len(whole)) if whole.startswith(b'{"type": "started"', at)]
    (folder / RECORDS).write_bytes(whole[: starts[10]])
    read(folder)
    assert len(parts(folder)) == 1  # two episodes more are too few for a part
    first = parts(folder)[0].stat()
    judged.clear()
    (folder / RECORDS).write_bytes(whole)
    found = read(folder)
    assert judged.total() == EPISODES - MOST
    assert parts(folder)[0].stat().st_ino == first.st_ino
    assert found == directly(folder)


@pytest.mark.parametrize("written", [False, True], ids=["before it is there", "after"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_kill_at_any_part_changes_nothing(
    number: int, written: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    true, write = directly(folder), table_parts.write_atomically

    def kill(path: Path, data: bytes, **more: Any) -> None:
        if path.name != f"verdicts-{number:05}.parquet":
            write(path, data, **more)
            return
        if written:
            write(path, data, **more)
        else:
            path.with_name(f".{path.name}.aside").write_bytes(data[:99])
        raise Killed

    monkeypatch.setattr(table_parts, "write_atomically", kill)
    with pytest.raises(Killed):
        read(folder)
    monkeypatch.setattr(table_parts, "write_atomically", write)
    assert len(parts(folder)) == number - (not written)
    assert read(folder) == true
    assert read(folder) == true
    assert len(parts(folder)) == 3


def test_what_breaks_off_or_is_in_pieces_is_reported_alike(folder: Path) -> None:
    whole = (folder / RECORDS).read_bytes()
    starts = [at for at in range(len(whole)) if whole.startswith(b'{"type": "started"', at)]
    half = whole[: whole.index(b"\n", starts[1]) + 1][starts[1] :]  # the start of an episode that never ended
    (folder / RECORDS).write_bytes(whole[: starts[12]] + half + whole[starts[12] :] + half + b'{"type"')
    true = directly(folder)
    assert sum("cut off" in note for note in true.warnings) == 2
    assert read(folder) == true
    assert read(folder) == true
    assert [pq.ParquetFile(file).metadata.num_rows for file in parts(folder)] == [8, 4]  # up to the gap


def test_there_is_no_table_where_none_can_be(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = directly(folder)
    assert not parts(folder)
    other = shutil.copy(folder / RECORDS, folder.parent / "records.jsonl")  # a file outside a run's folder
    assert read(Path(other)).runs == true.runs

    def full(*_: Any, **__: Any) -> None:
        raise UserError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(table_parts, "write_atomically", full)
        assert read(folder) == true
    assert not parts(folder)


def test_a_text_that_parquet_cannot_hold_ends_the_table(folder: Path) -> None:
    names = iter(range(EPISODES))

    def halved(event: dict[str, Any]) -> dict[str, Any]:
        """The tenth episode is named with half of a character."""
        is_tenth = event["type"] == "started" and next(names) == 9
        return {**event, "episode": event["episode"] + "\ud800"} if is_tenth else event

    rewrite(folder / RECORDS, halved)
    true = directly(folder)
    assert read(folder) == true
    assert read(folder) == true
    assert len(parts(folder)) == 1


def test_parts_are_of_one_edition_of_a_task_set(folder: Path) -> None:
    read(folder)
    table = table_beside(folder / RECORDS, FORM, SUITE.judge)
    assert table is not None
    (first, *_) = table.valid()
    known = {"mine": "1:a"}
    noted = replace(first.note, sets=known)
    _renoted(first.file, json.dumps(noted.__dict__).encode())
    own = (folder / RECORDS, pq.read_schema(first.file), encode_rows)
    assert TableParts(*own, known.__getitem__, SUITE.judge).valid()[0].note == noted
    assert not TableParts(*own, lambda _: "2:b", SUITE.judge).valid()
    assert not TableParts(*own, {}.__getitem__, SUITE.judge).valid()


TEXTS = st.text(st.characters(codec="utf-8"), max_size=9)
NUMBERS = st.integers(0, 2**31)
VERDICTS = st.builds(
    Verdict,
    **{name: st.booleans() for name in ("success", "published", "exposed", "solvable", "stopped", "noticed")},
    **dict.fromkeys(("calls", "calls_by_layer", "masked_faults", "doubled", "wrong"), NUMBERS),
    **{name: st.none() | NUMBERS for name in ("cost", "best")},
    **{name: st.lists(TEXTS, max_size=3).map(tuple) for name in ("reasons", "outcome_reasons", "milestones", "missed")},
    **{name: st.lists(TEXTS, max_size=3).map(tuple) for name in ("minefields", "salvaged")},
    redundancy=st.floats(0, 1),
    attribution=TEXTS,
    tainted=st.lists(NUMBERS, max_size=3).map(tuple),
)


def _row_with(verdict: Verdict | None) -> dict[str, Any]:
    texts = dict.fromkeys(("name", "outside", "level", "mode", "task", "rung", "version"), "")
    numbers: dict[str, Any] = {**dict.fromkeys(("start", "end"), 0), **dict.fromkeys(("tokens", "cost", "seconds"))}
    return {
        **texts,
        **numbers,
        "run": dict.fromkeys(FORM.schema.settings, ""),
        "episode": Scenario("task", "P1"),
        "verdict": verdict,
    }


@given(st.lists(st.none() | VERDICTS, min_size=1, max_size=8))
def test_a_verdict_comes_back_as_it_was(verdicts: list[Verdict | None]) -> None:
    columns, rows = table_parts.arrow_schema(FORM.columns), list(encode_rows(_row_with(one) for one in verdicts))
    import pyarrow as pa

    table = pa.Table.from_pylist(rows, columns)
    found: list[ReadEpisode[Scenario, JudgedEpisode[MazeResult]]] = list(table_of.episodes_of_rows(table, Path(), FORM))
    assert [one.kept and one.kept.result.verdict for one in found] == verdicts


def test_a_part_that_is_replaced_meanwhile_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = read(folder)
    first, second, _ = parts(folder)
    valid = TableParts.valid

    def replaced(table: TableParts) -> Any:
        found = valid(table)
        shutil.copy(first, second)  # as another process might
        return found

    with monkeypatch.context() as patch:
        patch.setattr(TableParts, "valid", replaced)
        assert read(folder) == true


def test_an_episode_is_read_again_at_its_place(folder: Path) -> None:
    read(folder)
    names = [events[0].episode for events in read_episodes(folder / RECORDS)]  # type: ignore[attr-defined]
    found = [row.kept for row in table_of.episodes_in(folder / RECORDS, [], FORM, SUITE.judge) if row.kept]
    assert [one.record().episode for one in found] == names[1:]


@pytest.fixture
def in_ranges(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two processes judge, three episodes at a time."""
    monkeypatch.setattr(judging_ahead, "LEAST", 0)
    monkeypatch.setattr(judging_ahead, "EPISODES", 3)
    with judging_ahead.judging_jobs(2):
        yield


def _streamed(lines: list[str]) -> list[str]:
    first = json.loads(lines[0])
    first["about"]["streamed"] = True
    return [*lines, json.dumps(first) + "\n", lines[1]]  # an episode of which no end was written


CHANGES: dict[str, Callable[[list[str]], list[str]]] = {
    "whole": lambda lines: lines,
    "with a damaged last line": lambda lines: [*lines[:-1], lines[-1][:20]],
    "with an episode cut off in the middle": lambda lines: [*lines, *lines[:2], *lines],
    "with a line of no episode": lambda lines: [*lines, lines[1]],
    "with an episode that never ended": _streamed,
    "with other spaces": lambda lines: [
        json.dumps(json.loads(line), indent=None, separators=(",", ":")) + "\n" for line in lines
    ],
}


@pytest.mark.parametrize("change", CHANGES)
def test_several_processes_give_what_one_gives(folder: Path, change: str, request: pytest.FixtureRequest) -> None:
    file = folder / RECORDS
    lines = CHANGES[change](file.read_text("utf-8").splitlines(keepends=True))
    file.write_text("".join(lines), "utf-8")
    expected = read(folder)
    tables = {part.name: part.read_bytes() for part in parts(folder)}
    for part in parts(folder):
        part.unlink()
    request.getfixturevalue("in_ranges")
    assert read(folder) == expected
    assert {part.name: part.read_bytes() for part in parts(folder)} == tables
    assert tables


@pytest.mark.parametrize("line", [0, 1, -2])
def test_several_processes_refuse_what_one_refuses(folder: Path, line: int, request: pytest.FixtureRequest) -> None:
    file = folder / RECORDS
    lines = file.read_text("utf-8").splitlines(keepends=True)
    lines[line] = lines[line][:20] + "\n"
    file.write_text("".join(lines), "utf-8")
    with pytest.raises(LogError) as expected:
        read(folder)
    request.getfixturevalue("in_ranges")
    with pytest.raises(LogError) as found:
        read(folder)
    assert str(found.value) == str(expected.value)


@pytest.mark.usefixtures("in_ranges")
def test_no_table_is_made_of_records_that_changed_while_they_were_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    divide = judging_ahead.divide_records

    def changed(*given: Any) -> Iterator[Any]:
        for within, data in divide(*given):
            yield within, data.replace(b"started", b"stopped", 1)  # as another process would have left them before

    monkeypatch.setattr(judging_ahead, "divide_records", changed)
    assert len(read(folder).runs) == 1
    assert not parts(folder)


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_ranges_are_the_file(folder: Path, size: int) -> None:
    file = folder / RECORDS
    found = list(divide_records(file, FILE_BEGINS, size))
    assert b"".join(data for _, data in found) == file.read_bytes()
    places = [place for within, _ in found for place, _ in read_placed_episodes(file, [], within)]
    assert places == [place for place, _ in read_placed_episodes(file, [])]
    assert [within.after.end for within, _ in found[1:]] == [within.until for within, _ in found[:-1]]
