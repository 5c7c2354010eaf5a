"""The metrics of `maze` over judged episodes, as rows of the long table.

TSR is the share of successes, PRR the share of recoveries among the episodes whose fault was delivered, RC the mean of
the redundancy over all episodes of a mode, all in %; where no episode met a fault there is neither PRR nor RC. Over
several modes each is the mean of the modes' values (PRR and RC over fault modes alone), as in the published tables. The
composite score is ((mean TSR over NP and P1-P4) + (mean PRR) + 100 - (mean RC)) / 3. A crashed or cut-off episode stays
in every denominator, an invalid one is in none. Intervals cluster by base task (`metric`).

Where recovery had a hand in a run, three more say whose the recoveries are: `reached`, the share of the exposed
episodes in which a fault reached the agent; `prr_agent`, the share of successes among those; `prr_layer`, the share
of the exposed ones that are successes in which no fault reached it. In each mode PRR = reached x prr_agent + prr_layer.

`ceiling` is the share of episodes under faults that recovery can end rightly, in runs with active recovery.

`prr_glance`, `prr_arithmetic`, `prr_across` and `prr_second_source` are PRR by the rung of the ladder of implicit
faults (`scenarios.ladder`); an episode with several faults counts on the lowest of their rungs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.rungs.visible_rung import RUNGS, Rung
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.metric import (
    ALL,
    AnyMetric,
    Composite,
    Design,
    EpisodeTable,
    Figure,
    Metric,
    OwnFigure,
    Row,
    difference,
    estimate,
    figure_row,
)

CLEAN = "NP"


@dataclass(frozen=True, slots=True)
class MazeResult:
    """One judged episode.

    Attributes:
        rung: the hardest rung on which one of the faults that arrived is detectable; empty if none is on the ladder.
        within_reach: whether recovery can end it rightly, by what is declared; None where that is not worked out.
    """

    task: str
    level: str
    mode: str
    epoch: int
    verdict: Verdict
    rung: str = ""
    within_reach: bool | None = None


DESIGN = Design[MazeResult](stratum=lambda r: r.mode, cluster=lambda r: r.task, block=lambda r: r.level)


def composite_score(tsr: Any, prr: Any, rc: Any) -> Any:
    """(TSR + PRR + 100 - RC) / 3, all in %: TSR the mean over NP and P1-P4, PRR and RC over P1-P4."""
    return (tsr + prr + 100 - rc) / 3


def _faulty(result: MazeResult) -> bool:
    return result.mode != CLEAN


def _exposed(result: MazeResult) -> bool:
    return _faulty(result) and result.verdict.exposed


def _reached(result: MazeResult) -> bool:
    return _exposed(result) and result.verdict.reached


TSR = Metric[MazeResult]("tsr", lambda r: r.verdict.success)
PRR = Metric[MazeResult]("prr", lambda r: r.verdict.recovered, _exposed)
RC = Metric[MazeResult]("rc", lambda r: r.verdict.redundancy, _faulty, kind="mean", requires=PRR)
COMPOSITE = Composite[MazeResult]("composite", (TSR, PRR, RC), less_is_better=("rc",))
METRICS = (
    TSR,
    PRR,
    RC,
    Metric[MazeResult]("tsr_as_published", lambda r: r.verdict.published),
    Metric[MazeResult]("prr_as_published", lambda r: r.verdict.published, _exposed),
    Metric[MazeResult]("exposed", lambda r: r.verdict.exposed, _faulty),
    Metric[MazeResult]("doubled", lambda r: r.verdict.doubled > 0, _faulty),
    Metric[MazeResult]("wrong_effects", lambda r: r.verdict.wrong > 0, _faulty),
    Metric[MazeResult]("outcome", lambda r: r.verdict.outcome),
    Metric[MazeResult]("process", lambda r: r.verdict.process, kind="mean"),
    Metric[MazeResult]("harmed", lambda r: r.verdict.harmed, _faulty),
    Metric[MazeResult]("corrupt_input", lambda r: r.verdict.stepped_on("corrupt input"), _faulty),
    Metric[MazeResult]("false_claims", lambda r: r.verdict.stepped_on("false claim"), _faulty),
    COMPOSITE,
)


def _prr_on(rung: Rung) -> Metric[MazeResult]:
    """PRR of the episodes whose hardest fault is detectable on this rung."""
    return Metric(f"prr_{rung}", lambda r: r.verdict.recovered, lambda r: _exposed(r) and r.rung == rung)


BY_RUNG = {rung: _prr_on(rung) for rung in RUNGS}
HARM = ("harmed", "doubled", "wrong_effects", "corrupt_input", "false_claims")  # the first is any of the others
AIDED = (  # where recovery had a hand in the run
    Metric[MazeResult]("reached", lambda r: r.verdict.reached, _exposed),
    Metric[MazeResult]("prr_agent", lambda r: r.verdict.success, _reached),
    Metric[MazeResult]("prr_layer", lambda r: r.verdict.recovered_by == "layer", _exposed),
)


def _ceiling(cell: EpisodeTable[MazeResult]) -> Figure:
    """The share within reach; without an interval, as it is worked out from what is declared, and nothing measured."""
    known = [one.within_reach for one in cell if one.within_reach is not None]
    return Figure(round(100 * sum(known) / len(known), 2) if known else None, None, None, len(known))


CEILING = OwnFigure("ceiling", _ceiling)
MAZE_METRICS: tuple[AnyMetric[MazeResult], ...] = (*METRICS, *AIDED, *BY_RUNG.values(), CEILING)
UNDER_NO_FAULT = ("tsr", "tsr_as_published", "outcome", "process")
OVER_FAULTS = ("rc", "exposed", *HARM)  # over the episodes of fault modes


def maze_table(
    results: Sequence[MazeResult], who: Row, metrics: Sequence[AnyMetric[MazeResult]] = MAZE_METRICS
) -> list[Row]:
    """The long table of a run: every metric for each cell, each level, each mode and all.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        metrics: of which the table is made.
    """
    run = EpisodeTable(results, DESIGN)
    return [
        figure_row(who, level, mode, metric.name, estimate(metric, cell))
        for level, mode, cell in run.cells(lambda r: r.level, lambda r: r.mode, ordered=True)
        for metric in _telling(metrics, cell, mode)
    ]


def _telling(
    metrics: Sequence[AnyMetric[MazeResult]], cell: EpisodeTable[MazeResult], mode: str
) -> Iterator[AnyMetric[MazeResult]]:
    """The metrics that say something in a cell."""
    aided = any(r.verdict.calls_by_layer or r.verdict.masked_faults for r in cell)
    reached = {BY_RUNG[r.rung].name for r in cell if r.rung in BY_RUNG}
    silent = {metric.name for metric in BY_RUNG.values()} - reached
    silent |= set() if aided else {metric.name for metric in AIDED}
    silent |= {CEILING.name} if all(r.within_reach is None for r in cell) else set()
    if mode == CLEAN:
        silent |= {metric.name for metric in metrics} - {*UNDER_NO_FAULT, *reached}
    # Made of success over all episodes and of recovery, as published: it needs clean episodes beside faulted ones.
    if mode != ALL or all(map(_faulty, cell)):
        silent.add(COMPOSITE.name)
    return (metric for metric in metrics if metric.name not in silent)


def paired_difference(one: Sequence[MazeResult], other: Sequence[MazeResult], who: Row) -> list[Row]:
    """The difference of each metric in `other` from `one`, over the episodes that both have.

    The metric's name gets `_difference`; both runs are resampled together by base task.
    """
    shared = {(r.task, r.mode, r.epoch) for r in one} & {(r.task, r.mode, r.epoch) for r in other}
    left, right = (
        EpisodeTable([r for r in run if (r.task, r.mode, r.epoch) in shared], DESIGN) for run in (one, other)
    )
    figures = {f"{metric.name}_difference": difference(metric, left, right) for metric in METRICS}
    return [figure_row(who, ALL, ALL, name, figure) for name, figure in figures.items() if figure.value is not None]
