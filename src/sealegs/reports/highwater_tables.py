"""The tables of `highwater`: accuracy with and without errors, what was done after a refusal, what went wrong.

Each is a list of lines of text, so that terminal and page show the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.faults.csv_tables import table_rows
from sealegs.reports.invalid_marks import InvalidMarks
from sealegs.reports.metric_grids import figure
from sealegs.scoring.highwater_judge import TERMS
from sealegs.scoring.highwater_metrics import CLEAN, HighwaterResult
from sealegs.scoring.metric import ALL, Row

PUBLISHED = "hohw_table1.csv"
SOURCE = "Hell or High Water, arXiv 2508.11027, table 1"
NOTHING = "–"
AFTER = ("recovered", "searched_again", "found_plan_b", "composed_it", "gave_up_after", "looped")
COMPARED = (
    "The published figures are of other functions (their documentation was written by a model), other prompts and "
    "another judge: compare the falls more than the heights."
)


@dataclass(frozen=True, slots=True)
class TableLines:
    """A table: its title, its columns, and a line for each thing described."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    note: str = ""


def highwater_lines(rows: Sequence[Row], results: Sequence[HighwaterResult], beside: bool = False) -> list[TableLines]:
    """The tables of one or several runs.

    Args:
        rows: their long table (`scoring.highwater_metrics`).
        results: their judged episodes.
        beside: whether the published figures are shown under the first table.
    """
    found = [_accuracy(rows, beside)]
    after = _after(rows)
    if after.lines:
        found.append(after)
    wrong = Counter((result.mode, result.verdict.term) for result in results if result.went_wrong)
    if wrong:
        modes = tuple(dict.fromkeys(result.mode for result in results))
        terms = [term for term in TERMS if any(found == term for _, found in wrong)]
        lines = tuple((term, *(str(wrong[mode, term] or NOTHING) for mode in modes)) for term in terms)
        found.append(TableLines("What went wrong, in episodes", ("", *modes), lines))
    return found


def print_highwater(
    rows: Sequence[Row], results: Sequence[HighwaterResult], console: Console, beside: bool = False
) -> None:
    """Print the tables of one or several runs; see `highwater_lines`."""
    if not results:
        console.print(Text("No episode to report."))
        return
    names = ", ".join(dict.fromkeys(runner_name(row) for row in rows))
    console.print(Text(f"highwater: {names}, {len(results)} episodes", style="bold"))
    for block in highwater_lines(rows, results, beside):
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for place, column in enumerate(block.columns):
            table.add_column(column, justify="left" if place == 0 else "right", overflow="fold")
        for line in block.lines:
            table.add_row(*line)
        console.print(Text(f"\n{block.title}", style="bold"))
        console.print(table)
        if block.note:
            console.print(block.note, highlight=False)


def runner_name(row: Row) -> str:
    """An agent's or a model's name."""
    return row.get("agent") or row.get("model") or "?"


def _accuracy(rows: Sequence[Row], beside: bool) -> TableLines:
    lines, marks = [], InvalidMarks(rows)
    for name, level in dict.fromkeys((runner_name(row), row["level"]) for row in rows):
        here = {(row["mode"], row["metric"]): row for row in rows if (runner_name(row), row["level"]) == (name, level)}
        modes = list(dict.fromkeys(mode for mode, _ in here if mode != ALL))
        # A run has one sort of errors beside the clean mode; `highwater_metrics` pairs episodes by that, too.
        faulty = next((mode for mode in modes if mode != CLEAN), "")
        cells = [_pair(here, mode, "accuracy") for mode in (CLEAN, faulty)]
        drop, less = (_cell(here.get((ALL, metric))) for metric in ("accuracy_drop", "accuracy_decrease"))
        gave_up = [_value(here.get((mode, "gave_up"))) for mode in (CLEAN, faulty)]
        turns = [_value(here.get((mode, "turns"))) for mode in (CLEAN, faulty)]
        paired = [_value(here.get((ALL, metric))) for metric in ("kept", "gained")]
        ends = " / ".join(paired), " / ".join(gave_up), " / ".join(turns)
        lines.append((f"{name}, {level}", *cells, drop, less, *ends, *marks.cell(level, ALL, name)))
    if beside:
        lines += [
            (
                f"{row['model']}, {row['setting']}",
                f"{row['accuracy_no_errors']} ± {row['se_no_errors']}",
                f"{row['accuracy_external_errors']} ± {row['se_external_errors']}",
                figure(float(row["accuracy_no_errors"]) - float(row["accuracy_external_errors"])),
                row["decrease_pct"],
                NOTHING,
                NOTHING,
                NOTHING,
                *(NOTHING for _ in marks.column),
            )
            for row in published_highwater_rows()
        ]
    columns = (
        "",
        "no errors",
        "errors",
        "drop, points",
        "decrease, %",
        "kept / gained",
        "gave up",
        "turns",
        *marks.column,
    )
    note = f"Below Sealegs' own lines: {SOURCE}. {COMPARED}" if beside else ""
    return TableLines(
        "Accuracy, % ± standard error; right under errors, %, of what was right / wrong without; gave up, %, and turns "
        "without / with errors",
        columns,
        tuple(lines),
        note,
    )


def _after(rows: Sequence[Row]) -> TableLines:
    lines, marks = [], InvalidMarks(rows)
    for name, level, mode in dict.fromkeys((runner_name(row), row["level"], row["mode"]) for row in rows):
        here = {
            row["metric"]: row for row in rows if (runner_name(row), row["level"], row["mode"]) == (name, level, mode)
        }
        if AFTER[0] in here:
            cells = (_value(here.get(metric)) for metric in AFTER)
            lines.append((f"{name}, {level}", str(here[AFTER[0]]["n"]), *cells, *marks.cell(level, mode, name)))
    columns = (
        "",
        "episodes",
        "right",
        "searched again",
        "found plan B",
        "composed it",
        "gave up",
        "looped",
        *marks.column,
    )
    return TableLines("After the first refusal, % of the episodes that met one", columns, tuple(lines))


@cache
def published_highwater_rows() -> tuple[dict[str, str], ...]:
    """The published table, as strings."""
    text = files("sealegs.reports.published").joinpath(PUBLISHED).read_text(encoding="utf-8")
    return tuple(table_rows(text))


def _pair(here: dict[tuple[str, str], Row], mode: str, metric: str) -> str:
    value, error = _value(here.get((mode, metric))), _value(here.get((mode, f"{metric}_se")))
    return NOTHING if value == NOTHING else f"{value} ± {error}"


def _value(row: Row | None) -> str:
    value = None if row is None else row["value"]
    return NOTHING if value is None else figure(value)


def _cell(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return NOTHING
    low, high = row["low"], row["high"]
    return _value(row) + ("" if low is None or high is None else f" [{figure(low)}, {figure(high)}]")
