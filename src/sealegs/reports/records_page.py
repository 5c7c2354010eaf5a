"""The tables and the page of records that nobody judged: the tools' calls, and each episode as a card.

Needs the extra `report` for the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from sealegs.reports.metric_grids import MetricCell
from sealegs.reports.page_extra import extra
from sealegs.reports.run_cards import RunCard, card_calls, ending_text
from sealegs.reports.tables import plain_table
from sealegs.scoring.metric import ALL, Row
from sealegs.scoring.record_metrics import OWN, SeenEpisode

SHOWN = 200  # episodes of a page; the rest is counted
NO_VERDICT = (
    "No verdict: these records hold no check, so nothing says which episodes went well. "
    "`sealegs test` runs an agent with a check."
)


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A line of the table of tools: a tool, or one kind of fault on it."""

    label: str
    kind: bool
    calls: str
    faults: str
    failures: str


def lines_of_tools(rows: Sequence[Row]) -> Iterator[ToolLine]:
    """The lines of the table of tools."""
    counts = {(row["level"], row["mode"], row["metric"]): int(row["value"] or 0) for row in rows}
    for level, mode in dict.fromkeys((row["level"], row["mode"]) for row in rows if row["level"] != ALL):
        calls = f"{counts[level, ALL, 'calls']:,}" if mode == ALL else ""
        label = level if mode == ALL else "without a fault" if mode == OWN else mode.replace("_", " ")
        faults, failures = (f"{counts[level, mode, metric]:,}" for metric in ("faults", "failures_shown"))
        yield ToolLine(label, mode != ALL, calls, faults, failures)


def print_records(rows: Sequence[Row], console: Console) -> None:
    """Print the figures that need no verdict."""
    whole = {row["metric"]: MetricCell(row["value"], row["low"], row["high"]) for row in rows if row["level"] == ALL}
    n = int(whole["episodes"].value or 0)
    console.print(Text(f"{rows[0]['agent']}: {n:,} {'episode' if n == 1 else 'episodes'}", style="bold"))
    console.print(Text(f"calls an episode {whole['calls']}"))
    console.print(Text(f"episodes with a delivered fault, % {whole['delivered']}"))
    console.print(Text(f"episodes in which something was done twice, % {whole['doubled']}"))
    if whole["repeated_in_doubt"].value:
        label = "episodes in which something that failed by itself was called again unread"
        console.print(Text(f"{label}, % {whole['repeated_in_doubt']}"))
    table = plain_table(["calls", "faults delivered", "failures shown"])
    for line in lines_of_tools(rows):
        table.add_row(Text(f"  {line.label}" if line.kind else line.label), line.calls, line.faults, line.failures)
    if table.row_count:
        console.print(table)
    console.print(Text(NO_VERDICT, style="yellow"))


def render_records_page(
    name: str, rows: Sequence[Row], episodes: Sequence[SeenEpisode], warnings: Sequence[str]
) -> str:
    """The page.

    Args:
        name: what the records are called.
        rows: the long table.
        episodes: in their order.
        warnings: what reading had to leave out.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    with extra():
        from sealegs.reports.templating import environment
    numbered = list(enumerate(episodes, 1))
    # Interesting records come first; otherwise they might come after the last card that is shown.
    numbered.sort(
        key=lambda one: (not one[1].doubled, not one[1].repeated_in_doubt, one[1].record.end.reason == "answered")
    )
    facts = {
        "episodes": f"{len(episodes):,}",
        "with a delivered fault": f"{sum(one.record.exposed for one in episodes):,}",
        "with something done twice": f"{sum(one.doubled for one in episodes):,}",
        "cut off": f"{sum(one.record.end.reason != 'answered' for one in episodes):,}",
        "calls": f"{sum(len(one.record.own) for one in episodes):,}",
    }
    return (
        environment()
        .get_template("records.html.j2")
        .render(
            suite="records",
            names=name,
            facts=facts,
            warnings=warnings,
            no_verdict=NO_VERDICT.replace("`", ""),
            tools=list(lines_of_tools(rows)),
            cards=[_card(number, one) for number, one in numbered[:SHOWN]],
            left=max(0, len(episodes) - SHOWN),
        )
    )


def _card(number: int, episode: SeenEpisode) -> RunCard:
    record = episode.record
    kinds = (injection.kind for turn in record.turns for injection in turn.injections if injection.delivered)
    request = record.about.get("input")
    return RunCard(
        f"episode-{number}",
        record.episode or f"episode {number}",
        tuple(kind.replace("_", " ") for kind in dict.fromkeys(kinds)),
        tuple(one.says() for one in episode.repeated if one.proven),
        request if isinstance(request, str) else "",
        card_calls(record),
        episode.ending or ending_text(record),
        tuple(one.says() for one in episode.repeated if not one.proven),
    )
