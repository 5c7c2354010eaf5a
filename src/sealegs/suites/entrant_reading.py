"""The entrants of a suite's logs: each episode is read, judged, reduced to its few numbers, and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from sealegs.engines.folders import NamedEpisode
from sealegs.engines.logs import Logged, LogSchema, read_judged, record_version
from sealegs.faults.seeds import digest
from sealegs.scoring.entrants import ComparedEpisode, Entrant, Scores, task_set_mark
from sealegs.scoring.invalid import PlayedCell, played_cell, playing_rows
from sealegs.scoring.metric import ALL, Figure, Row
from sealegs.suites.verdict_tables import JudgedEpisode, VerdictForm, read_with_table
from sealegs.traces import Record

E = TypeVar("E", bound=NamedEpisode)
R = TypeVar("R")
LONG = 40  # letters of an option's value; of a longer one its digest is compared and shown
PLAYERS = frozenset({"agent", "model"})


@dataclass(frozen=True)
class EntrantForm(Generic[E, R]):
    """The rules by which a suite's logs become entrants.

    Attributes:
        schema: the schema of its records.
        scores: by what it is ranked, where these modes were played. Those that it may choose from have equal parts.
        place: the level, mode and task where an episode is counted.
        content: the key that tells an episode's task and faults from others; called with the episode and the digest of
            its faults, which takes long to find out again, or with an empty text.
        player: suite, and agent or model, of a run with these values of the schema's settings.
        not_compared: settings that make another entrant, or that the tasks' digest covers.
        unsaid: the values of settings that records of scripted agents leave out.
        table: of its verdicts. Without one each record is read and judged.
    """

    schema: LogSchema[E]
    scores: Callable[[Collection[str]], Scores[R]]
    place: Callable[[E], tuple[str, str, str]]
    content: Callable[[E, str], Hashable]
    player: Callable[[tuple[str, ...]], Row]
    not_compared: frozenset[str] = PLAYERS
    unsaid: Mapping[str, str] = field(default_factory=dict)
    table: VerdictForm[E, R] | None = None


class _Kept(NamedTuple):
    """The parts of an episode that are kept."""

    compared: ComparedEpisode
    played: PlayedCell
    version: str
    content: Hashable


def read_entrants(path: Path, form: EntrantForm[E, R], judge: Callable[[E, Record], R]) -> list[Entrant]:
    """The entrants of a file or folder.

    Args:
        path: of the file or folder.
        form: the rules of the suite.
        judge: the suite's.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    reduce = form.scores(()).compared
    alike: dict[tuple[float, ...], tuple[float, ...]] = {}  # what episodes add is mostly the same, and long

    def keep(episode: E, judged: R, played: PlayedCell, version: str, plan: str) -> _Kept:
        compared = reduce(episode.id, judged)
        compared = compared._replace(adds=alike.setdefault(compared.adds, compared.adds))
        return _Kept(compared, played, version, form.content(episode, plan))

    def of_record(episode: E, found: Record) -> _Kept:
        cell = played_cell(*form.place(episode), found)
        about = found.about
        return keep(episode, judge(episode, found), cell, record_version(found), str(about.get("plan", "")))

    def of_table(episode: E, one: JudgedEpisode[R]) -> _Kept:
        return keep(episode, one.result, one.played, one.version, one.plan)

    if form.table is None:
        logged = read_judged(path, form.schema, of_record)
    else:
        logged = read_with_table(path, form.table, of_table, judge)
    return [_entrant(path, form, key, logged) for key in logged.runs]


def _entrant(path: Path, form: EntrantForm[E, R], key: tuple[str, ...], logged: Logged[E, _Kept]) -> Entrant:
    found, invalid = logged.runs[key], logged.invalid[key]
    who = form.player(key)
    settings = dict(zip(form.schema.settings, key, strict=True))
    version = " and ".join(sorted({kept.version for kept in found.values()} or logged.versions[key]))
    contents = [(kept.played.task, kept.content) for kept in found.values()]
    contents += [(form.place(one)[2], form.content(one, "")) for one in invalid]
    played = [kept.played for kept in found.values()]
    played += [played_cell(*form.place(one), why) for one, why in invalid.items()]
    episodes = [kept.compared for kept in found.values()]
    return Entrant(
        who["suite"],
        who.get("agent") or who["model"],
        "agent" in who,
        str(path),
        form.scores({one.mode for one in played}),
        episodes,
        task_set_mark(version, contents),
        {
            name: _short(value or form.unsaid.get(name, ""))
            for name, value in settings.items()
            if name not in form.not_compared
        },
        use_of(played, who),
        logged.warnings,
    )


def use_of(played: Iterable[PlayedCell], who: Row) -> dict[str, Figure]:
    """The share of invalid episodes over all that was played, and what a valid one used."""
    return {
        row["metric"]: Figure(row["value"], row["low"], row["high"], row["n"])
        for row in playing_rows(played, {**who, "model": ""})
        if row["level"] == row["mode"] == ALL
    }


def _short(value: str) -> str:
    return value if len(value) <= LONG else f"of digest {digest(value):012x}"[:22]
