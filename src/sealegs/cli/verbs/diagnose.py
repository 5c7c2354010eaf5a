"""`sealegs diagnose`: what a failure is, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console
from sealegs.cli.idle_options import refuse_idle
from sealegs.cli.output import write_data, write_table_rows
from sealegs.cli.shared_options import json_option
from sealegs.cli.terminal import echo

app = typer.Typer(add_completion=False)


@app.command()
def diagnose(
    context: typer.Context,
    file: Annotated[str, typer.Argument(help="A failure as text, JSON or a record; - for standard input.")] = "-",
    bank: Annotated[Path | None, typer.Option(help="Your own bank, used beside the shipped one.")] = None,
    embeddings: Annotated[
        str, typer.Option(help="A sentence-transformers model that compares the texts in place of BM25.")
    ] = "",
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure on the labelled failures instead of reading one.")
    ] = False,
    split: Annotated[str, typer.Option(help="With --measure: test (unseen) or train.")] = "test",
    json: Annotated[str, json_option("the finding, or a row for each figure,")] = "",
) -> None:
    """Print a failure's signature, class, nearest exemplar and advice, or measure how often they are right."""
    from sealegs.faults.user_error import UserError
    from sealegs.recovery.bank import read_bank
    from sealegs.scoring import diagnosis_accuracy

    if measure:
        refuse_idle(context, "beside --measure, which reads the labelled failures", "file")
    else:
        refuse_idle(context, "without --measure", "split")
    known = read_bank(bank, embeddings)
    if measure:
        if split not in diagnosis_accuracy.SPLITS:
            raise UserError(f"--split {split!r} is unknown; choose {' or '.join(diagnosis_accuracy.SPLITS)}")
        rows, found = diagnosis_accuracy.measure_diagnoses(split, known)
        write_table_rows(rows, json, {"wrong": diagnosis_accuracy.wrong_diagnoses(found)})
        if json != "-":
            diagnosis_accuracy.print_measured(rows, found, console)
        return
    from sealegs.recovery.failure_diagnosis import diagnose_failure, read_source

    diagnosis = diagnose_failure(read_source(file), known)
    write_data(diagnosis.data(), json)
    if json != "-":
        echo("\n".join(diagnosis.lines()))
