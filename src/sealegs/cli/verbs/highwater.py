"""`sealegs highwater`: functions and problems made from question/SQL pairs, and whether they are sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import jobs_option, json_option, seed_option

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Make functions and problems for highwater from any text-to-SQL data, and check them.",
)
JSON = json_option("the counts")


@app.callback()
def highwater_commands() -> None:
    """Make functions and problems for highwater from any text-to-SQL data, and check them."""


@app.command("build")
def build_function_library(
    folder: Annotated[Path, typer.Argument(help="Databases: database/ID/ID.sqlite, ID.sqlite or ID.sql.")],
    out: Annotated[Path, typer.Option(help="The folder to write; a library that is there is replaced.")],
    pairs: Annotated[Path | None, typer.Option(help="A JSON list of {question, query, db_id}.")] = None,
    seed: Annotated[int, seed_option("Decides names, other values and the split.")] = 0,
    variants: Annotated[int, typer.Option(min=0, help="The most variants of a question, with other values.")] = 12,
    model: Annotated[str, typer.Option(help="Describes the functions: a model as Inspect names it.")] = "",
    jobs: Annotated[int | None, jobs_option("Processes; all cores by default.")] = None,
    json: Annotated[str, JSON] = "",
) -> None:
    """Make functions and problems, and say of each pair that gives no problem why it does not."""
    from sealegs.cli.progress import show_progress
    from sealegs.generate.library_build import build_library
    from sealegs.reports.tables import print_pairs

    with show_progress("databases") as progress:
        found = build_library(folder, out, pairs, seed, variants, model, jobs, progress)
    for one in found.library.left_out:
        kept = " (its functions are kept)" if one.functions else ""
        errors.print(f"left out: pair {one.number} ({one.database}): {one.reason}{kept}", markup=False)
    write_table_rows(found.rows(), json, found.about())
    if json != "-":
        print_pairs(found.pairs(), console, ("Sealegs", "published"))
        console.print(f"{found.library.problems} problems in {out}, {found.seconds:.1f} s.", highlight=False)


@app.command("check")
def check_function_library(
    folder: Annotated[Path | None, typer.Argument(help="A library; the package's own where none is named.")] = None,
    json: Annotated[str, json_option("the figures")] = "",
) -> None:
    """Run every solution, and check that no documentation prints a way round the function that it documents."""
    from sealegs.generate.library_build import library_check_rows
    from sealegs.reports.tables import print_rows
    from sealegs.suites.highwater.own import OWN
    from sealegs.world.sql.function_library import Library
    from sealegs.world.sql.library_check import check_library

    found = check_library(Library.open(folder or OWN))
    for line in found.findings():
        errors.print(line, markup=False, soft_wrap=True)
    rows = library_check_rows(found, folder.name if folder else "own")
    write_table_rows(rows, json, {"sound": found.sound})
    if json != "-":
        print_rows(rows, console)
    if not found.sound:
        raise typer.Exit(1)
