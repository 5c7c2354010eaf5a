"""The metrics that every suite of tool calls has: success, recovery, exposure, repeated effects, calls.

A suite says what a success is; the rest is read from records. Recovery is the share of successes among the episodes in
which a fault was delivered. A repeated effect is one that the ledger holds more often than once. Over several modes
each is the mean of the modes' values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.scoring.metric import ALL, Design, EpisodeTable, Metric, Row, difference, estimate, figure_row, paired
from sealegs.traces.record import Record


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One judged episode.

    Attributes:
        task, level, mode, epoch: which it is.
        success: whether the suite's judge was satisfied.
        exposed: whether a fault was delivered.
        repeated: how many effects were done once too often.
        calls: how many the agent made.
        reason: why it is not a success; empty for one.
    """

    task: str
    level: str
    mode: str
    epoch: int
    success: bool
    exposed: bool
    repeated: int
    calls: int
    reason: str = ""


DESIGN = Design[EpisodeResult](stratum=lambda r: r.mode, cluster=lambda r: r.task, block=lambda r: r.level)
SUITE_METRICS = (
    Metric[EpisodeResult]("success", lambda r: r.success),
    Metric[EpisodeResult]("recovered", lambda r: r.success, lambda r: r.exposed),
    Metric[EpisodeResult]("exposed", lambda r: r.exposed),
    Metric[EpisodeResult]("repeated_effects", lambda r: r.repeated > 0),
    Metric[EpisodeResult]("calls", lambda r: r.calls, kind="amount"),
)


def repeated_effects(record: Record) -> int:
    """The number of effects of the ledger that were done once too often."""
    done = Counter((effect.action, effect.subject) for effect in record.effects)
    return sum(count - 1 for count in done.values())


def suite_table(results: Sequence[EpisodeResult], metrics: Sequence[Metric[EpisodeResult]], who: Row) -> list[Row]:
    """The long table of a run: every metric for each cell, each level, each mode and all.

    Args:
        results: the judged episodes.
        metrics: the suite's.
        who: `suite` and `agent` or `model`, copied into each row.
    """
    run = EpisodeTable(results, DESIGN)
    return [
        figure_row(who, level, mode, metric.name, estimate(metric, cell))
        for level, mode, cell in run.cells(lambda r: r.level, lambda r: r.mode)
        for metric in metrics
    ]


def suite_differences(
    one: Sequence[EpisodeResult], other: Sequence[EpisodeResult], metrics: Sequence[Metric[EpisodeResult]], who: Row
) -> list[Row]:
    """The difference of each metric in `other` from `one`, over the episodes of both; the name gets `_difference`."""
    before, after = paired(one, other, _identity, DESIGN)
    return [
        figure_row(who, ALL, ALL, f"{metric.name}_difference", difference(metric, before, after))
        for metric in metrics
        if metric.kind != "amount"
    ]


def _identity(result: EpisodeResult) -> tuple[str, str, int]:
    return result.task, result.mode, result.epoch
