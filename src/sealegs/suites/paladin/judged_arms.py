"""Runs of the suite as the reports want them: read one episode at a time, judged, and forgotten but for verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sealegs import __version__
from sealegs.reports.card_selection import OfferedEpisode, Played
from sealegs.reports.paladin_tables import name_of
from sealegs.reports.suite_page import task_set_fact
from sealegs.scoring.invalid import InvalidCount, PlayedCell, invalid_count, played_cell, playing_rows
from sealegs.scoring.metric import ALL, AnyMetric, Row
from sealegs.scoring.paladin_metrics import PALADIN_METRICS, PaladinResult, paladin_table
from sealegs.suites.paladin.arm_table import FORM
from sealegs.suites.paladin.episodes import PaladinEpisode
from sealegs.suites.paladin.paladin_logs import SETTINGS, PaladinJudge, paladin_player, task_name
from sealegs.suites.verdict_tables import JudgedEpisode, read_with_table


@dataclass(frozen=True)
class JudgedArms:
    """One or several runs, judged.

    Attributes:
        rows: their long table.
        episodes: every run's episodes with their verdicts, by who ran and on which set.
        warnings: what reading had to leave out.
        facts: what appears at the top of a page.
        validity: how many episodes are invalid.
    """

    rows: list[Row]
    episodes: dict[tuple[str, str], list[OfferedEpisode]]
    warnings: tuple[str, ...]
    facts: dict[str, str]
    validity: InvalidCount


class _Kept(NamedTuple):
    """The parts of an episode that are kept."""

    result: PaladinResult
    played: PlayedCell
    offered: OfferedEpisode


def judge_paladin_runs(
    path: Path,
    judge: PaladinJudge = FORM.judge,
    metrics: Sequence[AnyMetric[PaladinResult]] = PALADIN_METRICS,
) -> JudgedArms:
    """Read and judge the runs that a file or folder holds.

    Args:
        path: of the file or folder.
        judge: the suite's.
        metrics: of which their table is made.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    logged = read_with_table(path, FORM, _kept, judge)
    rows: list[Row] = []
    episodes: dict[tuple[str, str], list[OfferedEpisode]] = {}
    played: list[PlayedCell] = []
    sets: list[str] = []
    for key, found in logged.runs.items():
        who, mode = paladin_player(key), key[SETTINGS.index("set")]
        own = [*(one.played for one in found.values())]
        own += [played_cell(one.failure_class, mode, task_name(one), why) for one, why in logged.invalid[key].items()]
        rows += paladin_table([one.result for one in found.values()], who, mode, metrics)
        # A run is of one set, so rows of all sets together would only repeat its own.
        rows += [row for row in playing_rows(own, who) if row["mode"] != ALL]
        episodes.setdefault((name_of(who), mode), []).extend(one.offered for one in found.values())
        played += own
        sets.append(mode)
    facts = {
        "runs": str(len(logged.runs)),
        "episodes": f"{sum(map(len, episodes.values())):,}",
        "sets": ", ".join(dict.fromkeys(sets)),
        "seed": ", ".join(sorted({str(episode.seed) for found in logged.runs.values() for episode in found})),
        "sealegs": __version__,
        **task_set_fact(rows),
    }
    return JudgedArms(rows, episodes, tuple(dict.fromkeys(logged.warnings)), facts, invalid_count(played))


def _kept(episode: PaladinEpisode, found: JudgedEpisode[PaladinResult]) -> _Kept:
    verdict, level = found.result.verdict, episode.base.level
    offered = OfferedEpisode(found.name, episode.kind, level, verdict, partial(_played, episode, found))
    return _Kept(found.result, found.played._replace(mode=episode.set), offered)


def _played(episode: PaladinEpisode, found: JudgedEpisode[PaladinResult]) -> Played:
    record = found.record()
    return record, episode.case(record), found.result.verdict
