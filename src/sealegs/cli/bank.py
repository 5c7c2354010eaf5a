"""`sealegs bank`: look into the exemplar bank, and add to a bank of your own."""

from __future__ import annotations

import json as encoding
from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, errors, write_data
from sealegs.traces.whole import write_whole

app = typer.Typer(no_args_is_help=True, help="Search, check and grow the bank of failures and what helped.")
Own = Annotated[Path | None, typer.Option("--bank", help="A bank of your own beside the shipped one.")]
To = Annotated[Path, typer.Option("--bank", help="The bank of your own that is added to; made where it is not there.")]


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="A failure, or words of one.")],
    bank: Own = None,
    count: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 5,
    embeddings: Annotated[
        str, typer.Option(help="A sentence-transformers model that compares the texts in the place of BM25.")
    ] = "",
    json: Annotated[str, typer.Option(help="Write what is found to this file, or -.")] = "",
) -> None:
    """The nearest exemplars of a failure, with their distance."""
    from sealegs.recovery.bank import read_bank
    from sealegs.recovery.bank.asking import asked, found_data, found_lines

    found = asked(read_bank(bank, embeddings), text, count)
    if json != "-":
        typer.echo("\n".join(found_lines(found)))
    write_data(found_data(found), json)


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="Exemplars in YAML or JSON: a bank, a list, or a single one.")],
    bank: To,
) -> None:
    """Add exemplars to a bank of your own; nothing is added where one of them is wrong or known already."""
    from sealegs.recovery.bank import read_bank_file
    from sealegs.recovery.bank.adding import added, replaced

    new = read_bank_file(file).exemplars
    write_whole(bank, added(bank, new))
    for note in replaced(new):
        errors.print(f"note: {note}", markup=False)
    typer.echo(f"{bank}: {len(new)} exemplar(s) added")


@app.command()
def mine(
    records: Annotated[list[Path], typer.Argument(help="Records (*.jsonl) of episodes.")],
    bank: To,
    yes: Annotated[bool, typer.Option("--yes", help="Take all without asking.")] = False,
    json: Annotated[str, typer.Option(help="Write what was proposed and taken to this file, or -.")] = "",
) -> None:
    """Propose exemplars from recorded recoveries; each is shown, and taken only with your yes."""
    from sealegs.recovery.bank import read_bank
    from sealegs.recovery.bank.adding import added
    from sealegs.recovery.bank.asking import mined_data, mined_lines, records_of
    from sealegs.recovery.bank.mining import mined

    notes: list[str] = []
    found = mined(records_of(records, notes), read_bank(bank if bank.exists() else None), notes)
    for note in notes:
        errors.print(f"note: {note}", markup=False)
    taken = 0
    accepted = []
    for one in found:
        typer.echo("\n".join(mined_lines(one)), err=json == "-")
        if yes or typer.confirm("Take it?", default=False, err=True):
            write_whole(bank, added(bank, [one.exemplar]))  # at once, so that a yes is never lost
            accepted.append(one)
            taken += 1
    typer.echo(f"{len(found)} proposed, {taken} taken", err=json == "-")
    write_data(mined_data(found, accepted), json)


@app.command("check")
def check(
    file: Annotated[Path | None, typer.Argument(help="A bank; the shipped one by default.")] = None,
    json: Annotated[str, typer.Option(help="Write the counts to this file, or -.")] = "",
) -> None:
    """Say everything that is wrong with a bank; or that it is sound, and how many exemplars each cause has."""
    from sealegs.recovery.bank.asking import checked, print_checked

    found = checked(file)
    if json != "-":
        print_checked(found, console)
    write_data(found, json)


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema of banks, for editors."""
    from sealegs.recovery.bank import bank_schema

    typer.echo(encoding.dumps(bank_schema(), indent=2))
