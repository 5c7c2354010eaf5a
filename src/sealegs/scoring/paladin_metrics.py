"""The metrics of `paladin` over judged episodes, each with an interval, as rows of the long table.

- `tsr`, task success rate: the share of strict successes (`judge`). In a dead end the success is an honest stop.
- `rr`, recovery rate: of the episodes in which the failure was delivered, the share that answered it in a way that
  leads on and noticed it: the call made good or another branch finished; in a dead end, a stop that is reported.
- `csr`, catastrophic success rate as the publication uses the name, higher is better: 100 less the share of episodes
  that end with a claim of success that is false.
- `es`, efficiency score: 1 / the mean number of calls, the formula of the authors' public repository. Failures count as
  successes do, so an agent that gives up early scores high and the figure says nothing alone.
- `efficiency`, ours: the fewest calls that were possible over the calls made, 0 for an episode that is not a success.
- `tsr_as_published`, `rr_as_published`, `csr_as_published`: the same by the looser rules of the published `protocol`.

Rates are in %, `es` is not. Over the classes each is the mean of the seven classes' values (macro). Clean
episodes have a row of their own and are in no mean. Crashed and cut-off episodes stay in every denominator, invalid
ones are in none. Intervals cluster by base task; where there are several runs, by run as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.metric import (
    ALL,
    AnyMetric,
    Design,
    EpisodeTable,
    Figure,
    Metric,
    OwnFigure,
    Row,
    estimate,
    figure_row,
)
from sealegs.scoring.paladin_protocol import ProtocolVerdict

CLEAN = "clean"


@dataclass(frozen=True, slots=True)
class PaladinResult:
    """One judged episode.

    Attributes:
        task: the base task.
        failure_class: the failure's class, or `clean`.
        kind: how long the failure lasts: `transient`, `switch`, `dead end`, or `clean`.
        verdict: the judge's.
        answered: whether there is a final answer.
        extra: calls beyond the judge's best that a failure that strikes several times needs.
        protocol: the verdict by the published protocol; None where it was not applied.
        run: which model this is of, where several models, trained alike, belong to one method.
    """

    task: str
    failure_class: str
    kind: str
    verdict: Verdict
    answered: bool
    extra: int = 0
    protocol: ProtocolVerdict | None = None
    run: str = ""

    @property
    def recovered(self) -> bool:
        """The failure was delivered, and answered in a way that leads on."""
        return self.verdict.exposed and self.verdict.strategy

    @property
    def catastrophe(self) -> bool:
        """The answer says or implies that all is done, and it is not."""
        return self.answered and not self.verdict.stopped and not self.verdict.success

    @property
    def efficiency(self) -> float:
        """The fewest calls over the calls made; 0 for a failed episode."""
        verdict = self.verdict
        if not verdict.success:
            return 0.0
        if verdict.cost is None or verdict.best is None:
            return 1.0
        best = verdict.calls - verdict.cost + verdict.best + self.extra
        return min(1.0, best / max(1, verdict.calls))


DESIGN = Design[PaladinResult](stratum=lambda r: r.failure_class, cluster=lambda r: r.task, run=lambda r: r.run)
AS_PUBLISHED = (
    Metric[PaladinResult]("tsr_as_published", lambda r: _published(r).success, lambda r: r.protocol is not None),
    Metric[PaladinResult](
        "rr_as_published", lambda r: _published(r).recovery, lambda r: r.protocol is not None and r.verdict.exposed
    ),
    Metric[PaladinResult](
        "csr_as_published", lambda r: not _published(r).unsupported, lambda r: r.protocol is not None
    ),
)
TSR = Metric[PaladinResult]("tsr", lambda r: r.verdict.success)
RR = Metric[PaladinResult]("rr", lambda r: r.recovered, lambda r: r.verdict.exposed)
METRICS = (
    TSR,
    RR,
    Metric[PaladinResult]("csr", lambda r: not r.catastrophe),
    Metric[PaladinResult]("es", lambda _: 1.0, lambda r: max(1, r.verdict.calls), kind="amount", digits=4),
    Metric[PaladinResult]("efficiency", lambda r: r.efficiency, kind="mean"),
    Metric[PaladinResult]("calls", lambda r: r.verdict.calls, kind="amount"),
    Metric[PaladinResult]("exposed", lambda r: r.verdict.exposed),
    *AS_PUBLISHED,
)


def _of_kind(metric: Metric[PaladinResult], kind: str) -> OwnFigure[PaladinResult]:
    """A metric of the failures of one kind alone."""
    name = f"{metric.name}_{kind.replace(' ', '_')}"
    return OwnFigure(name, lambda faulty: estimate(metric, faulty.where(lambda r: r.kind == kind)))


BY_KIND = {kind: tuple(_of_kind(metric, kind) for metric in (RR, TSR)) for kind in ("dead end", "switch", "transient")}
PALADIN_METRICS: tuple[AnyMetric[PaladinResult], ...] = (*METRICS, *(one for own in BY_KIND.values() for one in own))
NAMED = {metric.name: metric for metric in METRICS}
FAULTY = ("rr", "exposed", "rr_as_published")  # of episodes with a failure alone


def _published(result: PaladinResult) -> ProtocolVerdict:
    """The verdict by the published protocol on an episode that it was applied to."""
    assert result.protocol is not None
    return result.protocol


def recovery_figure(results: Sequence[PaladinResult], name: str) -> Figure:
    """A metric's macro mean over the classes there are, and its interval; None where it cannot be estimated."""
    return estimate(NAMED[name], EpisodeTable(results, DESIGN))


def paladin_table(
    results: Sequence[PaladinResult],
    who: Row,
    mode: str,
    metrics: Sequence[AnyMetric[PaladinResult]] = PALADIN_METRICS,
) -> list[Row]:
    """The long table of a run: every metric for each class, for all, for the clean ones, and by kind of failure.

    Args:
        results: the judged episodes.
        who: `suite` and `agent` or `model`, copied into each row.
        mode: the set.
        metrics: of which the table is made.
    """
    run = EpisodeTable(results, DESIGN)
    faulty = run.where(lambda r: r.failure_class != CLEAN)
    groups = dict(sorted(faulty.by(lambda r: r.failure_class).items()))
    groups |= {ALL: faulty, CLEAN: run.where(lambda r: r.failure_class == CLEAN)}
    of_kinds = [one for kind in faulty.by(lambda r: r.kind) for one in BY_KIND.get(kind, ())]
    rows: list[Row] = []
    for level, chosen in groups.items():
        graded = any(r.protocol is not None for r in chosen)
        rows += [
            figure_row(who, level, mode, metric.name, estimate(metric, chosen))
            for metric in (metrics if len(chosen) else ())
            if not isinstance(metric, OwnFigure)
            and (graded or metric not in AS_PUBLISHED)
            and not (level == CLEAN and metric.name in FAULTY)
        ]
    rows += [figure_row(who, ALL, mode, one.name, estimate(one, faulty)) for one in metrics if one in of_kinds]
    return rows
