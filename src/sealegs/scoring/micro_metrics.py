"""Outcomes of the runs of a campaign: five kinds, their counts, and rates with intervals.

TSR, HR and TR are the shares of CORRECT, SILENT-DIFF and TIMEOUT, in %. Only informative runs count: a run whose prompt
was answered wrongly without a fault is *not comparable*, one that no fault reached is *not exposed*, one that failed
outside agent and tools is *invalid*; these stay in the table under their own names. Outcomes are not decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sealegs.scoring.metric import (
    AnyMetric,
    Design,
    EpisodeTable,
    Figure,
    Metric,
    OwnFigure,
    Row,
    estimate,
    figure_row,
    player_row,
)

CORRECT, SILENT, TIMEOUT, CRASH, ERROR = OUTCOMES = ("CORRECT", "SILENT-DIFF", "TIMEOUT", "CRASH", "ERROR")
NOT_COMPARABLE = "not comparable"
NOT_EXPOSED = "not exposed"
INVALID = "invalid"
SCRIPTED = "scripted/"  # models whose calls cannot fail
SHOWN = (*OUTCOMES, NOT_COMPARABLE, NOT_EXPOSED, INVALID)
RATES: Mapping[str, str] = {"tsr": CORRECT, "hr": SILENT, "tr": TIMEOUT, "cr": CRASH, "er": ERROR}
MEANINGS: Mapping[str, str] = {
    "tsr": "right in spite of the fault",
    "hr": "wrong, and said as if right",
    "tr": "over the budget of time",
    "cr": "the process died",
    "er": "said that it failed, or said nothing",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for a run's outcome.

    Attributes:
        rule: the rule that decided, in words.
        found: the words or the value that it was decided by.
        expected: the value that would have been right.
        baseline: what was answered to the same prompt without a fault.
        fault: the fault that was delivered, and where; empty where none was.
        opinion: a judging model's verdict, where one was called. It changes nothing.
    """

    rule: str
    found: str = ""
    expected: str = ""
    baseline: str = ""
    fault: str = ""
    opinion: str = ""


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A run with its outcome.

    Attributes:
        id: of the run.
        task, model, level: what was run.
        fault: the fault, as the campaign names it.
        place: the boundary at which it struck, where there are several agents.
        seed, repetition: which of its kind.
        outcome: one of `OUTCOMES`, by a person's correction where there is one, else by the rules.
        ruled: the outcome by the rules alone.
        comparable: whether the prompt was answered rightly without a fault.
        exposed: whether a fault was delivered.
        evidence: of the rules.
        handed: with two agents, what the inner one made of the fault.
        note: a person's note.
        corrected: whether a person gave the outcome.
        invalid: what failed outside agent and tools, in it or in the run without a fault; empty where nothing did.
    """

    id: str
    task: str
    model: str
    level: str
    fault: str
    place: str
    seed: int
    repetition: int
    outcome: str
    ruled: str
    comparable: bool
    exposed: bool
    evidence: Evidence
    handed: str = ""
    note: str = ""
    corrected: bool = False
    invalid: str = ""

    @property
    def shown(self) -> str:
        """The label that the run is counted under: its outcome, or the reason why it says nothing."""
        if self.invalid:
            return INVALID
        if not self.comparable:
            return NOT_COMPARABLE
        return self.outcome if self.exposed else NOT_EXPOSED

    @property
    def counts(self) -> bool:
        """Whether it is in the denominators of rates."""
        return self.comparable and self.exposed and not self.invalid


DESIGN = Design[LabelledRun](stratum=lambda _: "", cluster=lambda run: run.task)


def _rate(name: str, outcome: str) -> Metric[LabelledRun]:
    return Metric(name, lambda run: run.outcome == outcome, lambda run: run.counts)


INVALID_SHARE = Metric[LabelledRun](INVALID, lambda run: bool(run.invalid))
METRICS = tuple(_rate(name, outcome) for name, outcome in RATES.items())


def _count(name: str, holds: Callable[[LabelledRun], bool]) -> OwnFigure[LabelledRun]:
    """The number of the runs for which this holds."""
    return OwnFigure(name, lambda runs: Figure(float(sum(map(holds, runs))), None, None, len(runs)))


MICRO_METRICS: tuple[AnyMetric[LabelledRun], ...] = (
    *METRICS,
    INVALID_SHARE,
    _count("runs", lambda _: True),
    _count("not_comparable", lambda run: run.shown == NOT_COMPARABLE),
    _count("not_exposed", lambda run: run.shown == NOT_EXPOSED),
    _count("corrected", lambda run: run.corrected),
)


def counts(runs: Iterable[LabelledRun]) -> dict[tuple[str, str, str], int]:
    """The number of runs by (fault, label that they are counted under, model)."""
    return dict(Counter((run.fault, run.shown, run.model) for run in runs))


def micro_table(
    runs: Sequence[LabelledRun],
    tasks: str = "",
    suite: str = "micro",
    metrics: Sequence[AnyMetric[LabelledRun]] = MICRO_METRICS,
) -> list[Row]:
    """The long table: for each model every rate and count by level and fault, and over all of either.

    Args:
        runs: with their outcomes.
        tasks: the edition of the workloads.
        suite: the rows' suite.
        metrics: of which the table is made.
    """
    found: list[Row] = []
    for model in dict.fromkeys(run.model for run in runs):
        own = EpisodeTable([run for run in runs if run.model == model], DESIGN)
        for level, fault, cell in own.cells(lambda run: run.level, lambda run: run.fault):
            who = player_row(suite, model, tasks, scripted=False)
            # The calls of a scripted model cannot fail.
            sure = model.startswith(SCRIPTED) and not any(run.invalid for run in cell)
            telling = [metric for metric in metrics if not (sure and metric is INVALID_SHARE)]
            found += [figure_row(who, level, fault, metric.name, estimate(metric, cell)) for metric in telling]
    return found
