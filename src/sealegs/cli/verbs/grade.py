"""`sealegs grade`: grade traces one by one, say how far graders agree, and sum up the replies of a review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import CommandOnSuites, json_option
from sealegs.cli.target_files import check_different, write_target

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Grade traces by code or by a model, measure how far graders agree, and sum up a review.",
)
JSON = json_option("the long table")


@app.command("traces", cls=CommandOnSuites)
def grade_run_traces(
    logs: Annotated[
        Path, typer.Argument(help="Runs of a suite with questions ({graded}): a folder, records, or an Inspect log.")
    ],
    out: Annotated[Path, typer.Option(help="The file of grades to write, one JSON object a line.")] = Path(
        "grades.jsonl"
    ),
    grader: Annotated[str, typer.Option(help="code, or model.")] = "code",
    model: Annotated[str, typer.Option(help="With --grader model: the model as Inspect names it.")] = "",
    json: Annotated[str, JSON] = "",
) -> None:
    """Grade every trace of runs, question by question."""
    from sealegs.suites.suite import Suite, suite_holding, suites_with

    check_different({"--out": out, "--json": json})
    making = next(suite.example for suite in suites_with(Suite.grade).values())
    found = suite_holding(logs, making).grade(logs, grader, model)
    write_target(out, found.text)
    write_table_rows(found.rows, json)
    if json != "-":
        found.show(console)
        console.print(f"Grades of {found.count} traces in {out}.", highlight=False)


@app.command("agree", cls=CommandOnSuites)
def compare_graders(
    one: Annotated[
        str,
        typer.Argument(help="Grades or labels (.jsonl, .csv), or a set that ships: {label_sets}."),
    ],
    other: Annotated[str, typer.Argument(help="The same for another grader.")],
    json: Annotated[str, JSON] = "",
) -> None:
    """Say how far two graders agree: the share of equal labels, and Cohen's kappa, with intervals."""
    from sealegs.reports.grader_tables import print_agreement
    from sealegs.scoring.trace_labels import agreement_rows, compare_labels
    from sealegs.suites.label_sets import labelled_suite, read_trace_labels

    found = compare_labels(read_trace_labels(one), read_trace_labels(other))
    write_table_rows(agreement_rows(found, labelled_suite(one, other), f"{one} / {other}"), json)
    if json != "-":
        print_agreement(found, (one, other), console)


@app.command("review")
def grade_replies(
    folder: Annotated[Path, typer.Argument(help="The folder of a review, as `sealegs maze review` makes it.")],
    json: Annotated[str, JSON] = "",
) -> None:
    """Say what share of the tasks reviewers solved, which corrupt answers they recognised, and how far they agree."""
    from sealegs.reports.review_tables import print_review
    from sealegs.suites.suite import suite_reviewed_in

    found = suite_reviewed_in(folder).grade_review(folder)
    write_table_rows(found.rows, json)
    if json != "-":
        print_review(found, console)
