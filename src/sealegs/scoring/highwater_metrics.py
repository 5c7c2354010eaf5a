"""Rates of `highwater` with their errors, as rows of the long table.

Accuracy is the share of right answers over valid episodes, crashed and cut-off ones too. `accuracy_drop` is how many
points it falls under errors, `accuracy_decrease` the same as a share of what it was, both over the problems that were
played in both modes; so are `kept`, the share that is right under errors of what was right without, and `gained`, that
of what was wrong without. An agent gains where a refusal tells it that it had taken a part of the answer for the whole.
What was done after the first refusal is over the episodes that met one. The questions of one database are one cluster
in every interval and standard error, since an agent does alike on them: they ask about the same tables, and many
differ in a value alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sealegs.scoring.highwater_judge import HighwaterVerdict
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
    standard_error,
)

CLEAN = "no errors"
HOPELESS = "distractors"  # begins the name of the setting in which nothing gives the answer
STAGES = ("exposed", "found plan B", "finished plan B", "right")  # between a planned fault and success


@dataclass(frozen=True, slots=True)
class HighwaterResult:
    """One judged episode.

    Attributes:
        problem: its id.
        database: what it is about.
        level: the setting.
        mode: `no errors`, or what strikes.
        epoch: from 1.
        verdict: of the judge.
    """

    problem: str
    database: str
    level: str
    mode: str
    epoch: int
    verdict: HighwaterVerdict

    @property
    def hopeless(self) -> bool:
        """Whether nothing gives the answer, so that there is no plan B and giving up is right."""
        return self.level.startswith(HOPELESS)

    @property
    def went_wrong(self) -> str:
        """The term of the verdict; empty where giving up was right."""
        return "" if self.hopeless and self.verdict.gave_up else self.verdict.term

    @property
    def stage(self) -> int | None:
        """The number of `STAGES` that it passed; one that came to a later stage passed those before.

        None where nothing strikes, or where there is no plan B.
        """
        if self.mode == CLEAN or self.hopeless:
            return None
        if not self.verdict.exposed:
            return 0
        return 4 if self.verdict.right else 3 if self.verdict.composed else 2 if self.verdict.found else 1


DESIGN = Design[HighwaterResult](stratum=lambda _: "", cluster=lambda r: r.database)
ACCURACY = Metric[HighwaterResult]("accuracy", lambda r: r.verdict.right)
SHARES = (ACCURACY, Metric[HighwaterResult]("gave_up", lambda r: r.verdict.gave_up))
MEANS = (
    Metric[HighwaterResult]("turns", lambda r: r.verdict.turns, kind="amount"),
    Metric[HighwaterResult]("calls", lambda r: r.verdict.calls, kind="amount"),
)
EXPOSED = Metric[HighwaterResult]("exposed", lambda r: r.verdict.exposed)
AFTER = (
    Metric[HighwaterResult]("recovered", lambda r: r.verdict.right, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("searched_again", lambda r: r.verdict.searched, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("found_plan_b", lambda r: r.verdict.found, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("composed_it", lambda r: r.verdict.composed, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("gave_up_after", lambda r: r.verdict.gave_up, lambda r: r.verdict.exposed),
    Metric[HighwaterResult]("looped", lambda r: r.verdict.looped, lambda r: r.verdict.exposed),
)


def _error_of(metric: Metric[HighwaterResult]) -> OwnFigure[HighwaterResult]:
    return OwnFigure(f"{metric.name}_se", partial(standard_error, metric))


def _paired_modes(at: EpisodeTable[HighwaterResult]) -> list[tuple[HighwaterResult, HighwaterResult]]:
    """The problems that were played in both modes, each without errors and under them."""
    clean = {(r.problem, r.epoch): r for r in at if r.mode == CLEAN}
    faulty = {(r.problem, r.epoch): r for r in at if r.mode != CLEAN}
    # Problem by problem: without the pairs, the difference would be between two samples of problems, too.
    return [(before, faulty[key]) for key, before in clean.items() if key in faulty]


def _loss(at: EpisodeTable[HighwaterResult], *, relative: bool) -> Figure:
    """The accuracy that is lost to errors, in points or as a share of what it was."""
    before, after = (EpisodeTable([pair[side] for pair in _paired_modes(at)], DESIGN) for side in (0, 1))
    return difference(ACCURACY, before, after, relative=True) if relative else difference(ACCURACY, after, before)


def _right_under_errors(at: EpisodeTable[HighwaterResult], *, before: bool) -> Figure:
    """The share that is right under errors of what was right without, or wrong."""
    found = [after for clean, after in _paired_modes(at) if clean.verdict.right == before]
    return estimate(ACCURACY, EpisodeTable(found, DESIGN))


ERRORS = tuple(map(_error_of, SHARES))
PAIRED = (
    OwnFigure[HighwaterResult]("accuracy_drop", partial(_loss, relative=False)),
    OwnFigure[HighwaterResult]("accuracy_decrease", partial(_loss, relative=True)),
    OwnFigure[HighwaterResult]("kept", partial(_right_under_errors, before=True)),
    OwnFigure[HighwaterResult]("gained", partial(_right_under_errors, before=False)),
)
HIGHWATER_METRICS: tuple[AnyMetric[HighwaterResult], ...] = (
    *(one for share in zip(SHARES, ERRORS, strict=True) for one in share),
    *MEANS,
    EXPOSED,
    *AFTER,
    *PAIRED,
)


def highwater_table(
    results: Sequence[HighwaterResult], who: Row, metrics: Sequence[AnyMetric[HighwaterResult]] = HIGHWATER_METRICS
) -> list[Row]:
    """The long table of a run.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        metrics: of which the table is made.
    """
    run = EpisodeTable(results, DESIGN)
    of_both = [metric for metric in metrics if metric in PAIRED]
    rows: list[Row] = []
    for level, at in run.by(lambda r: r.level).items():
        for mode, cell in at.by(lambda r: r.mode).items():
            telling = [metric for metric in metrics if metric not in PAIRED and _tells(metric, cell, mode)]
            rows += [figure_row(who, level, mode, metric.name, estimate(metric, cell)) for metric in telling]
        figures = {metric.name: estimate(metric, at) for metric in of_both}
        rows += [
            figure_row(who, level, ALL, name, figure) for name, figure in figures.items() if figure.value is not None
        ]
    return rows


def _tells(metric: AnyMetric[HighwaterResult], cell: EpisodeTable[HighwaterResult], mode: str) -> bool:
    """Return whether a metric says something in a cell."""
    if metric in AFTER:  # a share of the episodes that met an error; without any, it is of nothing
        return mode != CLEAN and any(r.verdict.exposed for r in cell)
    return metric is not EXPOSED or mode != CLEAN
