"""What the verbs print and write."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from sealegs.reports.plan_b import print_plan_b
from sealegs.reports.tables import print_limits, print_tables
from sealegs.scoring.metrics import Result, Row, table
from sealegs.scoring.plan_b_table import PlanBResult
from sealegs.traces.whole import write_whole

console = Console(soft_wrap=False)
errors = Console(stderr=True, soft_wrap=True, highlight=False)


def tables(
    who: Row, results: Sequence[Result], warnings: Sequence[str], quiet: bool = False, limits: Sequence[Row] = ()
) -> list[Row]:
    """Print a run's tables, and return its rows; with the `limits` of what could be reached, where there are any."""
    rows = table(results, who)
    for warning in warnings:
        errors.print(f"note: {warning}")
    if not quiet:
        print_tables(rows, list(results), console)
        print_limits(rows, limits, console)
    return [*rows, *limits]


def plan_b_tables(
    rows: Sequence[Row],
    results: Sequence[tuple[str, PlanBResult]],
    warnings: Sequence[str],
    quiet: bool = False,
    beside: bool = False,
) -> None:
    """Print the tables of runs of highwater."""
    for warning in warnings:
        errors.print(f"note: {warning}")
    if not quiet:
        print_plan_b(rows, [result for _, result in results], console, beside)


def recovery_tables(rows: Sequence[Row], warnings: Sequence[str], quiet: bool = False) -> None:
    """Print the tables of runs of `paladin`."""
    from sealegs.reports.recoveries import print_recoveries

    for warning in warnings:
        errors.print(f"note: {warning}")
    if not quiet:
        print_recoveries(rows, console)


def write_rows(rows: Sequence[Mapping[str, Any]], target: str, about: Mapping[str, Any] | None = None) -> None:
    """Write the long table to a file (whole or not at all), to standard output for `-`, nowhere for an empty name.

    Args:
        rows: the table.
        target: file name, `-` or nothing.
        about: further facts, which come before the rows.
    """
    write_data({**(about or {}), "rows": list(rows)}, target)


def write_data(data: Mapping[str, Any], target: str) -> None:
    """Write an object as JSON: to a file (whole or not at all), to standard output for `-`, nowhere for no name."""
    if not target:
        return
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    write_whole(Path(target), text)


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, each whole or not at all.

    Raises:
        Mistake: one cannot be written; the message says why.
    """
    for name, text in texts.items():
        write_whole(folder / name, text)
