"""Tables and page of any suite: its metrics by level and mode, and every episode that failed.

Needs the extra `report` for the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.console import Console
from rich.text import Text

from sealegs.faults.call import Call, Outcome, render
from sealegs.reports.metric_grids import MetricCell
from sealegs.reports.page_sections import PageSection, render_page
from sealegs.reports.tables import WIDE, cell_text, plain_table
from sealegs.scoring.metric import ALL, Row
from sealegs.scoring.suite_metrics import EpisodeResult
from sealegs.traces.record import Record

SHOWN = 200  # failed episodes of a page; the rest is counted


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """The metrics of one agent or model: a line for each level and mode."""

    who: str
    metrics: tuple[str, ...]
    lines: tuple[tuple[str, str, tuple[MetricCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class FailedEpisode:
    """A failed episode: its calls with what the agent was shown and whether a fault struck, and the answer."""

    who: str
    result: EpisodeResult
    calls: tuple[tuple[str, str, bool], ...]
    answer: str


def suite_tables(rows: Sequence[Row]) -> Iterator[SuiteTable]:
    """The table of each agent and model."""
    for who in dict.fromkeys(_who(row) for row in rows):
        own = [row for row in rows if _who(row) == who]
        metrics = tuple(dict.fromkeys(row["metric"] for row in own))
        cells = {(row["level"], row["mode"], row["metric"]): row for row in own}
        levels = list(dict.fromkeys(row["level"] for row in own))
        one = next((level for level in levels if level != ALL), ALL)
        places = dict.fromkeys((row["level"], row["mode"]) for row in own)
        lines = tuple(
            (level, mode, tuple(_cell(cells.get((level, mode, metric))) for metric in metrics))
            for level, mode in places
            # With a single level, the line of all levels only says it once more.
            if level != ALL or len(levels) != 2 or not _repeats(cells, one, mode, metrics)
        )
        yield SuiteTable(who, metrics, lines)


def _repeats(cells: Mapping[tuple[str, str, str], Row], level: str, mode: str, metrics: Sequence[str]) -> bool:
    """Return whether over the one level that there is the figures are those over all."""
    figures = ("value", "low", "high", "n")

    def of(name: str, metric: str) -> list[object]:
        return [cells.get((name, mode, metric), {}).get(figure) for figure in figures]

    return all(of(ALL, metric) == of(level, metric) for metric in metrics)


def print_suite_table(rows: Sequence[Row], console: Console) -> None:
    """Print the metrics of every agent and model, by level and mode."""
    for found in suite_tables(rows):
        table = plain_table(["mode", *(name.replace("_", " ") for name in found.metrics)])
        for level, mode, cells in found.lines:
            table.add_row(Text(level), Text(mode), *(cell_text(cell, console.width < WIDE) for cell in cells))
        console.print(Text(f"\n{found.who}", style="bold"))
        console.print(table)


@dataclass(frozen=True)
class SuitePage:
    """The material of a page.

    Attributes:
        suite: its name.
        rows: the long table.
        runs: each run's judged records.
        warnings: what reading had to leave out.
    """

    suite: str
    rows: Sequence[Row]
    runs: Sequence[tuple[Row, Sequence[tuple[EpisodeResult, Record]]]]
    warnings: Sequence[str]

    @cached_property
    def failed(self) -> list[FailedEpisode]:
        """The episodes that failed, run by run."""
        return [one for who, results in self.runs for one in _failed(_who(who), results)]


def render_suite_page(page: SuitePage, sections: Sequence[PageSection[SuitePage]]) -> str:
    """The page.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    episodes = sum(len(results) for _, results in page.runs)
    head = {
        "suite": page.suite,
        "names": ", ".join(dict.fromkeys(_who(row) for row in page.rows)),
        "facts": {"episodes": f"{episodes:,}", "failed": f"{len(page.failed):,}", **task_set_fact(page.rows)},
        "warnings": page.warnings,
    }
    return render_page("suite.html.j2", head, sections, page)


def _tables(page: SuitePage) -> dict[str, object]:
    found = list(suite_tables(page.rows))
    return {"tables": found} if found else {}


def _failures(page: SuitePage) -> dict[str, object]:
    left = max(0, len(page.failed) - SHOWN)
    return {"failed": page.failed[:SHOWN], "left": left} if page.failed else {}


SUITE_SECTIONS = (
    PageSection("tables", "suite_tables.html.j2", _tables),
    PageSection("failed", "failed.html.j2", _failures),
)


def task_set_fact(rows: Sequence[Row]) -> dict[str, str]:
    """The editions of the rows' task sets, for the top of a page; empty where no row names one."""
    named = dict.fromkeys(row["task_set"] for row in rows if row.get("task_set"))
    return {"task set": ", ".join(named)} if named else {}


def _failed(who: str, results: Sequence[tuple[EpisodeResult, Record]]) -> Iterator[FailedEpisode]:
    for result, record in results:
        if not result.success:
            calls = tuple((_call(turn.call), _shown(turn.seen), turn.faulted) for turn in record.turns)
            yield FailedEpisode(who, result, calls, record.answer or f"none: {record.end.reason}")


def _call(call: Call) -> str:
    return f"{call.tool}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


def _shown(outcome: Outcome | None) -> str:
    return "nothing" if outcome is None else render(outcome)


def _who(row: Row) -> str:
    return row["agent"] if "agent" in row else row["model"]


def _cell(row: Row | None) -> MetricCell:
    return MetricCell() if row is None else MetricCell(row["value"], row["low"], row["high"], row["n"])
