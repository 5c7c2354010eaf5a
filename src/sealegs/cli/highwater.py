"""`sealegs highwater`: functions and problems made from question/SQL pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.output import console, errors, write_table_rows
from sealegs.cli.shared_options import jobs_option, json_option, seed_option

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="The functions and problems of highwater: made from any text-to-SQL data.",
)
JSON = json_option("Write the counts to this file, or - for standard output.")


@app.callback()
def highwater_commands() -> None:
    """The functions and problems of highwater: made from any text-to-SQL data."""


@app.command("build")
def build_function_library(
    folder: Annotated[Path, typer.Argument(help="Databases: database/ID/ID.sqlite, ID.sqlite or ID.sql.")],
    out: Annotated[Path, typer.Option(help="The folder to write; a library that is there is replaced.")],
    pairs: Annotated[Path | None, typer.Option(help="A JSON list of {question, query, db_id}.")] = None,
    seed: Annotated[int, seed_option("Decides names, other values and the split.")] = 0,
    variants: Annotated[int, typer.Option(min=0, help="How often a question is asked with other values, at most.")] = 7,
    model: Annotated[str, typer.Option(help="Describes the functions: a model as Inspect names it.")] = "",
    jobs: Annotated[int | None, jobs_option("Processes; all cores by default.")] = None,
    json: Annotated[str, JSON] = "",
) -> None:
    """Make functions and problems; a line says of each pair that gives no problem why it does not."""
    from sealegs.cli.progress import show_progress
    from sealegs.generate.library_build import build_library
    from sealegs.reports.tables import print_pairs

    with show_progress("databases") as progress:
        found = build_library(folder, out, pairs, seed, variants, model, jobs, progress)
    for one in found.library.left_out:
        kept = " (its functions are kept)" if one.functions else ""
        errors.print(f"left out: pair {one.number} ({one.database}): {one.reason}{kept}", markup=False)
    if json != "-":
        print_pairs(found.pairs(), console, ("Sealegs", "published"))
        console.print(f"{found.library.problems} problems in {out}, {found.seconds:.1f} s.", highlight=False)
    write_table_rows(found.rows(), json, found.about())
