"""Printed and written output of the verbs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.target_files import check_json_target, write_target
from sealegs.suites.choices import MOST_INVALID
from sealegs.tasks.editions import TASK_SET
from sealegs.traces.atomic_files import write_atomically

if TYPE_CHECKING:
    from sealegs.scoring.invalid import InvalidCount
    from sealegs.suites.suite_reports import RunReport

INVALID = 3  # exit code of a run whose episodes failed outside agent and tools


def write_report(
    found: RunReport, json: str, *, beside: bool = False, quiet: bool = False, max_invalid: float = MOST_INVALID
) -> None:
    """Print a report's tables, and write its rows; nothing but rows goes to standard output for `-`.

    Args:
        found: the report.
        json: see `write_table_rows`.
        beside: whether it is shown beside another report.
        quiet: whether no table is printed.
        max_invalid: the share of invalid episodes, in %, above which that comes first.
    """
    for count, where in ((found.validity, ""), (found.other_validity, " in the run that this one is compared with")):
        warn_if_invalid(count, max_invalid, where)
    for warning in found.warnings:
        errors.print(f"note: {warning}")
    write_table_rows([*found.rows, *(found.compared if beside else ())], json)  # before a reader of tables may leave
    if json != "-" and not quiet:
        found.show(console)
        print_task_sets(found.rows)
        if beside:
            found.beside(console)


def print_task_sets(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print which editions of task sets the figures are of."""
    named = dict.fromkeys(row[TASK_SET] for row in rows if row.get(TASK_SET))
    if named:
        console.print(f"Task set{'s' * (len(named) > 1)}: {', '.join(named)}", highlight=False, markup=False)


def too_many_invalid(count: InvalidCount, most: float) -> bool:
    """Return whether more of a run is invalid than this, in %."""
    return count.share > most


def warn_if_invalid(count: InvalidCount, most: float, where: str = "") -> None:
    """Print that a run says little, where too many of its episodes are invalid."""
    if not too_many_invalid(count, most):
        return
    share = f"{count.invalid:,} of {count.played:,} ({count.share:.1f} %)"
    errors.print(f"too many invalid episodes{where}: {share}, and --max-invalid allows {most:g} %", style="bold red")


def print_empty_shard(shard: str) -> None:
    """Print that a shard is finished because there is nothing to do in it."""
    errors.print(f"note: shard {shard} has nothing to do: there are more shards than parts of work")


def print_shard_done(shard: str, count: int, noun: str, out: Path, json: str) -> None:
    """Print what a shard holds, of which the whole is made when all are joined."""
    row = {"suite": noun, "agent": f"shard {shard}", "level": "all", "mode": "all", "metric": "made", "value": count}
    write_table_rows([{**row, "low": None, "high": None, "n": count}], json)
    if json != "-":
        text = f"Shard {shard}: {count:,} {noun} in {out}; `sealegs merge` makes the whole of all shards."
        console.print(text, highlight=False, soft_wrap=True)


def exit_if_invalid(count: InvalidCount, most: float) -> None:
    """End the command with `INVALID` where too many episodes are invalid; the last thing that a command does."""
    if too_many_invalid(count, most):
        raise typer.Exit(INVALID)


def write_table_rows(rows: Sequence[Mapping[str, Any]], target: str, about: Mapping[str, Any] | None = None) -> None:
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
    check_json_target(target)
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    write_target(Path(target), text)


@contextmanager
def foreign_output_aside() -> Iterator[None]:
    """Send what other code writes to standard output to standard error, also what its processes write.

    Inside the block nothing of ours may be printed there.
    """
    sys.stdout.flush()
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # one of them is closed
        yield
        return
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, each whole or not at all.

    Raises:
        UserError: one cannot be written; the message says why.
    """
    for name, text in texts.items():
        write_atomically(folder / name, text)
