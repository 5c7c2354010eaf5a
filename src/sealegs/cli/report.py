"""`sealegs report LOGS`: tables and a page of what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, plan_b_tables, tables, write_rows
from sealegs.faults.mistake import Mistake
from sealegs.scoring.metrics import Row
from sealegs.traces.whole import write_whole

PUBLISHED = "toolmaze"
HOHW = "hohw"


def report(
    logs: Annotated[Path, typer.Argument(help="A run's folder, a file of records, or an Inspect log.")],
    html: Annotated[Path | None, typer.Option(help="Where to write the page; beside the logs by default.")] = None,
    against: Annotated[
        str,
        typer.Option(help="Another run's logs: paired differences; or published rows: toolmaze, hohw, paladin."),
    ] = "",
    json: Annotated[str, typer.Option(help="Write the long table to this file, or - for standard output.")] = "",
) -> None:
    """Print the tables of a run, and write one HTML file that needs no network.

    A folder of highwater may hold several runs, which are then told of together.
    """
    from sealegs.suites.running.logs import suite_of

    if suite_of(logs) == "highwater":
        _highwater(logs, html, against, json)
        return
    from sealegs.reports.comparison import prompt_of, published_rows
    from sealegs.reports.page import page
    from sealegs.reports.tables import print_ranking
    from sealegs.suites.running.logs import suite_of

    if suite_of(logs) == "paladin":
        _paladin(logs, against, html, json)
        return
    from sealegs.suites.maze.logs import read_run
    from sealegs.suites.maze.reporting import ceilings, differences, material

    found = read_run(logs)
    results = found.results()
    beside = against == PUBLISHED and not Path(PUBLISHED).exists()
    compared = differences(found, Path(against)) if against and not beside else []
    limits = ceilings(found)
    rows = tables(found.who, results, found.warnings, quiet=json == "-", limits=limits)
    target = html or (logs if logs.is_dir() else logs.parent) / "report.html"
    prompt = prompt_of(str(record.about.get("prompt", "")) for record in found.records.values())
    if beside and json != "-":
        print_ranking(rows, results, prompt, console)
    write_whole(target, page(material(found, results, rows, compared, limits)))
    write_rows([*rows, *compared, *(published_rows(prompt) if beside else ())], json)
    if json != "-":
        console.print(f"Page written to {target}.", highlight=False)


def _highwater(logs: Path, html: Path | None, against: str, json: str) -> None:
    from sealegs.reports.plan_b_page import plan_b_page
    from sealegs.suites.highwater.logs import read_runs
    from sealegs.suites.highwater.reporting import played

    if against not in ("", HOHW):
        raise Mistake(f"a run of highwater can stand beside {HOHW} (the published rows) alone, not {against!r}")
    found = played(read_runs(logs))
    plan_b_tables(found.rows, found.results, found.warnings, quiet=json == "-", beside=against == HOHW)
    target = html or (logs if logs.is_dir() else logs.parent) / "report.html"
    write_whole(target, plan_b_page(found.rows, found.results, found.facts, found.warnings))
    write_rows(found.rows, json)
    if json != "-":
        console.print(f"Page written to {target}.", highlight=False)


def _paladin(logs: Path, against: str, html: Path | None, json: str) -> None:
    """Runs of `paladin`, all arms of a folder side by side."""
    from sealegs.cli.printing import recovery_tables
    from sealegs.reports.recoveries import correlation_rows, correlations, print_published
    from sealegs.reports.recovery_page import recovery_page
    from sealegs.suites.paladin.logs import read_runs
    from sealegs.suites.paladin.reporting import judged_runs

    if against not in ("", "paladin"):
        raise Mistake(f"runs of paladin can stand beside paladin (the published rows) alone, not {against!r}")
    found = judged_runs(read_runs(logs))
    rows = found.rows
    recovery_tables(rows, found.warnings, quiet=json == "-")
    if against and json != "-":
        print_published(console)
    target = html or (logs if logs.is_dir() else logs.parent) / "report.html"
    write_whole(target, recovery_page(rows, found.episodes, found.facts, found.warnings))
    who: Row = {"suite": "paladin", "agent": "all runs"}
    write_rows([*rows, *correlation_rows(correlations(rows), who)], json)
    if json != "-":
        console.print(f"Page written to {target}.", highlight=False)
