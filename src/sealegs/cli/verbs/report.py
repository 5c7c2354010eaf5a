"""`sealegs report LOGS`: tables and a page of what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console
from sealegs.cli.idle_options import refuse_idle
from sealegs.cli.output import exit_if_invalid, write_report, write_table_rows
from sealegs.cli.shared_options import JUDGING_JOBS, CommandOnSuites, json_option, page_option
from sealegs.cli.target_files import check_different, write_target
from sealegs.cli.terminal import echo
from sealegs.suites.choices import INVALID_HELP, MOST_INVALID

app = typer.Typer(add_completion=False)


@app.command(cls=CommandOnSuites)
def report_command(
    context: typer.Context,
    logs: Annotated[
        Path, typer.Argument(help="A run's folder, a file of records, an Inspect log, or OpenTelemetry's spans.")
    ],
    html: Annotated[Path | None, page_option("Where to write the page; beside the logs by default.")] = None,
    against: Annotated[
        str,
        typer.Option(help="Another run's logs: paired differences; or published rows: {published}."),
    ] = "",
    json: Annotated[str, json_option("the long table")] = "",
    verify: Annotated[
        bool, typer.Option("--verify", help="Only check that the records are whole and unaltered; exit code 1 if not.")
    ] = False,
    max_invalid: Annotated[float, typer.Option(min=0, max=100, help=INVALID_HELP)] = MOST_INVALID,
    jobs: Annotated[int | None, JUDGING_JOBS] = None,
) -> None:
    """Print the tables of a run, and write one HTML file that needs no network.

    A folder may hold several runs of {reported_together}; they are reported together. Records that nobody judged (of
    your own Session and Recorder, of the proxy, of a replay) get a report without a verdict.
    """
    if verify:
        refuse_idle(context, "beside --verify, which only checks records", "html", "against", "max_invalid", "jobs")
        _verify(logs, json)
        return
    target = html or (logs if logs.is_dir() else logs.parent) / "report.html"
    check_different({"--html": target, "--json": json})
    from sealegs.engines.judging_ahead import judging_jobs
    from sealegs.experiments.log_reports import report_on

    with judging_jobs(jobs):
        found = report_on(logs, against)
    write_target(target, found.page())
    write_report(found, json, beside=True, max_invalid=max_invalid)
    if json != "-":
        console.print(f"Page written to {target}.", highlight=False)
    for count in (found.validity, found.other_validity):
        exit_if_invalid(count, max_invalid)


def _verify(logs: Path, json: str) -> None:
    """Print what the chains of the records say; exit code 1 unless each is whole."""
    from sealegs.suites.suite import known_holder
    from sealegs.traces.chain_check import chain_rows, check_chains

    own = known_holder(logs)
    found = own.verify(logs) if own else check_chains(logs)
    write_table_rows(chain_rows(found), json)
    if json != "-":
        for one in found:
            echo(one.sentence())
    if any(one.state != "whole" for one in found):
        raise typer.Exit(1)
