"""The tables of a review: what reviewers solved, what they recognised, and who agrees with whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sealegs.scoring.metric import ALL, Row

TASKS = {
    "solved": "solved",
    "solved_strictly": "the strict verdict holds",
    "given_up": "cannot be done",
    "solved_by_any": "solved by any of them",
}
ANSWERS = {
    "sensitivity": "corrupt, all",
    "sensitivity_glance": "corrupt, at a glance",
    "sensitivity_arithmetic": "corrupt, by arithmetic",
    "sensitivity_across": "corrupt, across tools",
    "sensitivity_second_source": "corrupt, by a second source",
    "specificity": "clean",
}
AGREEMENT = {"agreement": "equal, %", "kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha"}


class GradedReview(Protocol):
    """The findings from the replies to a review."""

    @property
    def rows(self) -> Sequence[Row]:
        """The long table."""

    @property
    def reviewers(self) -> Mapping[str, Mapping[str, int]]:
        """The number of questions that each reviewer answered, by kind and name."""

    @property
    def total(self) -> int:
        """The number of all questions."""

    @property
    def notes(self) -> Sequence[str]:
        """Sentences on the replies that do not count, with the reasons."""


def print_review(found: GradedReview, console: Console) -> None:
    """Print the tables of a review."""
    for kind, counts in found.reviewers.items():
        for name, count in counts.items():
            console.print(f"{kind} {name}: {count} of {found.total} questions answered", highlight=False, markup=False)
    _print("Tasks under NP, share in %", TASKS, found.rows, console)
    _print("Answers of tools that were classified correctly, share in %", ANSWERS, found.rows, console)
    _print("Agreement on which answers are corrupt", AGREEMENT, found.rows, console)
    for note in found.notes:
        console.print(f"note: {note}", highlight=False, markup=False)


def _print(title: str, words: Mapping[str, str], rows: Iterable[Row], console: Console) -> None:
    chosen = [row for row in rows if row["metric"] in words]
    if not chosen:
        return
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("who", overflow="fold")
    table.add_column("what")
    table.add_column("in")
    for column in ("value", "95 % interval", "n"):
        table.add_column(column, justify="right")
    for row in chosen:
        digits = 3 if row["metric"] in ("kappa", "alpha") else 1
        value, low, high = (_number(row[name], digits) for name in ("value", "low", "high"))
        ends = f"{low} to {high}" if row["low"] is not None else "–"
        table.add_row(_who(row), words[row["metric"]], _where(row), value, ends, str(row["n"]))
    console.print(title, style="bold")
    console.print(table)


def _who(row: Row) -> str:
    return row.get("agent") or row.get("model", "")


def _where(row: Row) -> str:
    return " ".join(part for part in (row["level"], row["mode"]) if part != ALL) or ALL


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
