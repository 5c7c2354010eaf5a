"""The entrants of a suite's logs: each episode is read, judged, reduced to its few numbers, and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from sealegs.engines.logs import Logged, LogSchema, read_judged
from sealegs.faults.seeds import digest
from sealegs.scoring.entrants import ComparedEpisode, Entrant, Scores, task_set_mark
from sealegs.scoring.invalid import PlayedCell, played_cell, playing_rows
from sealegs.scoring.metric import ALL, Figure, Row
from sealegs.traces import Record

E = TypeVar("E", bound=Hashable)
R = TypeVar("R")
LONG = 40  # letters of an option's value; of a longer one its digest is compared and shown
PLAYERS = frozenset({"agent", "model"})


@dataclass(frozen=True)
class EntrantForm(Generic[E, R]):
    """The rules by which a suite's logs become entrants.

    Attributes:
        schema: the schema of its records.
        scores: by what of the episodes that are there it is ranked. Those that it may choose from have equal parts.
        place: the level, mode and task where an episode is counted.
        content: the key that tells an episode's task and faults from others.
        player: suite, and agent or model, of a run with these values of the schema's settings.
        not_compared: settings that make another entrant, or that the tasks' digest covers.
        unsaid: the values of settings that records of scripted agents leave out.
        read: reads and judges in another way; called with a path, the judge, and what is kept of a judged episode, with
            the place where it is counted, its record's version and its content. By default each record is read.
    """

    schema: LogSchema[E]
    scores: Callable[[Iterable[ComparedEpisode]], Scores[R]]
    place: Callable[[E], tuple[str, str, str]]
    content: Callable[[E], Hashable]
    player: Callable[[tuple[str, ...]], Row]
    not_compared: frozenset[str] = PLAYERS
    unsaid: Mapping[str, str] = field(default_factory=dict)
    read: (
        Callable[[Path, Callable[[E, Record], R], Callable[[R, PlayedCell, str, Hashable], Any]], Logged[E, Any]] | None
    ) = None


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

    def keep(judged: R, played: PlayedCell, version: str, content: Hashable) -> _Kept:
        compared = reduce(judged)
        return _Kept(compared._replace(adds=alike.setdefault(compared.adds, compared.adds)), played, version, content)

    def kept(episode: E, found: Record) -> _Kept:
        version = str(found.about.get("version", ""))
        cell = played_cell(*form.place(episode), found)
        return keep(judge(episode, found), cell, version, form.content(episode))

    logged: Logged[E, _Kept] = form.read(path, judge, keep) if form.read else read_judged(path, form.schema, kept)
    return [
        _entrant(path, form, key, found, logged.invalid[key], logged.warnings) for key, found in logged.runs.items()
    ]


def _entrant(
    path: Path,
    form: EntrantForm[E, R],
    key: tuple[str, ...],
    found: Mapping[E, _Kept],
    invalid: Mapping[E, str],
    warnings: tuple[str, ...],
) -> Entrant:
    who = form.player(key)
    settings = dict(zip(form.schema.settings, key, strict=True))
    version = " and ".join(sorted({kept.version for kept in found.values()}))
    contents = [(kept.played.task, kept.content) for kept in found.values()]
    contents += [(form.place(one)[2], form.content(one)) for one in invalid]
    played = [kept.played for kept in found.values()]
    played += [played_cell(*form.place(one), why) for one, why in invalid.items()]
    episodes = [kept.compared for kept in found.values()]
    return Entrant(
        who["suite"],
        who.get("agent") or who["model"],
        "agent" in who,
        str(path),
        form.scores(episodes),
        episodes,
        task_set_mark(version, contents),
        {
            name: _short(value or form.unsaid.get(name, ""))
            for name, value in settings.items()
            if name not in form.not_compared
        },
        use_of(played, who),
        warnings,
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
