"""The table that a run writes while it plays says what a reader of the records would find out."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines import direct, logs, table_parts
from sealegs.engines.direct import EpisodeLines
from sealegs.engines.folders import RECORDS, open_run_folder
from sealegs.scenarios.scenario import Scenario
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.suites import played_tables
from sealegs.suites.maze import agent_run
from sealegs.suites.maze.maze_logs import SCHEMA, MazeJudge, judge_maze_episode
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.verdict_table import FORM, read_maze_verdicts
from sealegs.suites.verdict_tables import known_with_table
from sealegs.traces import Event, Record
from tests import needs

pq = pytest.importorskip("pyarrow.parquet", reason=needs.module("pyarrow"))
LEAST, MOST = 4, 8  # so that a run of 20 episodes has parts of 8, 8 and 4 rows


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_parts, "LEAST", LEAST)
    monkeypatch.setattr(table_parts, "MOST", MOST)


def play(folder: Path, agent: str = "planner", jobs: int = 1, **more: Any) -> None:
    agent_run.run_scripted_agent(MazeOptions(agent=agent, limit=1, **more), folder, lambda *_: None, jobs=jobs)


def rows(folder: Path) -> list[list[dict[str, Any]]]:
    """Those of each part."""
    return [pq.read_table(file).to_pylist() for file in sorted(folder.glob("verdicts-*.parquet"))]


def notes(folder: Path) -> list[bytes]:
    return [pq.read_schema(file).metadata[table_parts.NOTE] for file in sorted(folder.glob("verdicts-*.parquet"))]


def read(folder: Path, judge: MazeJudge = judge_maze_episode) -> Any:
    return read_maze_verdicts(folder, lambda _, one: (one[:-1], one.record()), judge)


@wraps(judge_maze_episode)  # so that it is taken for that
def refuse(episode: Scenario, record: Record) -> MazeResult:
    raise AssertionError(f"{episode.id} was judged again")


def judged_anew(folder: Path) -> Any:
    """What a reader finds out from the records, and the table that it writes."""
    for file in folder.glob("verdicts-*.parquet"):
        file.unlink()
    return read(folder), rows(folder), notes(folder)


@pytest.mark.parametrize("agent", ["planner", "oracle", "verifier", "retrier"])
@pytest.mark.parametrize("recovery", ["off", "active"])
def test_a_run_leaves_the_table_that_its_records_give(tmp_path: Path, agent: str, recovery: str) -> None:
    play(tmp_path, agent, recovery=recovery)
    left = rows(tmp_path), notes(tmp_path)
    assert [len(part) for part in left[0]] == [8, 8, 4]
    found = read(tmp_path, refuse)  # nothing is judged again
    assert (found, *left) == judged_anew(tmp_path)


def test_workers_judge_what_they_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "CHUNK", 4)
    play(tmp_path, jobs=2)
    left = rows(tmp_path), notes(tmp_path)
    assert sum(map(len, left[0])) == 20
    assert left == judged_anew(tmp_path)[1:]


def stopped(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next run be interrupted after so many episodes."""
    whole = agent_run.play_scenarios

    def some(left: Sequence[Scenario], **how: Any) -> Iterator[EpisodeLines]:
        yield from whole(left[:after], **how)
        monkeypatch.setattr(agent_run, "play_scenarios", whole)
        raise KeyboardInterrupt

    monkeypatch.setattr(agent_run, "play_scenarios", some)


@pytest.mark.parametrize("after", [1, 3, 10, 15])
def test_a_resumed_run_judges_what_no_part_has(tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(after, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    assert [len(part) for part in rows(tmp_path)] == [8] * (after // MOST)
    play(tmp_path)
    left = rows(tmp_path), notes(tmp_path)
    assert [len(part) for part in left[0]] == [8, 8, 4]
    assert (read(tmp_path, refuse), *left) == judged_anew(tmp_path)


def test_a_resumed_run_leaves_what_would_take_long_to_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(10, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    assert [len(part) for part in rows(tmp_path)] == [8]
    monkeypatch.setattr(played_tables, "MOST_JUDGED", 1)
    play(tmp_path)
    assert [len(part) for part in rows(tmp_path)] == [8]
    assert read(tmp_path) == judged_anew(tmp_path)[0]


def test_an_end_that_cannot_be_judged_is_left_to_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(10, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)

    def fails(*_: object) -> None:
        raise ValueError("damaged")

    with monkeypatch.context() as patched:
        patched.setattr("sealegs.suites.verdict_tables.judged_episode", fails)
        play(tmp_path)
    assert [len(part) for part in rows(tmp_path)] == [8]
    assert read(tmp_path) == judged_anew(tmp_path)[0]


def test_a_resumed_run_reads_no_record_that_the_table_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(18, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    assert [len(part) for part in rows(tmp_path)] == [8, 8]
    built: list[str] = []
    whole = logs.build_record

    def build(events: list[Event]) -> Record:
        found = whole(events)
        built.append(found.episode)
        return found

    monkeypatch.setattr(logs, "build_record", build)
    options = MazeOptions(agent="planner", limit=1)
    with_table = open_run_folder(options, tmp_path, SCHEMA, partial(known_with_table, form=FORM))
    assert len(built) == 2
    assert with_table == open_run_folder(options, tmp_path, SCHEMA) == options.episodes()[18:]
    assert len(built) == 2 + 18


def marked(folder: Path, *invalid: int) -> list[str]:
    """Let these episodes of a run have failed outside the agent and the tools; their names."""
    for beside in (*folder.glob("verdicts-*"), *folder.glob("*.chain")):
        beside.unlink()
    lines = [json.loads(line) for line in (folder / RECORDS).read_text().splitlines()]
    begun = [line for line in lines if line["type"] == "started"]
    for place in invalid:
        begun[place]["about"]["outside"] = "the provider was down"
    (folder / RECORDS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [begun[place]["episode"] for place in invalid]


@pytest.mark.parametrize("tabled", [True, False])
def test_invalid_episodes_are_played_again(tmp_path: Path, tabled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether they are in a part or after the last one."""
    stopped(18, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    invalid = marked(tmp_path, 2, 9, 17)
    if tabled:
        read(tmp_path)
        assert [len(part) for part in rows(tmp_path)] == [8, 8]
    options = MazeOptions(agent="planner", limit=1)
    left = open_run_folder(options, tmp_path, SCHEMA, partial(known_with_table, form=FORM))
    assert [episode.id for episode in left] == [*invalid, *(episode.id for episode in options.episodes()[18:])]


@pytest.mark.parametrize("damaged", [0, 1])
def test_a_part_that_is_damaged_is_read_from_the_records(
    tmp_path: Path, damaged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(18, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    whole = table_parts.TablePart.read

    def torn(part: table_parts.TablePart, *columns: Any) -> Any:
        return None if part.file.name == f"verdicts-{damaged + 1:05}.parquet" else whole(part, *columns)

    monkeypatch.setattr(table_parts.TablePart, "read", torn)
    options = MazeOptions(agent="planner", limit=1)
    left = open_run_folder(options, tmp_path, SCHEMA, partial(known_with_table, form=FORM))
    assert left == options.episodes()[18:]


def test_a_warning_names_the_line_whatever_the_table_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(10, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    with (tmp_path / RECORDS).open("a") as file:
        file.write('{"type": "started", "episode": ')

    def warned(reader: Any) -> list[str]:
        warnings: list[str] = []
        assert len(list(reader(tmp_path / RECORDS, warnings))) == 10
        return warnings

    assert warned(partial(known_with_table, form=FORM)) == warned(partial(logs.known_episodes, form=SCHEMA)) != []


def test_a_resumed_run_holds_one_record_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(18, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    held: list[int] = []
    whole = logs.build_record

    def build(events: list[Event]) -> Record:
        held.append(sum(type(one) is Record for one in gc.get_objects()))
        return whole(events)

    monkeypatch.setattr(logs, "build_record", build)
    gc.collect()
    assert len(open_run_folder(MazeOptions(agent="planner", limit=1), tmp_path, SCHEMA)) == 2
    assert len(held) == 18
    assert max(held) - held[0] <= 1


def test_a_resumed_run_continues_a_table_that_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(8, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path)
    play(tmp_path)
    left = rows(tmp_path), notes(tmp_path)
    assert [len(part) for part in left[0]] == [8, 8, 4]
    assert left == judged_anew(tmp_path)[1:]


def test_an_episode_that_cannot_be_judged_ends_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build, count = played_tables.build_record, iter(range(20))

    def fails(events: list[Event]) -> Any:
        if next(count) == 5:
            raise ValueError("damaged")
        return build(events)

    monkeypatch.setattr(played_tables, "build_record", fails)
    play(tmp_path)
    assert [len(part) for part in rows(tmp_path)] == [5]
    assert read(tmp_path) == judged_anew(tmp_path)[0]
