"""A campaign's folder read back: every run with its outcome and evidence, what is unfinished, what people corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealegs.engines.logs import invalid_note
from sealegs.scoring.invalid import InvalidCount
from sealegs.scoring.metric import AnyMetric, Row
from sealegs.scoring.micro_metrics import CORRECT, MICRO_METRICS, LabelledRun, micro_table
from sealegs.suites.micro.campaign.campaign_check import read_campaign
from sealegs.suites.micro.campaign.folder import TRACES, CampaignRequest, read_campaign_request, read_ends
from sealegs.suites.micro.campaign.labelling import (
    Baseline,
    CampaignContext,
    RunJudge,
    label_run,
    run_outcome,
    shorten_evidence,
)
from sealegs.suites.micro.campaign.run_labels import Label, read_run_labels
from sealegs.suites.micro.campaign.run_process import ended_run
from sealegs.suites.micro.campaign.runs import Campaign, PlannedRun
from sealegs.suites.micro.campaign.second_opinion import with_opinions
from sealegs.suites.micro.isolation import RunEnd
from sealegs.suites.micro.workloads.workload import Workload, load_workloads
from sealegs.tasks.editions import TASK_SET

if TYPE_CHECKING:
    from sealegs.reports.micro_page import MicroPage


@dataclass(frozen=True, slots=True)
class CampaignResults:
    """The contents of a campaign's folder.

    Attributes:
        request: the last request to it.
        runs: the finished runs with a fault.
        planned: the number of runs that are planned.
        notes: facts that a person should know, in sentences.
    """

    request: CampaignRequest
    runs: tuple[LabelledRun, ...]
    planned: int
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self.request.source

    @property
    def validity(self) -> InvalidCount:
        """The count of the invalid runs among the finished ones."""
        return InvalidCount(sum(bool(run.invalid) for run in self.runs), len(self.runs))

    def rows(self, metrics: Sequence[AnyMetric[LabelledRun]] = MICRO_METRICS) -> list[Row]:
        """The long table, made of these metrics."""
        return micro_table(self.runs, self.request.settings.task_set, metrics=metrics)

    def page(self) -> MicroPage:
        """The material of the page."""
        from sealegs.reports.micro_page import MicroPage

        return MicroPage(self.name, self.runs, self.notes, self.request.settings.task_set)

    def about(self) -> dict[str, Any]:
        """The facts about the campaign that the rows are of."""
        return {
            "campaign": self.name,
            TASK_SET: self.request.settings.task_set,
            "budget_seconds": self.request.settings.budget,
            "runs": len(self.runs),
            "planned": self.planned,
            "notes": list(self.notes),
        }


def read_folder(folder: Path, judge: str = "", label: RunJudge = label_run) -> CampaignResults:
    """The runs of a folder with their outcomes.

    Args:
        folder: of a campaign.
        judge: a LangChain chat model that decides doubtful cases; empty for none.
        label: gives each run its outcome.

    Raises:
        UserError: it holds no campaign, or its labels are wrong.
    """
    request = read_campaign_request(folder)
    campaign = read_campaign(request.text, request.model, f"{request.source} (as {folder} was last run with)")
    ends = read_ends(folder)
    known = {run.id for run in campaign.runs()}
    labels = read_run_labels(folder, known, set(ends) - known)
    runs = _runs(campaign, ends, folder / TRACES, labels, label)
    notes = _notes(campaign, ends, runs)
    if judge:
        runs = with_opinions(runs, judge, folder)
    return CampaignResults(request, tuple(runs), len(campaign.planned()), tuple(notes))


def _runs(
    campaign: Campaign, ends: Mapping[str, RunEnd], traces: Path, labels: Mapping[str, Label], label: RunJudge
) -> list[LabelledRun]:
    workloads = load_workloads()
    baselines = {
        run.id: _baseline(run, ends.get(run.id), traces, workloads[run.experiment.task], labels)
        for run in campaign.baselines()
    }
    found = []
    for run in campaign.planned():
        baseline = baselines[run.baseline().id]
        if run.id not in ends or baseline is None:
            continue
        workload = workloads[run.experiment.task]
        went = ended_run(ends[run.id], traces, workload)
        found.append(label(run, CampaignContext(went, workload, baseline, labels)))
    return found


def _baseline(
    run: PlannedRun, ended: RunEnd | None, traces: Path, workload: Workload, labels: Mapping[str, Label]
) -> Baseline | None:
    if ended is None:
        return None
    went = ended_run(ended, traces, workload)
    outcome, _, found = run_outcome(went, workload)
    outcome = labels[run.id].outcome if run.id in labels else outcome
    answer = went.answer or f"{outcome}: {found}"
    return Baseline(f"{shorten_evidence(answer)} (run {run.id})", outcome == CORRECT, went.outside)


def _notes(campaign: Campaign, ends: Mapping[str, RunEnd], runs: Sequence[LabelledRun]) -> list[str]:
    planned = len(campaign.planned())
    notes = [*invalid_note([run.invalid for run in runs if run.invalid]), *_wrong_without(runs)]
    if len(runs) < planned:
        notes.append(
            f"{planned - len(runs)} of {planned} runs are not finished, or the run without a fault beside them is not;"
            " they are in no table. The same `sealegs campaign run` resumes them"
        )
    ids = [run.id for run in campaign.runs() if run.id in ends]
    spawned = sum(ends[id].start == "spawn" for id in ids)
    left = sum(ends[id].children > 0 for id in ids)
    if spawned:
        notes.append(f"{spawned} runs were started in interpreters of their own: a fork would not have been safe")
    if left:
        notes.append(f"{left} runs left processes behind; they were ended with their run")
    return notes


def _wrong_without(runs: Sequence[LabelledRun]) -> Iterator[str]:
    """Sentences on the prompts that were not answered rightly without a fault, and on the runs that they cost."""
    beside: dict[tuple[str, str, str], list[LabelledRun]] = {}
    for run in runs:
        if not run.comparable and not run.invalid:
            beside.setdefault((run.task, run.model, run.level), []).append(run)
    for (task, model, level), lost in beside.items():
        yield (
            f"without a fault {task} was not answered rightly by {model} at level {level}: {lost[0].evidence.baseline};"
            f" {len(lost)} runs cannot be compared"
        )
