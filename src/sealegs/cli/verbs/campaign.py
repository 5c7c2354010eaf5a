"""`sealegs campaign`: files of experiments on small workloads: check them, run them, look at what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.model_parameters import taking
from sealegs.cli.output import (
    exit_if_invalid,
    print_empty_shard,
    print_task_sets,
    warn_if_invalid,
    write_table_rows,
)
from sealegs.cli.shared_options import json_option, page_option
from sealegs.cli.spread import ON, make_shards_elsewhere
from sealegs.cli.target_files import check_different, write_target
from sealegs.cli.terminal import echo
from sealegs.engines.shards import is_empty_shard
from sealegs.suites.micro.campaign_options import MicroOptions
from sealegs.suites.run_options import LOGS, options_from
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.redaction import OWNER_ONLY

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Check, run and report on fault campaigns.")
FILE = typer.Argument(help=MicroOptions.model_fields["campaign"].description)
JSON = json_option("the rows")
JUDGE = typer.Option(help="A chat model of LangChain (provider:name) that gives a second opinion where there is doubt.")


@app.command("check")
@taking(MicroOptions, "jobs", "time_limit", "model")
def check_campaign_file(file: Annotated[str, FILE], json: Annotated[str, JSON] = "", **given: Any) -> None:
    """Report everything that is wrong with a campaign file, or say how many runs it has and how long they may take."""
    from sealegs.suites.micro.campaign.campaign_check import check_campaign

    options = options_from(MicroOptions, {"campaign": file, **given})
    found = check_campaign(file, options.model, jobs=options.at_once, budget=options.time_limit)
    write_table_rows(found.rows(), json)
    if json != "-":
        for line in found.lines():
            echo(line)


@app.command()
def show(file: Annotated[str, FILE]) -> None:
    """Print a campaign file; one that ships is a starting point for your own."""
    from sealegs.suites.micro.campaign.shipped import campaign_text

    echo(campaign_text(file)[1], nl=False)


@app.command()
@taking(MicroOptions, "jobs", "time_limit", "model", "shard", "max_invalid")
def run(
    file: Annotated[str, FILE],
    out: Annotated[Path | None, typer.Option(help=f"The folder; {LOGS}/micro-NAME by default.")] = None,
    on: Annotated[str, ON] = "",
    judge: Annotated[str, JUDGE] = "",
    json: Annotated[str, JSON] = "",
    **given: Any,
) -> None:
    """Run a campaign, each run in its own process; the same command resumes where a stopped one left off."""
    from sealegs.cli.progress import TerminalView
    from sealegs.suites.micro.campaign_suite import SUITE

    options = options_from(MicroOptions, {"campaign": file, **given}).checked()
    folder = out or options.folder
    make_shards_elsewhere(on, options.shard, folder)
    SUITE.play(options, folder, TerminalView("run"))
    if is_empty_shard(folder):
        print_empty_shard(options.shard)
        write_table_rows([], json)
        return
    _report(folder, None, judge, json, options.max_invalid)


@app.command("report")
@taking(MicroOptions, "max_invalid")
def report_campaign(
    folder: Annotated[Path, typer.Argument(help="The folder of a `campaign run`.")],
    max_invalid: float,
    html: Annotated[Path | None, page_option("Where to write the page; in the folder by default.")] = None,
    judge: Annotated[str, JUDGE] = "",
    json: Annotated[str, JSON] = "",
) -> None:
    """Print a campaign's tables, with the labels in its labels.csv, and write one HTML page with every run in it."""
    page = html or folder / "report.html"
    check_different({"--html": page, "--json": json})
    _report(folder, page, judge, json, max_invalid)


def _report(folder: Path, html: Path | None, judge: str, json: str, max_invalid: float) -> None:
    from sealegs.reports.micro_tables import print_campaign, runs_csv
    from sealegs.suites.micro.campaign_suite import needing_langchain

    with needing_langchain():
        from sealegs.suites.micro.campaign.campaign_results import read_folder
    found = read_folder(folder, judge)
    warn_if_invalid(found.validity, max_invalid)
    for note in found.notes:
        errors.print(f"note: {note}", markup=False)
    write_atomically(folder / "runs.csv", runs_csv(found.runs, found.request.settings.task_set), mode=OWNER_ONLY)
    if html is not None:
        from sealegs.reports.micro_page import render_micro_page

        write_target(html, render_micro_page(found.page()))
    write_table_rows(found.rows(), json, found.about())
    if json != "-":
        print_campaign(found.runs, console)
        print_task_sets(found.rows())
        where = f"{html} and " if html is not None else ""
        console.print(f"Every run with its evidence: {where}{folder / 'runs.csv'}.", highlight=False, soft_wrap=True)
        if html is None:
            console.print(f"`sealegs campaign report {folder}` makes a page of it.", highlight=False, soft_wrap=True)
    exit_if_invalid(found.validity, max_invalid)
