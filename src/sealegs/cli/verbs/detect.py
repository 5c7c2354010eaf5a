"""`sealegs detect`: learn tools' normal answers from records, look for others, measure how well that works."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import CommandOnSuites, json_option, seed_option
from sealegs.cli.target_files import write_target

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Learn what a tool's right answers look like, and detect those that are wrong without saying so.",
)
RECORDS = typer.Argument(help="Records (*.jsonl), or OTLP JSON with arguments and results in it.")


@app.command("learn")
def learn_profiles(
    records: Annotated[list[Path], RECORDS],
    out: Annotated[Path, typer.Option(help="The file of profiles to write.")],
    also: Annotated[
        list[Path] | None, typer.Option(help="Records of other calls; learned from, but not calibrated on. Repeatable.")
    ] = None,
) -> None:
    """Learn what is normal in each tool's answers from what the tools returned in these records."""
    from sealegs.recovery.detectors import learn
    from sealegs.traces.sources import read_traces

    notes: list[str] = []
    further = read_traces(also, notes) if also else []
    found = learn(read_traces(records, notes), notes.append, also=further)
    for note in notes:
        errors.print(f"note: {note}")
    write_target(out, found.text())
    statements = sum(len(profile.statements) for profile in found.tools.values())
    tools, answers = len(found.tools) - 1, found.tools[""].answers
    console.print(f"{tools} tools, {answers:,} answers, {statements:,} statements in {out}.", highlight=False)


@app.command("check")
def check_records(
    records: Annotated[list[Path], RECORDS],
    profiles: Annotated[Path, typer.Option(help="The file that `sealegs detect learn` wrote.")],
    false_alarms: Annotated[float, typer.Option(help="The share of right answers that may be called wrong.")] = 0.01,
    per: Annotated[str, typer.Option(help="The unit of the share: answer or episode.")] = "answer",
    drift: Annotated[bool, typer.Option(help="Also check whether levels moved, over all the records.")] = True,
    json: Annotated[str, json_option("rows and findings")] = "",
) -> None:
    """Report which answers in these records are unlike the tools' normal ones, and why.

    The exit code is 1 if there are any.
    """
    from sealegs.recovery.detectors import read_profiles
    from sealegs.recovery.detectors.profile_check import check_traces
    from sealegs.reports.tables import print_findings
    from sealegs.traces.sources import read_traces

    notes: list[str] = []
    found = check_traces(read_profiles(profiles), read_traces(records, notes), false_alarms, per, drift)
    for note in notes:
        errors.print(f"note: {note}")
    write_table_rows(found.rows, json, found.about())
    if json != "-":
        print_findings(found.rows, console)
        console.print(f"{found.wrong} of {found.answers:,} answers are called wrong.", highlight=False)
    if found.unknown:
        errors.print(
            f"note: no profile of {', '.join(found.unknown)}: compared with profiles of fields of the same names"
        )
    raise typer.Exit(1 if found.wrong else 0)


@app.command(cls=CommandOnSuites)
def measure(
    suite: Annotated[str, typer.Argument(help="The suite: {measured}.")],
    more: Annotated[Path | None, typer.Option(help="A folder of further tasks to learn from as well.")] = None,
    limit: Annotated[int | None, typer.Option(min=2, help="At most this many base tasks of each level.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How many times each faulty episode is run.")] = 1,
    seed: Annotated[int, seed_option("Decides the halves, victims and faults.")] = 0,
    recover: Annotated[bool, typer.Option(help="Also measure what recovery achieves with them.")] = True,
    out: Annotated[
        Path | None, typer.Option(help="Where finished parts are kept; sealegs-logs/detect-... by default.")
    ] = None,
    json: Annotated[str, json_option("the long table")] = "",
) -> None:
    """Measure learned detectors on a suite's implicit faults: rates of detection and of false alarms.

    To resume a stopped measurement, give the same command.
    """
    from sealegs.cli.progress import show_progress
    from sealegs.faults.user_error import UserError
    from sealegs.suites.suite import Suite, suites_with

    able = suites_with(Suite.measure_detection)
    if suite not in able:
        raise UserError(f"unknown suite {suite!r}: detectors are measured on {', '.join(able)}")
    further = str(more.resolve()) if more is not None else ""
    with show_progress("episodes") as progress:
        found = able[suite].measure_detection(further, limit, epochs, seed, recover, out, progress)
    write_table_rows(found.rows, json, found.about)
    if json != "-":
        found.show(console)
