"""`sealegs report LOGS`: tables and a page of what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, tables, write_rows, write_whole

PUBLISHED = "toolmaze"


def report(
    logs: Annotated[Path, typer.Argument(help="A run's folder, a file of records, or an Inspect log.")],
    html: Annotated[Path | None, typer.Option(help="Where to write the page; beside the logs by default.")] = None,
    against: Annotated[
        str, typer.Option(help="Another run's logs: paired differences to it; or toolmaze: the published rows.")
    ] = "",
    json: Annotated[str, typer.Option(help="Write the long table to this file, or - for standard output.")] = "",
) -> None:
    """Print the level-by-mode tables of a run, and write one HTML file that needs no network."""
    from sealegs.reports.comparison import prompt_of, published_rows
    from sealegs.reports.page import page
    from sealegs.reports.tables import print_ranking
    from sealegs.suites.maze.logs import read_run
    from sealegs.suites.maze.reporting import differences, material

    found = read_run(logs)
    results = found.results()
    beside = against == PUBLISHED and not Path(PUBLISHED).exists()
    compared = differences(found, Path(against)) if against and not beside else []
    rows = tables(found.who, results, found.warnings, quiet=json == "-")
    target = html or (logs if logs.is_dir() else logs.parent) / "report.html"
    prompt = prompt_of(str(record.about.get("prompt", "")) for record in found.records.values())
    if beside and json != "-":
        print_ranking(rows, results, prompt, console)
    write_whole(target, page(material(found, results, rows, compared)))
    write_rows([*rows, *compared, *(published_rows(prompt) if beside else ())], json)
    if json != "-":
        console.print(f"Page written to {target}.", highlight=False)
