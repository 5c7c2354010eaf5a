"""The table of a reverse validation, and the tasks that it doubts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from sealegs.scoring.metric import Row

MOST_SHOWN = 20


class DoubtedTask(Protocol):
    """A task that someone should look at."""

    @property
    def task(self) -> str:
        """Its id."""

    @property
    def doubts(self) -> Sequence[str]:
        """Why."""


def print_validation(rows: Sequence[Row], doubted: Sequence[DoubtedTask], console: Console) -> None:
    """Print the shares level by level, and the first doubts."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("level")
    for name in (*metrics, "n"):
        table.add_column(name, justify="right")
    for level in dict.fromkeys(row["level"] for row in rows):
        cells = [next(row for row in rows if (row["level"], row["metric"]) == (level, name)) for name in metrics]
        table.add_row(level, *map(_cell, cells), str(cells[0]["n"]))
    console.print("Reverse validation, share in % with 95 % interval", style="bold")
    console.print(table)
    for one in doubted[:MOST_SHOWN]:
        console.print(f"{one.task}: {'; '.join(one.doubts)}", highlight=False, markup=False)
    if len(doubted) > MOST_SHOWN:
        console.print(f"... and {len(doubted) - MOST_SHOWN} tasks more in doubt", highlight=False)


def _cell(row: Row) -> str:
    if row["value"] is None:
        return "–"
    return f"{row['value']:.1f} [{row['low']:.1f}, {row['high']:.1f}]"
