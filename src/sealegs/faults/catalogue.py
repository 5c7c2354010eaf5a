"""The faults of a published benchmark as ours: 21 explicit responses and the names of nine implicit corruptions.

Source: ToolMaze, arXiv 2606.05806, table 3; the table is beside this file.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from sealegs.faults.csv_tables import table_rows
from sealegs.faults.kinds.error import Error

SOURCE = "ToolMaze, arXiv 2606.05806, table 3"


@cache
def explicit_responses(mode: Literal["P1", "P2"]) -> tuple[Error, ...]:
    """The table's explicit responses in its order: P1 are transient (9), P2 permanent (12).

    Raises:
        ValueError: the mode is neither P1 nor P2.
    """
    if mode not in ("P1", "P2"):
        raise ValueError(f"{mode!r} is not an explicit mode; give P1 (transient) or P2 (permanent)")
    return tuple(
        Error(status=int(row["status"]), message=row["message"], type=row["error_type"])
        for row in _rows()
        if row["mode"] == mode
    )


def implicit_corruptions() -> dict[str, str]:
    """The kinds of the table's implicit corruptions (P3 and P4), each with what the table says of it."""
    return {row["message"]: row["error_type"] for row in _rows() if row["kind"] == "implicit"}


@cache
def _rows() -> tuple[dict[str, str], ...]:
    text = Path(__file__).with_name("toolmaze_table3.csv").read_text(encoding="utf-8")
    return tuple(table_rows(text))
