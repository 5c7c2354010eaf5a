"""`sealegs bank`: look into the exemplar bank, and add to your own."""

from __future__ import annotations

import json as encoding
from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_data
from sealegs.cli.shared_options import json_option
from sealegs.cli.target_files import check_different, write_target
from sealegs.cli.terminal import echo

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Search, check and grow the bank of failures and what helped."
)
Own = Annotated[Path | None, typer.Option("--bank", help="Your own bank, used beside the shipped one.")]
To = Annotated[Path, typer.Option("--bank", help="Your own bank to add to; made if it is not there.")]


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="A failure, or words of one.")],
    bank: Own = None,
    count: Annotated[int, typer.Option("--n", "-n", min=1, help="How many.")] = 5,
    embeddings: Annotated[
        str, typer.Option(help="A sentence-transformers model that compares the texts in place of BM25.")
    ] = "",
    json: Annotated[str, json_option("what is found")] = "",
) -> None:
    """Show the exemplars nearest to a failure, with their distance."""
    from sealegs.recovery.bank import read_bank
    from sealegs.recovery.bank.bank_queries import found_data, found_lines, nearest_exemplars

    found = nearest_exemplars(read_bank(bank, embeddings), text, count)
    write_data(found_data(found), json)
    if json != "-":
        echo("\n".join(found_lines(found)))


@app.command()
def add(
    file: Annotated[Path, typer.Argument(help="Exemplars in YAML or JSON: a bank, a list, or a single one.")],
    bank: To,
) -> None:
    """Add exemplars to your own bank; nothing is added if one of them is wrong or already known."""
    from sealegs.recovery.bank import read_bank_file
    from sealegs.recovery.bank.adding import describe_replacements, extend_bank_text

    new = read_bank_file(file).exemplars
    write_target(bank, extend_bank_text(bank, new))
    for note in describe_replacements(new):
        errors.print(f"note: {note}", markup=False)
    echo(f"{bank}: {len(new)} exemplar(s) added")


@app.command()
def mine(
    records: Annotated[list[Path], typer.Argument(help="Records (*.jsonl) of episodes.")],
    bank: To,
    yes: Annotated[bool, typer.Option("--yes", help="Take all without asking.")] = False,
    json: Annotated[str, json_option("what was proposed and taken")] = "",
) -> None:
    """Propose exemplars from recorded recoveries; each is shown, and taken only if you say yes."""
    from sealegs.recovery.bank import read_bank
    from sealegs.recovery.bank.adding import extend_bank_text
    from sealegs.recovery.bank.bank_queries import mined_data, mined_lines, records_of
    from sealegs.recovery.bank.exemplar_mining import mine_exemplars

    check_different({"--bank": bank, "--json": json})
    notes: list[str] = []
    found = mine_exemplars(records_of(records, notes), read_bank(bank if bank.exists() else None), notes)
    for note in notes:
        errors.print(f"note: {note}", markup=False)
    taken = 0
    accepted = []
    for one in found:
        echo("\n".join(mined_lines(one)), err=json == "-")
        if yes or typer.confirm("Take it?", default=False, err=True):
            write_target(bank, extend_bank_text(bank, [one.exemplar]))  # at once, so that a yes is never lost
            accepted.append(one)
            taken += 1
    echo(f"{len(found)} proposed, {taken} taken", err=json == "-")
    write_data(mined_data(found, accepted), json)


@app.command("check")
def check_bank(
    file: Annotated[Path | None, typer.Argument(help="A bank; the shipped one by default.")] = None,
    json: Annotated[str, json_option("the counts")] = "",
) -> None:
    """Report everything that is wrong with a bank, or say that it is sound and count the exemplars of each cause."""
    from sealegs.recovery.bank.bank_queries import check_bank_file, print_bank_check

    found = check_bank_file(file)
    write_data(found, json)
    if json != "-":
        print_bank_check(found, console)


@app.command("schema")
def print_bank_schema() -> None:
    """Print the JSON Schema of banks, for editors."""
    from sealegs.recovery.bank import bank_schema

    echo(encoding.dumps(bank_schema(), indent=2))
