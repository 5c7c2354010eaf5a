"""A suite's episodes with their verdicts, from records or, where they were judged before, from the table beside them.

The table (`engines.table_parts`) has a row for each episode of a run's records, with all that reports and rankings take
from it. A suite names what its table has beside what every table has (`VerdictForm`). What a card on a page shows is
read from the records again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from sealegs.engines.folders import RECORDS
from sealegs.engines.judging_ahead import JudgedRow, judged_rows
from sealegs.engines.logs import SETTINGS as RUN_SETTINGS
from sealegs.engines.logs import (
    Logged,
    LogSchema,
    ReadEpisode,
    RecordedEpisode,
    known_episodes,
    read_run_files,
    record_after,
    record_version,
    recorded,
)
from sealegs.engines.table_parts import (
    PARTS,
    LogTableParts,
    PartWriter,
    TableParts,
    arrow_schema,
    column_objects,
    column_values,
    has_name,
    struct_values,
    tables_usable,
)
from sealegs.scoring.invalid import PlayedCell, played_cell
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import Record
from sealegs.traces.episode_ranges import FILE_BEGINS, EpisodePlace, FileRange
from sealegs.traces.inspect_logs import SUFFIX

if TYPE_CHECKING:
    import pyarrow as pa

E = TypeVar("E", bound=Hashable)
R = TypeVar("R")
K = TypeVar("K")
Place = tuple[str, str, str]
USED = ("tokens", "cost", "seconds")


class JudgedEpisode(NamedTuple, Generic[R]):
    """A judged episode.

    Attributes:
        name: as its record has it.
        result: of the judge.
        played: where it is counted, and what its models used.
        version: of the suite that made the record.
        plan: the digest of the episode's faults; empty where an old record does not say.
        record: gives its record, for which a file may have to be read.
    """

    name: str
    result: R
    played: PlayedCell
    version: str
    plan: str
    record: Callable[[], Record]


@dataclass(frozen=True)
class VerdictForm(Generic[E, R]):
    """The form of a suite's table. Its functions stand in modules, so that other processes can be told of them.

    Attributes:
        schema: of the suite's records.
        judge: the suite's, by which episodes are judged as they are played.
        episode: the dataclass of its episodes.
        verdict: the dataclass of `verdict` in the judge's results.
        own: columns of the suite alone, with their types: attributes of the judge's results.
        result: a judge's result of an episode, its place, its verdict, and the values of the suite's own columns.
        place: the level, mode and task where an episode is counted.
        home: the folder of an episode's task set; empty where it ships.
        edition: of the task set in such a folder. Raises `UserError` where there is none.
    """

    schema: LogSchema[E]
    judge: Callable[[E, Record], R]
    episode: type[E]
    verdict: type[Any]
    own: Mapping[str, Any]
    result: Callable[..., R]
    place: Callable[[E], Place]
    home: Callable[[E], str]
    edition: Callable[[str], str]

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns of the table, with their types."""
        return {
            **dict.fromkeys(("name", "outside", "plan"), str),
            **{"run": dict.fromkeys(self.schema.settings, str), "episode": self.episode},
            **dict.fromkeys(("level", "mode", "task"), str),
            **{"verdict": self.verdict, "alike": int, **self.own, "version": str},
            **dict.fromkeys(USED, float | None),
            **{"promised": int, "start": int, "end": int},
        }


def read_with_table(
    path: Path,
    form: VerdictForm[E, R],
    keep: Callable[[E, JudgedEpisode[R]], K],
    judge: Callable[[E, Record], R] | None = None,
) -> Logged[E, K]:
    """Every run of a file or folder, judged; its table is read as far as it is valid, and written from there on.

    Args:
        path: of the file or folder.
        form: the suite's.
        keep: what is kept of a valid episode.
        judge: in place of the form's.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """

    def read(file: Path, warnings: list[str]) -> Iterator[ReadEpisode[E, K]]:
        for one in episodes_in(file, warnings, form, judge or form.judge):
            found = one.kept
            kept = None if found is None else keep(one.episode, found)
            yield ReadEpisode(one.run, one.episode, one.outside, kept, one.promised, one.version)

    return read_run_files(path, form.schema, read)


def table_beside(records: Path, form: VerdictForm[E, R], judge: Callable[[E, Record], R]) -> TableParts | None:
    """The table of a file of records or a log of Inspect's by this judge; None where there can be none."""
    if not may_have_table(records) or not has_name(judge):
        return None
    made = LogTableParts if records.suffix == SUFFIX else TableParts
    return made(records, arrow_schema(form.columns), encode_rows, form.edition, judge)


def may_have_table(records: Path) -> bool:
    """Return whether there can be a table of this file here: in the folder of a run of ours, nobody else's."""
    ours = records.name == RECORDS or (records.suffix == SUFFIX and (records.parent / RUN_SETTINGS).exists())
    return ours and tables_usable()


def episodes_in(
    file: Path, warnings: list[str], form: VerdictForm[E, R], judge: Callable[[E, Record], R]
) -> Iterator[ReadEpisode[E, JudgedEpisode[R]]]:
    """The judged episodes of a file, by its table as far as that goes; see `read_with_table`."""
    table, judged = table_beside(file, form, judge), partial(judge_range, form=form, judge=judge)
    if table is None:
        yield from (one.judged for one in judged_rows(file, warnings, FILE_BEGINS, _unseen, judged))
        return
    valid = table.valid()
    for place, part in enumerate(valid):
        rows = part.read()
        if rows is None:
            valid = valid[:place]
            break
        yield from episodes_of_rows(rows, file, form)
    if valid and valid[-1].note.last:
        return
    writer = PartWriter(table, valid)
    for one in judged_rows(file, warnings, writer.after, writer.seen, judged):
        writer.add(one.place, one.row, one.sets)
        yield one.judged
    writer.end()


def known_with_table(file: Path, warnings: list[str], form: VerdictForm[E, Any]) -> Iterator[ReadEpisode[E, None]]:
    """Give the episodes of a file without their verdicts: from its table as far as it is valid, then from its records.

    Nothing is judged or written.
    """
    # Most runs have no table, and looking for its parts needs no pyarrow.
    table = table_beside(file, form, form.judge) if any(file.parent.glob(PARTS)) else None
    after = FILE_BEGINS
    for part in table.valid() if table is not None else ():
        rows = part.read(("run", "episode", "outside", "promised"))
        if rows is None:
            break
        for run, episode, outside, promised in zip(*_known(rows, form), strict=True):
            yield ReadEpisode(run, episode, outside, None, promised)
        after = EpisodePlace(0, part.note.end, part.note.line)
        if part.note.last:
            return
    yield from known_episodes(file, warnings, form.schema, FileRange(after))


def _unseen(_lines: bytes) -> None:
    """Ignore the bytes: only a table needs their digest."""


def judge_range(
    file: Path,
    warnings: list[str],
    within: FileRange,
    seen: Callable[[bytes], object],
    *,
    form: VerdictForm[E, R],
    judge: Callable[[E, Record], R],
) -> Iterator[JudgedRow[E, JudgedEpisode[R]]]:
    """Read and judge a range of a file; see `judged_rows`."""
    for one in recorded(file, warnings, form.schema, within, seen):
        judged = judged_episode(one, file, form, judge)
        yield JudgedRow(judged, one.place, table_row(one, judged.kept, form), sets_of(one, form))


def judged_episode(
    one: RecordedEpisode[E], file: Path, form: VerdictForm[E, R], judge: Callable[[E, Record], R]
) -> ReadEpisode[E, JudgedEpisode[R]]:
    """Judge an episode by its record, unless it is invalid."""
    found, episode = one.record, one.episode
    if found.outside:
        return ReadEpisode(one.run, episode, found.outside, None, one.promised, record_version(found))
    judged = JudgedEpisode(
        found.episode,
        judge(episode, found),
        played_cell(*form.place(episode), found),
        record_version(found),
        str(found.about.get("plan", "")),
        _loading(found, file, one.place, form),
    )
    return ReadEpisode(one.run, episode, "", judged, one.promised)


def sets_of(one: RecordedEpisode[E], form: VerdictForm[E, Any]) -> dict[str, str]:
    """The task set of an episode, where that does not ship, with its edition."""
    folder = form.home(one.episode)
    return {folder: one.run[form.schema.settings.index(TASK_SET)]} if folder else {}


def table_row(one: RecordedEpisode[E], judged: JudgedEpisode[R] | None, form: VerdictForm[E, R]) -> dict[str, Any]:
    """The row of an episode."""
    found = one.record
    start, end, _ = one.place or (0, 0, 0)
    own: dict[str, Any]
    if judged is None:
        # Texts are never missing, so that they can be read fast.
        where, own = form.place(one.episode), {name: "" if kind is str else None for name, kind in form.own.items()}
    else:
        where, own = judged.played[:3], {name: getattr(judged.result, name) for name in ("verdict", *form.own)}
        own |= dict(zip(USED, judged.played[4:], strict=True))
    return {
        **{"name": found.episode, "outside": found.outside, "plan": str(found.about.get("plan", ""))},
        **{"run": _settings_row(form.schema.settings, one.run), "episode": one.episode},
        **dict(zip(("level", "mode", "task"), where, strict=True)),
        **{"verdict": None, **own, "version": record_version(found)},
        **{"promised": one.promised, "start": start, "end": end},
    }


@lru_cache(maxsize=16)  # few runs are in one file, and most of its rows would each hold the same settings
def _settings_row(names: tuple[str, ...], values: tuple[str, ...]) -> Mapping[str, str]:
    return dict(zip(names, values, strict=True))


def encode_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a part as they are written: `alike` is the first of them that has the same verdict."""
    first: dict[Any, int] = {}
    for place, row in enumerate(rows):
        yield {
            **{name: struct_values(value) for name, value in row.items()},
            "alike": first.setdefault(row["verdict"], place) if row["verdict"] else place,
        }


def episodes_of_rows(
    table: pa.Table, file: Path, form: VerdictForm[E, R]
) -> Iterator[ReadEpisode[E, JudgedEpisode[R]]]:
    """The rows of a part as what they were made of."""

    def values(name: str) -> Iterator[Any]:
        return _values(table, name)

    def several(*names: str) -> Iterator[tuple[Any, ...]]:
        return zip(*map(values, names), strict=True)

    cells: dict[PlayedCell, PlayedCell] = {}
    runs, episodes, outsides, promises = _known(table, form)
    verdicts, own, used = _verdicts(table, form.verdict), several(*form.own), several(*USED)
    places = several("level", "mode", "task")
    plain = map(values, ("name", "version", "plan", "start"))
    for run, episode, outside, promised, verdict, mine, use, (level, mode, task), name, version, plan, start in zip(
        runs, episodes, outsides, promises, verdicts, own, used, places, *plain, strict=True
    ):
        if verdict is None:
            yield ReadEpisode(run, episode, outside, None, promised, version)
            continue
        cell = PlayedCell(level, mode, task, "", *use)
        cell = cells.setdefault(cell, cell)  # mostly equal, and there are many
        load = partial(record_after, file, start, form.schema)
        judged = JudgedEpisode(
            name, form.result(episode, (level, mode, task), verdict, *mine), cell, version, plan, load
        )
        yield ReadEpisode(run, episode, outside, judged, promised)


def _known(table: pa.Table, form: VerdictForm[E, Any]) -> tuple[Iterator[Any], ...]:
    """The run, episode, cause of being invalid and promise of each row of a part: see `ReadEpisode`."""
    runs = zip(*map(column_values, table.column("run").combine_chunks().flatten()), strict=True)
    episodes = column_objects(table.column("episode").combine_chunks(), form.episode)
    return runs, episodes, _values(table, "outside"), _values(table, "promised")


def _values(table: pa.Table, name: str) -> Iterator[Any]:
    return column_values(table.column(name).combine_chunks())


def _verdicts(table: pa.Table, kind: type[Any]) -> Iterator[Any]:
    """The verdict of each row; equal ones are one object."""
    alike = table.column("alike").to_pylist()
    firsts = [row for row, first in enumerate(alike) if row == first]
    found = dict(zip(firsts, table.column("verdict").take(firsts).to_pylist(), strict=True))
    made = {row: None if one is None else _verdict(kind, one) for row, one in found.items()}
    return (made[first] for first in alike)


def _verdict(kind: type[Any], values: Mapping[str, Any]) -> Any:
    return kind(**{name: tuple(one) if isinstance(one, list) else one for name, one in values.items()})


def _loading(
    found: Record, file: Path, place: EpisodePlace | None, form: VerdictForm[Any, Any]
) -> Callable[[], Record]:
    """Give the record of an episode that was just read; it is read again where that is cheap, and else kept."""
    if place is None or file.suffix == SUFFIX:
        return partial(_itself, found)
    return partial(record_after, file, place.start, form.schema)


def _itself(found: Record) -> Record:
    return found
