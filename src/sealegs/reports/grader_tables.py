"""The tables of graders: shares of yes, and agreement between two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sealegs.scoring.agreement import Agreement
from sealegs.scoring.metric import Row


class GraderComparison(Protocol):
    """Two graders' labels side by side."""

    @property
    def agreements(self) -> Sequence[Agreement]:
        """Question by question."""

    @property
    def notes(self) -> Sequence[str]:
        """Traces that only one of them has, and labels that are missing."""


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(overflow="fold")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def print_grades(rows: Sequence[Row], console: Console) -> None:
    """Print the share of traces with a yes to each question."""
    table = _table(("yes, %", "95 % interval", "n"))
    for row in rows:
        table.add_row(row["metric"], f"{row['value']:.1f}", f"{row['low']:.1f}-{row['high']:.1f}", str(row["n"]))
    console.print(table)


def print_agreement(found: GraderComparison, names: tuple[str, str], console: Console) -> None:
    """Print agreement question by question, and what could not be compared."""
    table = _table(("n", "equal, %", "95 % interval", "kappa", "95 % interval"))
    for each in found.agreements:
        kappa = "–" if each.kappa is None else f"{each.kappa:.3f}"
        ends = "–" if each.kappa_low is None else f"{each.kappa_low:.3f}-{each.kappa_high:.3f}"
        share = f"{each.low:.1f}-{each.high:.1f}"
        table.add_row(each.question, str(each.n), f"{each.share:.1f}", share, kappa, ends)
    console.print(f"{names[0]} against {names[1]}", style="bold")
    console.print(table)
    for note in found.notes:
        console.print(f"note: {note}", highlight=False, markup=False)
