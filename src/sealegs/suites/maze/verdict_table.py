"""The suite's episodes with their verdicts, from records or, where they were judged before, from the table beside them.

The table (`engines.table_parts`) has a row for each episode of a run's records, with all that reports and rankings take
from it. What a card on the page shows is read from the records again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sealegs.engines.folders import RECORDS
from sealegs.engines.judging_ahead import JudgedRow, judged_rows
from sealegs.engines.logs import SETTINGS as RUN_SETTINGS
from sealegs.engines.logs import Logged, ReadEpisode, RecordedEpisode, read_run_files, record_after, recorded
from sealegs.engines.table_parts import (
    LogTableParts,
    PartWriter,
    TableParts,
    arrow_schema,
    column_values,
    tables_usable,
)
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.invalid import PlayedCell, played_cell
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.suites.maze.maze_logs import SCHEMA, SETTINGS, MazeJudge, judge_maze_episode
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import Record
from sealegs.traces.episode_ranges import FILE_BEGINS, EpisodePlace, FileRange
from sealegs.traces.inspect_logs import SUFFIX

if TYPE_CHECKING:
    import pyarrow as pa

K = TypeVar("K")
COLUMNS: Mapping[str, Any] = {
    **dict.fromkeys(("name", "outside", "plan"), str),
    **{"run": dict.fromkeys(SETTINGS, str), "episode": Scenario, "level": str},
    **{"verdict": Verdict, "alike": int, "rung": str, "version": str},
    **dict.fromkeys(("tokens", "cost", "seconds"), float | None),
    **{"promised": int, "start": int, "end": int},
}


class MazeVerdict(NamedTuple):
    """A judged episode.

    Attributes:
        name: as its record has it.
        result: of the judge.
        played: where it is counted, and what its models used.
        version: of the suite that made the record.
        plan: the digest of the episode's faults.
        record: gives its record, for which a file may have to be read.
    """

    name: str
    result: MazeResult
    played: PlayedCell
    version: str
    plan: str
    record: Callable[[], Record]


def read_maze_verdicts(
    path: Path, keep: Callable[[Scenario, MazeVerdict], K], judge: MazeJudge = judge_maze_episode
) -> Logged[Scenario, K]:
    """Every run of a file or folder, judged; its table is read as far as it is valid, and written from there on.

    Args:
        path: of the file or folder.
        keep: what is kept of a valid episode.
        judge: the suite's.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """

    def read(file: Path, warnings: list[str]) -> Iterator[ReadEpisode[Scenario, K]]:
        for run, episode, outside, found, promised in _episodes(file, warnings, judge):
            yield ReadEpisode(run, episode, outside, None if found is None else keep(episode, found), promised)

    return read_run_files(path, SCHEMA, read)


def verdict_table(records: Path) -> TableParts | None:
    """The table of a file of records or a log of Inspect's; None where there can be none."""
    if not may_have_table(records):
        return None
    made = LogTableParts if records.suffix == SUFFIX else TableParts
    return made(records, _schema(), encode_rows, lambda folder: task_set(folder).edition)


def may_have_table(records: Path) -> bool:
    """Return whether there can be a table of this file here: in the folder of a run of ours, nobody else's."""
    ours = records.name == RECORDS or (records.suffix == SUFFIX and (records.parent / RUN_SETTINGS).exists())
    return ours and tables_usable()


@cache
def _schema() -> pa.Schema:
    return arrow_schema(COLUMNS)


def _episodes(
    file: Path, warnings: list[str], judge: MazeJudge = judge_maze_episode
) -> Iterator[ReadEpisode[Scenario, MazeVerdict]]:
    table, judged = verdict_table(file), partial(judge_range, judge=judge)
    if table is None:
        yield from (one.judged for one in judged_rows(file, warnings, FILE_BEGINS, _unseen, judged))
        return
    valid = table.valid()
    for place, part in enumerate(valid):
        rows = part.read()
        if rows is None:
            valid = valid[:place]
            break
        yield from _rows_of(rows, file)
    if valid and valid[-1].note.last:
        return
    writer = PartWriter(table, valid)
    for one in judged_rows(file, warnings, writer.after, writer.seen, judged):
        writer.add(one.place, one.row, one.sets)
        yield one.judged
    writer.end()


def _unseen(_lines: bytes) -> None:
    """Ignore the bytes: only a table needs their digest."""


def judge_range(
    file: Path, warnings: list[str], within: FileRange, seen: Callable[[bytes], object], judge: MazeJudge
) -> Iterator[JudgedRow[Scenario, MazeVerdict]]:
    """Read and judge a range of a file; see `judged_rows`."""
    for one in recorded(file, warnings, SCHEMA, within, seen):
        judged = judged_episode(one, file, judge)
        yield JudgedRow(judged, one.place, table_row(one, judged.kept), sets_of(one))


def judged_episode(
    one: RecordedEpisode[Scenario], file: Path, judge: MazeJudge = judge_maze_episode
) -> ReadEpisode[Scenario, MazeVerdict]:
    """Judge an episode by its record, unless it is invalid."""
    found, episode = one.record, one.episode
    if found.outside:
        return ReadEpisode(one.run, episode, found.outside, None, one.promised)
    verdict = MazeVerdict(
        found.episode,
        judge(episode, found),
        played_cell(episode.base.level, episode.mode, episode.task, found),
        str(found.about.get("version", "")),
        str(found.about["plan"]),
        _loading(found, file, one.place),
    )
    return ReadEpisode(one.run, episode, "", verdict, one.promised)


def sets_of(one: RecordedEpisode[Scenario]) -> dict[str, str]:
    """The task set of an episode, where that does not ship, with its edition."""
    folder = one.episode.tasks
    return {} if folder == SHIPPED else {folder: one.run[SETTINGS.index(TASK_SET)]}


def table_row(one: RecordedEpisode[Scenario], judged: MazeVerdict | None) -> dict[str, Any]:
    """The row of an episode."""
    found, about = one.record, one.record.about
    start, end, _ = one.place or (0, 0, 0)
    return {
        **{"name": found.episode, "outside": found.outside, "plan": str(about["plan"])},
        **{"run": dict(zip(SETTINGS, one.run, strict=True))},
        **{"episode": one.episode, "level": one.episode.base.level},
        **{"promised": one.promised, "start": start, "end": end},
        **{"verdict": judged and judged.result.verdict, "rung": judged.result.rung if judged else ""},
        "version": str(about.get("version", "")),
        **(dict(zip(("tokens", "cost", "seconds"), judged.played[4:], strict=True)) if judged else {}),
    }


def encode_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a part as they are written: `alike` is the first of them that has the same verdict."""
    first: dict[Verdict, int] = {}
    return [
        {
            **row,
            "episode": _fields(row["episode"]),
            "verdict": row["verdict"] and _fields(row["verdict"]),
            "alike": first.setdefault(row["verdict"], place) if row["verdict"] else place,
        }
        for place, row in enumerate(rows)
    ]


def _fields(one: Scenario | Verdict) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _rows_of(table: pa.Table, file: Path) -> Iterator[ReadEpisode[Scenario, MazeVerdict]]:
    """The rows of a part as what they were made of."""

    def values(name: str) -> Iterator[Any]:
        return column_values(table.column(name).combine_chunks())

    def members(name: str) -> Iterator[Iterator[Any]]:
        return map(column_values, table.column(name).combine_chunks().flatten())

    cells: dict[PlayedCell, PlayedCell] = {}
    used = zip(values("tokens"), values("cost"), values("seconds"), strict=True)
    columns = (zip(*members("run"), strict=True), map(Scenario, *members("episode")), _verdicts(table))
    plain = (values(name) for name in ("name", "outside", "level", "rung", "version", "plan", "promised", "start"))
    for run, episode, verdict, use, name, outside, level, rung, version, plan, promised, start in zip(
        *columns, used, *plain, strict=True
    ):
        if verdict is None:
            yield ReadEpisode(run, episode, outside, None, promised)
            continue
        result = MazeResult(episode.task, level, episode.mode, episode.epoch, verdict, rung)
        cell = PlayedCell(level, episode.mode, episode.task, "", *use)
        cell = cells.setdefault(cell, cell)  # mostly equal, and there are many
        judged = MazeVerdict(name, result, cell, version, plan, partial(record_after, file, start, SCHEMA))
        yield ReadEpisode(run, episode, outside, judged, promised)


def _verdicts(table: pa.Table) -> Iterator[Verdict | None]:
    """The verdict of each row; equal ones are one object."""
    alike = table.column("alike").to_pylist()
    firsts = [row for row, first in enumerate(alike) if row == first]
    found = dict(zip(firsts, table.column("verdict").take(firsts).to_pylist(), strict=True))
    made = {row: None if one is None else _verdict(one) for row, one in found.items()}
    return (made[first] for first in alike)


def _verdict(values: Mapping[str, Any]) -> Verdict:
    given: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in values.items()}
    return Verdict(**given)


def _loading(found: Record, file: Path, place: EpisodePlace | None) -> Callable[[], Record]:
    """Give the record of an episode that was just read; it is read again where that is cheap, and else kept."""
    if place is None or file.suffix == SUFFIX:
        return partial(_itself, found)
    return partial(record_after, file, place.start, SCHEMA)


def _itself(found: Record) -> Record:
    return found
