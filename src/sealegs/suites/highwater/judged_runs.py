"""Runs of the suite as the reports want them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs import __version__
from sealegs.reports.highwater_tables import runner_name
from sealegs.reports.suite_page import task_set_fact
from sealegs.scoring.highwater_metrics import HIGHWATER_METRICS, HighwaterResult, highwater_table
from sealegs.scoring.invalid import InvalidCount, invalid_count, playing_rows
from sealegs.scoring.metric import AnyMetric, Row
from sealegs.suites.highwater.highwater_logs import HighwaterJudge, HighwaterRun, judge_highwater_episode


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
    runs: Sequence[HighwaterRun],
    judge: HighwaterJudge = judge_highwater_episode,
    metrics: Sequence[AnyMetric[HighwaterResult]] = HIGHWATER_METRICS,
) -> JudgedRuns:
    """Judge the episodes of runs.

    Args:
        runs: which.
        judge: the suite's.
        metrics: of which their table is made.
    """
    rows: list[Row] = []
    results: list[tuple[str, HighwaterResult]] = []
    for run in runs:
        found = run.results(judge)
        rows += [*highwater_table(found, run.who, metrics), *playing_rows(run.played(), run.who, of_all=False)]
        results += [(runner_name(run.who), result) for result in found]
    # Keyed by digest, so that several runs on one library name its size once.
    libraries = {episode.known.digest: len(episode.library.functions) for run in runs for episode in run.records}
    facts = {
        "episodes": str(len(results)),
        "functions": ", ".join(f"{count:,}" for count in libraries.values()),
        "seed": ", ".join(sorted({str(episode.seed) for run in runs for episode in run.records})),
        "sealegs": __version__,
        **task_set_fact(rows),
    }
    warnings = tuple(dict.fromkeys(w for run in runs for w in run.warnings))
    return JudgedRuns(rows, results, warnings, facts, invalid_count([one for run in runs for one in run.played()]))
