"""The page of an experiment: the verdict, the rates, each fault, and every failing run as a card.

Needs the extra `report`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from sealegs.faults.call import Outcome, render
from sealegs.reports.metric_grids import MetricCell
from sealegs.reports.page_extra import extra
from sealegs.reports.tables import WIDE, cell_text, plain_table
from sealegs.scoring.experiment_metrics import ExperimentVerdict, RunResult
from sealegs.scoring.metric import ALL, Row
from sealegs.traces.record import Turn

SHOWN = 200  # failing runs of a page; the rest is counted
LONGEST = 4000  # characters of one text of a card
DECISIONS = {"held": "Held", "weakness": "Weakness found", "inconclusive": "Inconclusive"}


@dataclass(frozen=True, slots=True)
class CardCall:
    """A call on a card: what the tool said, if the agent was shown something else; and what the agent was shown."""

    text: str
    said: str
    shown: str
    faults: tuple[str, ...]
    effects: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class RunCard:
    """A failing run for the eye."""

    run: RunResult
    calls: tuple[CardCall, ...]

    @property
    def title(self) -> str:
        """Which run it is."""
        return f"run {self.run.number + 1}" + (" without faults" if self.run.arm == "baseline" else "")


def run_card(run: RunResult) -> RunCard:
    """The card of a run."""
    return RunCard(run, tuple(_call(turn) for turn in run.record.turns))


def _call(turn: Turn) -> CardCall:
    given = ", ".join(f"{name}={value!r}" for name, value in turn.call.arguments.items())
    shown = _text(turn.seen)
    said = _text(turn.said) if turn.said is not None else "the tool did not run"
    return CardCall(
        f"{turn.call.tool}({given})"[:LONGEST],
        "" if turn.said == turn.seen else said,
        shown,
        tuple(
            f"{strike.kind.replace('_', ' ')}{', ' + strike.moment if strike.moment else ''}"
            for strike in turn.strikes
            if strike.delivered
        ),
        tuple(f"{effect.action} {effect.subject}" for effect in turn.effects),
        turn.by,
    )


def _text(outcome: Outcome | None) -> str:
    return "nothing" if outcome is None else render(outcome)[:LONGEST]


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
) -> str:
    """The page.

    Args:
        agent: its name.
        verdict: on it.
        required: the pass rate that was required.
        rows: the long table.
        runs: all runs.
        stopped: whether runs were left out because the verdict was settled.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    with extra():
        from sealegs.reports.templating import environment
    failed = sorted((run for run in runs if not run.passed), key=lambda run: (run.arm == "baseline", run.number))
    struck = [run for run in runs if run.arm == "faults"]
    facts = {
        "runs without faults": f"{len(runs) - len(struck):,}",
        "runs under faults": f"{len(struck):,}" + (", stopped once the verdict was settled" if stopped else ""),
        "of these without a delivered fault": f"{sum(not run.counts for run in struck):,}",
        "required pass rate": f"{100 * required:g} %",
    }
    return (
        environment()
        .get_template("experiment.html.j2")
        .render(
            suite="sealegs test",
            names=agent,
            decision=verdict.decision,
            headline=DECISIONS[verdict.decision],
            reason=verdict.reason,
            facts=facts,
            warnings=(),
            lines=list(rate_lines(rows)),
            cards=[run_card(run) for run in failed[:SHOWN]],
            left=max(0, len(failed) - SHOWN),
        )
    )
