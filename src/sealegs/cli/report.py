"""`sealegs report LOGS`: tables and a page of what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, tables, write_rows, write_whole


def report(
    logs: Annotated[Path, typer.Argument(help="A run's folder, a file of records, or an Inspect log.")],
    html: Annotated[Path | None, typer.Option(help="Where to write the page; beside the logs by default.")] = None,
    against: Annotated[Path | None, typer.Option(help="Another run's logs: paired differences to it.")] = None,
    json: Annotated[str, typer.Option(help="Write the long table to this file, or - for standard output.")] = "",
) -> None:
    """Print the level-by-mode tables of a run, and write one HTML file that needs no network."""
    from sealegs.reports.page import page
    from sealegs.suites.maze.logs import read_run
    from sealegs.suites.maze.reporting import differences, material

    found = read_run(logs)
    results = found.results()
    compared = differences(found, against) if against is not None else []
    rows = tables(found.who, results, found.warnings, quiet=json == "-")
    target = html or (logs if logs.is_dir() else logs.parent) / "report.html"
    write_whole(target, page(material(found, results, rows, compared)))
    write_rows([*rows, *compared], json)
    if json != "-":
        console.print(f"Page written to {target}.", highlight=False)
