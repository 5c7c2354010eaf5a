"""`sealegs train RECIPE`: teach a model to recover."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_table_rows
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.proof import PROOF, prove_command
from sealegs.cli.shared_options import jobs_option, json_option
from sealegs.faults.user_error import UserError

app = typer.Typer(add_completion=False)


@app.command()
def train_command(
    recipe: Annotated[str, typer.Argument(help="A recipe's file, one that ships (paladin), or `proof`.")],
    model: Annotated[str, typer.Option(help="The model's folder or its name on the hub.")] = "",
    data: Annotated[str, typer.Option(help="A file of rows, or a folder that `sealegs data make` wrote.")] = "",
    out: Annotated[Path | None, typer.Option(help="The run's folder; named after the recipe by default.")] = None,
    json: Annotated[str, json_option("the long table")] = "",
    size: Annotated[str, typer.Option(help="For `proof`: ci (minutes) or full (an hour), on two cores.")] = "",
    jobs: Annotated[int | None, jobs_option("For `proof`: processes; all cores by default.")] = None,
) -> None:
    """Teach a model to recover: LoRA on trajectories, with a separate loss for the corrective segments.

    The same command resumes where a killed one left off. On several devices: `accelerate launch -m sealegs train ...`.
    `proof` trains small models from nothing and measures whether they recover.
    """
    if recipe == PROOF:
        prove_command(
            size or "ci", out, json, jobs, [name for name, value in (("model", model), ("data", data)) if value]
        )
        return
    if size or jobs:
        raise UserError("--size and --jobs are the proof's: sealegs train proof --size ci")
    # Only now: neither `sealegs train --help` nor a refused option has to wait for them.
    from sealegs.training.freed_memory import keep_freed_memory
    from sealegs.training.training_recipe import read_training_recipe
    from sealegs.training.training_run import is_main_process, long_table, notes, quiet_libraries, run_training

    chosen = read_training_recipe(recipe, {name: value for name, value in (("model", model), ("data", data)) if value})
    folder = out or Path("sealegs-training") / chosen.name
    quiet_libraries()
    keep_freed_memory()
    # `accelerate launch` starts this command once for each device: all of them train, and the first alone reports.
    with show_progress(f"training {chosen.name}") as progress, interruptible("checkpoint"):
        card = run_training(chosen, folder, progress if is_main_process() else lambda done, total: None)
    if not is_main_process():
        return
    for note in notes(card):
        errors.print(f"note: {note}")
    rows = long_table(card)
    write_table_rows(rows, json, {"card": card})
    if json != "-":
        for row in rows:
            console.print(f"{row['metric']:20} {row['value']:,.6g}", highlight=False)
        console.print(f"The weights, the curves (losses.svg) and the card are in {folder}.", highlight=False)
