"""Runs of the suite as the reports want them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs import __version__
from sealegs.reports.plan_b import who
from sealegs.scoring.highwater_metrics import PlanBResult, plan_b_table
from sealegs.scoring.metric import Row
from sealegs.suites.highwater.episodes import VERSION
from sealegs.suites.highwater.logs import HighwaterRun


@dataclass(frozen=True)
class JudgedRuns:
    """One or several runs, judged.

    Attributes:
        rows: their long table.
        results: each episode with the agent's or model's name.
        warnings: what reading had to leave out.
        facts: what stands at the top of a page.
    """

    rows: list[Row]
    results: list[tuple[str, PlanBResult]]
    warnings: tuple[str, ...]
    facts: dict[str, str]


def played(runs: Sequence[HighwaterRun]) -> JudgedRuns:
    """Judge the episodes of runs."""
    rows: list[Row] = []
    results: list[tuple[str, PlanBResult]] = []
    for run in runs:
        found = run.results()
        rows += plan_b_table(found, run.who)
        results += [(who(run.who), result) for result in found]
    libraries = {episode.known.digest: len(episode.library.functions) for run in runs for episode in run.records}
    facts = {
        "episodes": str(len(results)),
        "functions": ", ".join(f"{count:,}" for count in libraries.values()),
        "seed": ", ".join(sorted({str(episode.seed) for run in runs for episode in run.records})),
        "sealegs": __version__,
        "suite version": VERSION,
    }
    return JudgedRuns(rows, results, tuple(dict.fromkeys(w for run in runs for w in run.warnings)), facts)
