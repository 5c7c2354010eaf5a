"""Runs of the suite as the reports want them: read one episode at a time, judged, and forgotten but for verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sealegs import __version__
from sealegs.reports.highwater_tables import runner_name
from sealegs.reports.suite_page import task_set_fact
from sealegs.scoring.highwater_metrics import HIGHWATER_METRICS, HighwaterResult, highwater_table
from sealegs.scoring.invalid import InvalidCount, PlayedCell, invalid_count, played_cell, playing_rows
from sealegs.scoring.metric import AnyMetric, Row
from sealegs.suites.highwater.coder_table import FORM
from sealegs.suites.highwater.highwater_logs import HighwaterJudge, episode_order, highwater_player, run_order
from sealegs.suites.highwater.libraries import library_data
from sealegs.suites.verdict_tables import JudgedEpisode, read_with_table


class _Kept(NamedTuple):
    """The parts of an episode that are kept."""

    result: HighwaterResult
    played: PlayedCell


@dataclass(frozen=True)
class JudgedRuns:
    """One or several runs, judged.

    Attributes:
        rows: their long table.
        results: each episode with the agent's or model's name.
        warnings: what reading had to leave out.
        facts: what appears at the top of a page.
        validity: how many episodes are invalid.
    """

    rows: list[Row]
    results: list[tuple[str, HighwaterResult]]
    warnings: tuple[str, ...]
    facts: dict[str, str]
    validity: InvalidCount


def judge_highwater_runs(
    path: Path,
    judge: HighwaterJudge = FORM.judge,
    metrics: Sequence[AnyMetric[HighwaterResult]] = HIGHWATER_METRICS,
) -> JudgedRuns:
    """Read and judge the runs that a file or folder holds.

    Args:
        path: of the file or folder.
        judge: the suite's.
        metrics: of which their table is made.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    logged = read_with_table(path, FORM, lambda _, one: _Kept(one.result, _of_database(one)), judge)
    rows: list[Row] = []
    results: list[tuple[str, HighwaterResult]] = []
    played: list[PlayedCell] = []
    runs = {key: logged.runs[key] for key in sorted(logged.runs, key=run_order)}
    for key, kept in runs.items():
        who = highwater_player(key)
        found = [kept[episode].result for episode in sorted(kept, key=episode_order)]
        own = [one.played for one in kept.values()]
        own += [played_cell(e.level, e.mode, e.found.database, why) for e, why in logged.invalid[key].items()]
        rows += [*highwater_table(found, who, metrics), *playing_rows(own, who, of_all=False)]
        results += [(runner_name(who), result) for result in found]
        played += own
    # Keyed by digest, so that several runs on one library name its size once.
    folders = dict.fromkeys(episode.data for kept in runs.values() for episode in kept)
    libraries = {known.digest: len(known.library.functions) for known in map(library_data, folders)}
    facts = {
        "episodes": str(len(results)),
        "functions": ", ".join(f"{count:,}" for count in libraries.values()),
        "seed": ", ".join(sorted({str(episode.seed) for kept in runs.values() for episode in kept})),
        "sealegs": __version__,
        **task_set_fact(rows),
    }
    return JudgedRuns(rows, results, tuple(dict.fromkeys(logged.warnings)), facts, invalid_count(played))


def _of_database(one: JudgedEpisode[HighwaterResult]) -> PlayedCell:
    """The cell where an episode is counted, by its database."""
    return one.played._replace(task=one.result.database)
