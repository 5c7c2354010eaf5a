"""Runs of the suite as the reports want them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs import __version__
from sealegs.reports.card_selection import Played
from sealegs.reports.paladin_tables import name_of
from sealegs.reports.suite_page import task_set_fact
from sealegs.scoring.invalid import InvalidCount, invalid_count, playing_rows
from sealegs.scoring.metric import ALL, AnyMetric, Row
from sealegs.scoring.paladin_metrics import PALADIN_METRICS, PaladinResult, paladin_table
from sealegs.suites.paladin.paladin_logs import PaladinJudge, PaladinRun, judge_paladin_episode


@dataclass(frozen=True)
class JudgedArms:
    """One or several runs, judged.

    Attributes:
        rows: their long table.
        episodes: every run's records with cases and verdicts, by who ran and on which set.
        warnings: what reading had to leave out.
        facts: what appears at the top of a page.
        validity: how many episodes are invalid.
    """

    rows: list[Row]
    episodes: dict[tuple[str, str], list[Played]]
    warnings: tuple[str, ...]
    facts: dict[str, str]
    validity: InvalidCount


def judge_paladin_runs(
    runs: Sequence[PaladinRun],
    judge: PaladinJudge = judge_paladin_episode,
    metrics: Sequence[AnyMetric[PaladinResult]] = PALADIN_METRICS,
) -> JudgedArms:
    """Judge the episodes of runs.

    Args:
        runs: which.
        judge: the suite's.
        metrics: of which their table is made.
    """
    rows: list[Row] = []
    episodes: dict[tuple[str, str], list[Played]] = {}
    for run in runs:
        results = run.results(judge)
        rows += paladin_table(results, run.who, run.mode, metrics)
        # A run is of one set, so rows of all sets together would only repeat its own.
        rows += [row for row in playing_rows(run.played(), run.who) if row["mode"] != ALL]
        own = episodes.setdefault((name_of(run.who), run.mode), [])
        for (episode, found), result in zip(run.records.items(), results, strict=True):
            own.append((found, episode.case(found), result.verdict))
    facts = {
        "runs": str(len(runs)),
        "episodes": f"{sum(map(len, episodes.values())):,}",
        "sets": ", ".join(dict.fromkeys(run.mode for run in runs)),
        "seed": ", ".join(sorted({str(episode.seed) for run in runs for episode in run.records})),
        "sealegs": __version__,
        **task_set_fact(rows),
    }
    warnings = tuple(dict.fromkeys(w for run in runs for w in run.warnings))
    return JudgedArms(rows, episodes, warnings, facts, invalid_count([one for run in runs for one in run.played()]))
