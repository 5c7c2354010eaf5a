"""`sealegs diagnose`: what a failure is, and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, write_data, write_rows


def diagnose(
    file: Annotated[str, typer.Argument(help="A failure as text, JSON or a record; - for standard input.")] = "-",
    bank: Annotated[Path | None, typer.Option(help="A bank of your own beside the shipped one.")] = None,
    embeddings: Annotated[
        str, typer.Option(help="A sentence-transformers model that compares the texts in the place of BM25.")
    ] = "",
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure on the labelled failures in place of reading one.")
    ] = False,
    split: Annotated[str, typer.Option(help="With --measure: test (unseen) or train.")] = "test",
    json: Annotated[str, typer.Option(help="Write the finding, or a row for each figure, to this file, or -.")] = "",
) -> None:
    """Print signature, class, nearest exemplar and advice of a failure; or how often that is right."""
    from sealegs.faults.mistake import Mistake
    from sealegs.recovery.bank import read_bank
    from sealegs.scoring import diagnosis

    known = read_bank(bank, embeddings)
    if measure:
        if split not in diagnosis.SPLITS:
            raise Mistake(f"--split {split!r} is no part; give {' or '.join(diagnosis.SPLITS)}")
        rows, found = diagnosis.measured(split, known)
        if json != "-":
            diagnosis.print_measured(rows, found, console)
        write_rows(rows, json, {"wrong": diagnosis.as_data(found)})
        return
    from sealegs.recovery.diagnose import diagnosed, read_source

    told = diagnosed(read_source(file), known)
    if json != "-":
        typer.echo("\n".join(told.lines()))
    write_data(told.data(), json)
