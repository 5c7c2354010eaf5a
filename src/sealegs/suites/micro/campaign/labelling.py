"""The outcome of a run, by rules, with the evidence for it.

The first rule that holds decides:

1. the answer gives the accepted value: CORRECT, also where it hedges (the evidence says so);
2. the run was over its budget of time: TIMEOUT;
3. its process died, by a signal, by memory, by leaving, or by an uncaught exception: CRASH;
4. the model ended it (a refusal, a filter, a full context, a reply cut off or empty), there is no answer, or the answer
   says that the agent failed (`admitting`), or it gives no number where one is expected: ERROR;
5. otherwise a wrong answer was given as if it were right: SILENT-DIFF.

A run is comparable where the run without a fault beside it is CORRECT, and exposed where a fault was delivered. One
that failed outside agent and tools, or whose run without a fault did, is invalid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sealegs.scoring.micro_metrics import CORRECT, CRASH, ERROR, SILENT, TIMEOUT, Evidence, LabelledRun
from sealegs.suites.micro.campaign.admitting import admission, hedge
from sealegs.suites.micro.campaign.run_labels import Label
from sealegs.suites.micro.campaign.runs import PlannedRun
from sealegs.suites.micro.workloads import Workload
from sealegs.suites.micro.workloads.accepted import Accepted, AcceptedName, AcceptedParts, Day, Quantity
from sealegs.tasks.value_matching import NUMBERS
from sealegs.traces.record import OUTSIDE

DIED = {
    "signal": "its process was ended by a signal",
    "memory": "its process took too much memory",
    "exited": "its process left without an answer",
    "raised": "an exception was raised and not caught",
}
NUMBER = re.compile(rf"\d|\b(?:{'|'.join(NUMBERS)}|half|dozen|hundred)\b", re.IGNORECASE)
LONG = 400  # characters of a text that evidence shows


@dataclass(frozen=True, slots=True)
class EndedRun:
    """The facts of a run that has ended.

    Attributes:
        how: `finished`, `timeout`, `outside` (it failed outside agent and tools), or one of `DIED`.
        answer: the agent's final words; None where there were none.
        detail: the description of an end without an answer.
        faults: the faults that were delivered, each with its place, in order.
        handed: with two agents, the inner one's handling of the fault.
        model_end: how the model itself ended it, in a term of `attribution`; empty where it did not.
    """

    how: str
    answer: str | None = None
    detail: str = ""
    faults: tuple[str, ...] = ()
    handed: str = ""
    model_end: str = ""

    @property
    def outside(self) -> str:
        """The reason why the run says nothing of the agent; empty where it says something."""
        return self.detail if self.how == OUTSIDE else ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The run without a fault: its answer or end, whether that was right, and why it is invalid if it is."""

    answer_or_end: str
    right: bool
    outside: str = ""


def rule_outcome(ended: EndedRun, judge: Callable[[str], bool], numeric: bool) -> tuple[str, str, str]:
    """The outcome by the rules: (outcome, the rule in words, what was found)."""
    answer = (ended.answer or "").strip()
    # In this order: a right answer of a run that was killed afterwards is not correct, and one without a value is no
    # silent error.
    if ended.how == "finished" and answer and judge(answer):
        warning = hedge(answer)
        rule = f"the answer gives the accepted value, though with a warning ({warning})" if warning else ""
        return CORRECT, rule or "the answer gives the accepted value", answer
    if ended.how == "timeout":
        return TIMEOUT, "the run was over its budget", ended.detail
    if ended.how in DIED:
        return CRASH, DIED[ended.how], ended.detail
    if ended.how == OUTSIDE:
        return ERROR, "it failed outside agent and tools", ended.detail
    if ended.model_end:
        return ERROR, f"the model ended the run without an answer: {ended.model_end}", ended.detail or answer
    if not answer:
        return ERROR, "there is no answer", ended.detail
    admitted = admission(answer)
    if admitted:
        return ERROR, "the answer says that the agent failed", admitted
    if numeric and not NUMBER.search(answer):
        return ERROR, "the answer gives no value", answer
    return SILENT, "the answer gives another value, as if it were right", answer


@dataclass(frozen=True)
class CampaignContext:
    """The facts by which a run with a fault is judged.

    Attributes:
        ended: how it went.
        workload: the question, and what is right.
        baseline: the run without a fault beside it.
        labels: people's, by run.
    """

    ended: EndedRun
    workload: Workload
    baseline: Baseline
    labels: Mapping[str, Label]


def label_run(planned: PlannedRun, context: CampaignContext) -> LabelledRun:
    """Give a run with a fault its outcome."""
    ended, baseline = context.ended, context.baseline
    outcome, rule, found = run_outcome(ended, context.workload)
    expected = accepted_words(context.workload.accepted)
    one, label = planned.experiment, context.labels.get(planned.id)
    where = ", ".join(dict.fromkeys(ended.faults))
    run = LabelledRun(
        id=planned.id,
        task=one.task,
        model=one.model,
        level=one.level,
        fault=one.fault_name,
        place=one.boundary,
        seed=one.seed,
        repetition=planned.repetition,
        outcome=outcome,
        ruled=outcome,
        comparable=baseline.right,
        exposed=bool(ended.faults),
        evidence=Evidence(rule, shorten_evidence(found), expected, shorten_evidence(baseline.answer_or_end), where),
        handed=ended.handed,
        invalid=ended.outside or (f"the run without a fault: {baseline.outside}" if baseline.outside else ""),
    )
    return run if label is None else replace(run, outcome=label.outcome, note=label.note, corrected=True)


RunJudge = Callable[[PlannedRun, CampaignContext], LabelledRun]


def shorten_evidence(text: str) -> str:
    """A text as evidence shows it."""
    text = " ".join(text.split())
    return text if len(text) <= LONG else f"{text[: LONG - 3]}..."


def run_outcome(ended: EndedRun, workload: Workload) -> tuple[str, str, str]:
    """The outcome of a run of a workload, with or without a fault: see `rule_outcome`."""
    return rule_outcome(ended, workload.judge, numeric(workload.accepted))


def numeric(accepted: Accepted) -> bool:
    """Return whether the expected answer is a number and nothing else that could be wrong."""
    match accepted:
        case AcceptedParts(parts=parts):
            return all(map(numeric, parts))
        case AcceptedName():
            return False
    return True


def accepted_words(accepted: Accepted) -> str:
    """The answer that counts as right, in short."""
    match accepted:
        case Quantity(value=value, tolerance=tolerance):
            return f"{value:g}" + (f" ± {tolerance:g}" if tolerance else "")
        case AcceptedName(names=names):
            return names[0]
        case Day(day=day):
            return day.isoformat()
        case AcceptedParts(parts=parts):
            return ", ".join(map(accepted_words, parts))
    return ""
