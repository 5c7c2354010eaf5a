"""The tables of a campaign: endings by fault, rates by model, where errors went between two agents.

The first two have the shape of ChaosLLM's tables II and III and are printed beside them.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.reports import published
from sealegs.reports.metric_grids import NOTHING, MetricCell
from sealegs.reports.tables import WIDE, cell_text, plain_table
from sealegs.scoring.metric import ALL, EpisodeTable, estimate
from sealegs.scoring.micro_metrics import (
    CORRECT,
    CRASH,
    DESIGN,
    ERROR,
    INVALID,
    METRICS,
    NOT_COMPARABLE,
    NOT_EXPOSED,
    OUTCOMES,
    SHOWN,
    SILENT,
    TIMEOUT,
    LabelledRun,
    counts,
)
from sealegs.tasks.editions import TASK_SET

PRINTED = ("tsr", "hr", "tr")
COMPARED = (
    "Shapes can be compared, figures with care: ChaosLLM has other models, prompts and tools, and another clock. It"
    " counts all 75 runs of a model, and its judge is not ours. Its faults hold for every call of every tool, as here"
    " without a schedule."
)

FLOWS: Mapping[str, tuple[str, ...]] = {
    "absorbed": (CORRECT,),
    "passed on": (ERROR, CRASH, TIMEOUT),
    "silently wrong": (SILENT,),
}
COLUMNS = (
    *(
        "run",
        "task",
        "model",
        "level",
        "fault",
        "boundary",
        "seed",
        "repetition",
        "counted as",
        "outcome",
        "by the rules",
    ),
    *("note", "rule", "found", "expected", "without a fault", "fault delivered", "the inner agent", "second opinion"),
)


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Endings of runs by fault and model; each column of one fault adds up to its runs."""

    models: tuple[str, ...]
    faults: tuple[str, ...]
    numbers: Mapping[tuple[str, str, str], int]

    def lines(self) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """(fault, outcome, a number for each model), without the last two outcomes where no model has them."""
        for fault in self.faults:
            for outcome in SHOWN:
                row = tuple(self.numbers.get((fault, outcome, model), 0) for model in self.models)
                if any(row) or outcome in OUTCOMES:
                    yield fault, outcome, row


@dataclass(frozen=True, slots=True)
class ModelRates:
    """A model's rates, and of how many of its runs they are."""

    model: str
    cells: Mapping[str, MetricCell]
    counted: int
    runs: int


def count_outcomes(runs: Sequence[LabelledRun]) -> OutcomeCounts:
    """The endings of runs by fault and model; where they are of several levels, each fault by its level."""
    several = len({run.level for run in runs}) > 1
    levelled = [replace(run, fault=f"{run.fault}, {run.level}") for run in runs] if several else runs
    models, faults = (
        tuple(dict.fromkeys(names)) for names in ([r.model for r in levelled], [r.fault for r in levelled])
    )
    return OutcomeCounts(models, faults, counts(levelled))


def published_outcomes() -> OutcomeCounts:
    """ChaosLLM's table II."""
    found = published.chaosllm_counts()
    return OutcomeCounts(
        tuple(dict.fromkeys(key[2] for key in found)), tuple(dict.fromkeys(key[0] for key in found)), found
    )


def rate_models(runs: Sequence[LabelledRun]) -> list[ModelRates]:
    """The rates of each model."""
    found = []
    for model, own in EpisodeTable(runs, DESIGN).by(lambda run: run.model).items():
        cells = {metric.name: MetricCell(*estimate(metric, own)) for metric in METRICS}
        found.append(ModelRates(model, cells, sum(run.counts for run in own), len(own)))
    return found


def published_rates() -> list[ModelRates]:
    """ChaosLLM's table III, with the number of runs from its table II."""
    numbers = published.chaosllm_counts()
    found = []
    for model, rates in published.chaosllm_rates().items():
        runs = sum(number for key, number in numbers.items() if key[2] == model)
        found.append(ModelRates(model, {name: MetricCell(value, n=runs) for name, value in rates.items()}, runs, runs))
    return found


@dataclass(frozen=True, slots=True)
class Flow:
    """The courses that the errors of one boundary took.

    Attributes:
        place: the boundary at which the fault struck.
        handed: what the inner agent made of it.
        numbers: runs by what the outer agent made of it, in the order of `FLOWS`.
    """

    place: str
    handed: str
    numbers: tuple[int, ...]


def flows(runs: Sequence[LabelledRun]) -> list[Flow]:
    """The flows of errors in runs of two agents: those that count, by boundary and by the inner agent's handling."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for run in runs:
        if run.place and run.counts:
            found.setdefault((run.place, run.handed), Counter())[run.outcome] += 1
    return [
        Flow(place, handed, tuple(sum(seen[outcome] for outcome in outcomes) for outcomes in FLOWS.values()))
        for (place, handed), seen in sorted(found.items())
    ]


def print_campaign(runs: Sequence[LabelledRun], console: Console) -> None:
    """Print a campaign's tables beside the published ones."""
    for line in campaign_summary(runs):
        console.print(Text(line))
    if not runs:
        return
    for title, ours, theirs in (
        ("Endings by fault, in runs", _counts(count_outcomes(runs)), _counts(published_outcomes())),
        ("Rates, % [95 % interval]", _rates(rate_models(runs), console.width < WIDE), _rates(published_rates())),
    ):
        console.print(Text(f"\n{title}", style="bold"))
        console.print(ours)
        console.print(Text(f"\nThe same as published ({published.CHAOSLLM})", style="bold"))
        console.print(theirs)
    console.print(COMPARED, highlight=False)
    if found := flows(runs):
        console.print(Text("\nTwo agents: where errors went, in runs", style="bold"))
        console.print(_flows(found))


def campaign_summary(runs: Sequence[LabelledRun]) -> list[str]:
    """The number of runs, and the numbers of those that are in no rate with the reason, in sentences."""
    lines = [f"micro: {len(runs)} runs, {sum(run.counts for run in runs)} of them count."]
    for kind, why in (
        (NOT_COMPARABLE, "the same prompt was not answered rightly without a fault"),
        (NOT_EXPOSED, "no fault reached the agent"),
        (INVALID, "it failed outside agent and tools, and the same command makes it again"),
    ):
        number = sum(run.shown == kind for run in runs)
        if number:
            lines.append(f"{number} {kind}: {why}. They are in the table but in no rate.")
    corrected = sum(run.corrected for run in runs)
    if corrected:
        lines.append(f"{corrected} corrected by hand (labels.csv).")
    return lines


def _counts(found: OutcomeCounts) -> Table:
    table = plain_table(("ending", *found.models))
    table.columns[0].overflow = "fold"
    table.columns[1].justify = "left"
    before = ""
    for fault, outcome, numbers in found.lines():
        name = fault if fault != before else ""
        table.add_row(name, outcome, *(str(number or NOTHING) for number in numbers))
        before = fault
    return table


def _rates(found: Sequence[ModelRates], narrow: bool = False) -> Table:
    table = plain_table((*(name.upper() for name in PRINTED), "counted"))
    for one in found:
        cells = (cell_text(one.cells[name], narrow) for name in PRINTED)
        table.add_row(one.model, *cells, f"{one.counted} of {one.runs}")
    return table


def _flows(found: Sequence[Flow]) -> Table:
    table = plain_table(("what the inner agent made of it", *FLOWS, ALL))
    table.columns[1].justify = "left"
    for flow in found:
        table.add_row(flow.place, flow.handed, *map(str, flow.numbers), str(sum(flow.numbers)))
    return table


def runs_csv(runs: Sequence[LabelledRun], tasks: str) -> str:
    """Every run with its outcome and evidence, and the edition of its task set, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*COLUMNS, TASK_SET))
    for run in runs:
        seen = run.evidence
        identity = (run.id, run.task, run.model, run.level, run.fault, run.place, run.seed, run.repetition, run.shown)
        why = (run.outcome, run.ruled, run.note, seen.rule, seen.found, seen.expected, seen.baseline, seen.fault)
        writer.writerow((*identity, *why, run.handed, seen.opinion, tasks))
    return out.getvalue()
