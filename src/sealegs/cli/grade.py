"""`sealegs grade`: grade traces one by one, and say how far graders agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, write_rows
from sealegs.traces.whole import write_whole

app = typer.Typer(no_args_is_help=True, help="Grades of traces, by code or by a model, and agreement between graders.")
JSON = typer.Option(help="Write the long table to this file, or - for standard output.")


@app.command("traces")
def traces(
    logs: Annotated[Path, typer.Argument(help="Runs of paladin: a folder, a file of records, or an Inspect log.")],
    out: Annotated[Path, typer.Option(help="The file of grades to write, one JSON object a line.")] = Path(
        "grades.jsonl"
    ),
    grader: Annotated[str, typer.Option(help="code, or model.")] = "code",
    model: Annotated[str, typer.Option(help="With --grader model: the model as Inspect names it.")] = "",
    json: Annotated[str, JSON] = "",
) -> None:
    """Grade every trace of runs, question by question."""
    from sealegs.reports.agreement import print_grades
    from sealegs.suites.paladin.grading import chosen_grader, graded, lines, share_rows, traces_in

    found = graded(traces_in(logs), chosen_grader(grader, model))
    rows = share_rows(found, model or "code")
    write_whole(out, lines(found))
    if json != "-":
        print_grades(rows, console)
        console.print(f"Grades of {len(found)} traces in {out}.", highlight=False)
    write_rows(rows, json)


@app.command("agree")
def agree(
    one: Annotated[
        str,
        typer.Argument(
            help="Grades or labels (.jsonl, .csv); `labels`, `code`, `fresh`, `fresh-code`: the shipped sets."
        ),
    ],
    other: Annotated[str, typer.Argument(help="The same of another grader.")],
    json: Annotated[str, JSON] = "",
) -> None:
    """Say how far two graders agree: the share of equal labels, and Cohen's kappa, with intervals."""
    from sealegs.reports.agreement import print_agreement
    from sealegs.suites.paladin.labels import agreement_rows, compared, read_labels

    found = compared(read_labels(one), read_labels(other))
    if json != "-":
        print_agreement(found, (one, other), console)
    write_rows(agreement_rows(found, f"{one} / {other}"), json)
