"""Counts of invalid episodes, in words for the column beside every figure of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sealegs.scoring.invalid import NAME
from sealegs.scoring.metric import Row

COLUMN = "invalid"


class InvalidMarks:
    """`2 of 8`, by agent or model, level and mode.

    Args:
        rows: a long table; where it has no rows of invalid episodes, there is no column.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self._marks: Mapping[tuple[str, str, str], str] = {
            (row.get("agent") or row.get("model") or "", row["level"], row["mode"]): _counted(row)
            for row in rows
            if row["metric"] == NAME
        }

    @property
    def column(self) -> tuple[str, ...]:
        """The column's name; none where no row has a mark."""
        return (COLUMN,) if self._marks else ()

    def cell(self, level: str, mode: str, who: str = "") -> tuple[str, ...]:
        """The cell of the column, if there is one; that of the only run where no name is given."""
        if not self._marks:
            return ()
        names = [who] if who else [name for name, *_ in self._marks]
        return (self._marks.get((names[0], level, mode), "–"),)


def _counted(row: Row) -> str:
    share = row["value"]
    return "–" if share is None else f"{round(share * row['n'] / 100):,} of {row['n']:,}"
