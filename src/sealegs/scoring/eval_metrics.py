"""The metrics of somebody else's eval under faults: how much of what is solved without faults stays solved.

Solved is what the eval's own scorer says. Each faulted episode is paired with the clean one of the same sample and
epoch. `kept` is the share still solved of those that were solved cleanly and in which a fault was delivered. An episode
that ended outside agent and tools (provider, sandbox, scorer) is invalid, and in no other denominator. Over several
modes each metric is the mean of the modes' values. A right stop (`honest_stop`) is counted beside the eval's score,
because most tasks of others have no second way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sealegs.scoring.metric import (
    ALL,
    AnyMetric,
    Design,
    EpisodeTable,
    Figure,
    Metric,
    OwnFigure,
    Row,
    difference,
    estimate,
    figure_row,
    paired,
)

CLEAN = "NP"


@dataclass(frozen=True, slots=True)
class EvalResult:
    """One judged episode, with what the clean one of the same sample and epoch came to.

    Attributes:
        sample, mode, epoch: which it is.
        solved: whether the eval's score reaches what counts as solved.
        clean_solved: the same of the clean episode; None where there is no valid one.
        kinds: of the faults that were delivered.
        lasting: whether a fault that was delivered is permanent.
        extra_calls: calls beyond those of the clean episode, those that recovery made included.
        waited: seconds that really passed on the seam.
        doubled: how many effects happened twice because an answer was lost.
        early_stop: whether the agent stopped although nothing had failed to the end.
        right_stop: whether it did not solve the task, and stopped where it had to.
        played: false where nothing that the sample calls can be struck in this mode, so that it was not played.
        invalid: why the episode says nothing of the agent; empty where it does.
        reason: how it ended, where it is not solved.
    """

    sample: str
    mode: str
    epoch: int
    solved: bool
    clean_solved: bool | None = None
    kinds: tuple[str, ...] = ()
    lasting: bool = False
    extra_calls: int = 0
    waited: float = 0.0
    doubled: int = 0
    early_stop: bool = False
    right_stop: bool = False
    played: bool = True
    invalid: str = ""
    reason: str = ""

    @property
    def exposed(self) -> bool:
        """Whether a fault was delivered."""
        return bool(self.kinds)

    @property
    def counts(self) -> bool:
        """Whether it was played and is valid."""
        return self.played and not self.invalid


def _exposed(result: EvalResult) -> bool:
    return result.counts and result.exposed


def _paired(result: EvalResult) -> bool:
    return _exposed(result) and result.clean_solved is not None


DESIGN = Design[EvalResult](stratum=lambda r: r.mode, cluster=lambda r: r.sample)
SOLVED = Metric[EvalResult]("clean", lambda r: r.solved, lambda r: r.counts)
INVALID = Metric[EvalResult]("invalid", lambda r: bool(r.invalid), lambda r: r.played)
FAULTED = Metric[EvalResult]("faulted", lambda r: r.solved, lambda r: r.counts)
KEPT = Metric[EvalResult]("kept", lambda r: r.solved, lambda r: _exposed(r) and r.clean_solved is True)
METRICS = (
    FAULTED,
    KEPT,
    Metric[EvalResult]("exposed", lambda r: r.exposed, lambda r: not r.invalid),
    INVALID,
    Metric[EvalResult]("extra_calls", lambda r: r.extra_calls, _paired, kind="amount"),
    Metric[EvalResult]("waits", lambda r: r.waited, _exposed, kind="amount"),
    Metric[EvalResult]("doubled", lambda r: r.doubled > 0, _exposed),
    Metric[EvalResult]("early_stops", lambda r: r.early_stop, _exposed),
    Metric[EvalResult]("right_stop", lambda r: r.right_stop, lambda r: _exposed(r) and r.lasting),
)
OF_ALL = ("exposed", "invalid")  # say nothing of one kind: an episode has a kind because it was exposed


def _change(results: EpisodeTable[EvalResult]) -> Figure:
    """The difference of the score under faults from that without, over the episodes that are valid in both."""
    before = [result for result in results if result.mode == CLEAN and result.counts]
    after = [result for result in results if result.mode != CLEAN and result.counts]
    after = [result for result in after if result.clean_solved is not None]
    return difference(FAULTED, *paired(before, after, lambda r: (r.sample, r.epoch), DESIGN))


CHANGE = OwnFigure("faulted_difference", _change)
EVAL_METRICS: tuple[AnyMetric[EvalResult], ...] = (SOLVED, *METRICS, CHANGE)


def eval_table(
    results: Sequence[EvalResult], who: Row, metrics: Sequence[AnyMetric[EvalResult]] = EVAL_METRICS
) -> list[Row]:
    """The long table of a run; levels are the kinds of faults that were delivered.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        metrics: of which the table is made.
    """
    clean = [result for result in results if result.mode == CLEAN]
    faulted = [result for result in results if result.mode != CLEAN]
    rows = [
        figure_row(who, ALL, CLEAN, metric.name, estimate(metric, EpisodeTable(clean, DESIGN)))
        for metric in metrics
        if metric in (SOLVED, INVALID)
    ]
    for level, mode, cell in _cells(faulted):
        for metric in metrics:
            if metric is SOLVED or (metric is CHANGE and mode == ALL):  # of all modes, each clean sample would be many
                continue
            figure = estimate(metric, EpisodeTable([*clean, *cell] if metric is CHANGE else cell, DESIGN))
            # Where no sample allowed a right stop, a row of it would only say that there is none.
            if (level == ALL or metric.name not in OF_ALL) and (metric.name != "right_stop" or figure.n):
                rows.append(figure_row(who, level, mode, metric.name, figure))
    return rows


def _cells(faulted: Sequence[EvalResult]) -> Iterator[tuple[str, str, list[EvalResult]]]:
    """Each kind in each mode, then each mode, then all; a kind's cell is of the episodes that it struck."""
    modes = sorted({result.mode for result in faulted})
    for kind in sorted({kind for result in faulted for kind in result.kinds}):
        for mode in modes:
            if own := [result for result in faulted if kind in result.kinds and result.mode == mode]:
                yield kind, mode, own
    for mode in modes:
        yield ALL, mode, [result for result in faulted if result.mode == mode]
    # With a single mode its cell has all episodes already; one more would repeat every row.
    if len(modes) > 1:
        yield ALL, ALL, list(faulted)


def run_differences(one: Sequence[EvalResult], other: Sequence[EvalResult], who: Row) -> list[Row]:
    """The difference of each share in `other` from `one`, over the episodes that are valid in both runs, by mode."""
    rows: list[Row] = []
    for mode in dict.fromkeys(result.mode for result in other):
        metrics = (SOLVED,) if mode == CLEAN else tuple(metric for metric in METRICS if metric.kind == "share")
        before, after = ([r for r in run if r.mode == mode and r.counts] for run in (one, other))
        pair = paired(before, after, lambda r: (r.sample, r.epoch), DESIGN)
        for metric in metrics:
            figure = difference(metric, *pair)
            if figure.value is not None:
                rows.append(figure_row(who, ALL, mode, f"{metric.name}_difference", figure))
    return rows
