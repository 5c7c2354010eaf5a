"""The page of an experiment: the verdict, the rates, each fault, and every failing run as a card.

Needs the extra `report`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from sealegs.reports.metric_grids import MetricCell
from sealegs.reports.page_extra import extra
from sealegs.reports.run_cards import RunCard, card_calls, ending_text
from sealegs.reports.tables import WIDE, cell_text, plain_table
from sealegs.scoring.experiment_metrics import ExperimentVerdict, RunResult
from sealegs.scoring.metric import ALL, Row

SHOWN = 200  # failing runs of a page; the rest is counted
DECISIONS = {"held": "Held", "weakness": "Weakness found", "inconclusive": "Inconclusive"}


def run_card(run: RunResult) -> RunCard:
    """The card of a run."""
    return RunCard(
        f"{run.arm}-{run.number + 1}",
        f"run {run.number + 1}" + (" without faults" if run.arm == "baseline" else ""),
        tuple(fault.replace("_", " ") for fault in run.faults),
        run.problems,
        run.input,
        card_calls(run.record),
        ending_text(run.record),
    )


@dataclass(frozen=True, slots=True)
class RateLine:
    """A line of the table of rates: what it is of, and its metrics."""

    label: str
    cells: tuple[tuple[str, MetricCell], ...]


def rate_lines(rows: Sequence[Row]) -> Iterator[RateLine]:
    """The rates over all inputs, by mode: without faults, under faults, then each fault by itself."""
    own = [row for row in rows if row["level"] == ALL]
    for mode in dict.fromkeys(row["mode"] for row in own):
        cells = tuple((row["metric"], _cell(row)) for row in own if row["mode"] == mode)
        yield RateLine({"baseline": "without faults", "faults": "under faults"}.get(mode, mode), cells)


def _cell(row: Row) -> MetricCell:
    return MetricCell(row["value"], row["low"], row["high"], row["n"])


def print_experiment(rows: Sequence[Row], console: Console) -> None:
    """Print the rates."""
    table = plain_table(["", "pass rate, %", "runs", "calls"])
    for line in rate_lines(rows):
        cells = dict(line.cells)
        rate = cells.get("pass_rate", MetricCell())
        calls = cells.get("calls", MetricCell())
        table.add_row(
            Text(line.label), cell_text(rate, console.width < WIDE), str(rate.n), cell_text(calls, narrow=True)
        )
    console.print(table)


def render_experiment_page(
    agent: str,
    verdict: ExperimentVerdict,
    required: float,
    rows: Sequence[Row],
    runs: Sequence[RunResult],
    *,
    stopped: bool,
    suite: str = "sealegs test",
    warnings: Sequence[str] = (),
) -> str:
    """The page.

    Args:
        agent: its name.
        verdict: on it.
        required: the pass rate that was required.
        rows: the long table.
        runs: all runs.
        stopped: whether runs were left out because the verdict was settled.
        suite: what made the runs.
        warnings: sentences that a reader must know.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    with extra():
        from sealegs.reports.templating import environment
    failed = sorted((run for run in runs if not run.passed), key=lambda run: (run.arm == "baseline", run.number))
    faulted = [run for run in runs if run.arm == "faults"]
    facts = {
        "runs without faults": f"{len(runs) - len(faulted):,}",
        "runs under faults": f"{len(faulted):,}" + (", stopped once the verdict was settled" if stopped else ""),
        "of these without a delivered fault": f"{sum(not run.counts for run in faulted):,}",
        "required pass rate": f"{100 * required:g} %",
    }
    return (
        environment()
        .get_template("experiment.html.j2")
        .render(
            suite=suite,
            names=agent,
            decision=verdict.decision,
            headline=DECISIONS[verdict.decision],
            reason=verdict.reason,
            facts=facts,
            warnings=warnings,
            lines=list(rate_lines(rows)),
            cards=[run_card(run) for run in failed[:SHOWN]],
            left=max(0, len(failed) - SHOWN),
        )
    )
