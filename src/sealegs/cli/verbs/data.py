"""`sealegs data`: trajectories to learn recovery from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import print_shard_done, write_table_rows
from sealegs.cli.shared_options import SHARD, jobs_option, json_option, seed_option
from sealegs.cli.spread import ON, make_shards_elsewhere
from sealegs.engines.shards import parse_shard

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Make and check trajectories that teach recovery.")
JSON = json_option("the rows")


@app.callback()
def data_commands() -> None:
    """Make and check trajectories that teach recovery."""


@app.command("make")
def make_training_data(
    recipe: Annotated[str, typer.Argument(help="A YAML file, or default, failure-only or clean.")],
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Trajectories.")] = 1000,
    seed: Annotated[int, seed_option("Decides every random choice.")] = 0,
    jobs: Annotated[int | None, jobs_option("Processes; all cores by default.")] = None,
    row_format: Annotated[
        str, typer.Option(help="The format of a row: trl, toolbench, both; a wrong name lists all.")
    ] = "trl",
    file_format: Annotated[
        str, typer.Option(help="The format of a file: jsonl, or parquet (extra `train-data`).")
    ] = "jsonl",
    tasks: Annotated[list[Path] | None, typer.Option(help="A folder of tasks. Repeatable.")] = None,
    toolbench: Annotated[list[Path] | None, typer.Option(help="A file in ToolBench's format. Repeatable.")] = None,
    shipped: Annotated[bool, typer.Option(help="Whether the tasks that ship with maze are among them.")] = True,
    teacher: Annotated[str, typer.Option(help="With `continuation: teacher`: the model as Inspect names it.")] = "",
    shard: Annotated[str, SHARD] = "",
    on: Annotated[str, ON] = "",
    json: Annotated[str, JSON] = "",
) -> None:
    """Make a set of trajectories; the same command resumes where a stopped one left off."""
    from sealegs.cli.progress import interruptible, show_progress
    from sealegs.training.data.data_command import data_set_request, make_data_set, make_data_shard, row_figures

    sources = (tasks or [], toolbench or [], shipped)
    request = data_set_request(recipe, n, seed, row_format, file_format, *sources, teacher, out)
    make_shards_elsewhere(on, shard, out)
    if part := parse_shard(shard):
        with show_progress("trajectories") as progress, interruptible("block"):
            count = make_data_shard(request, out, part, progress, jobs)
        print_shard_done(shard, count, "rows", out, json)
        return
    with show_progress("trajectories") as progress, interruptible("block"):
        tally, seen = make_data_set(request, out, progress, jobs)
    if tally.lost:
        errors.print(f"note: {tally.lost} of {n} rows were not found; {out}/README.md says why", markup=False)
    write_table_rows(row_figures(tally), json)
    if json != "-":
        console.print(
            f"{tally.total} trajectories in {out}: {len(seen.requests)} requests, {len(seen.orders)} sequences of "
            "calls, no leak between splits.",
            highlight=False,
        )


@app.command("check")
def check_training_data(
    folder: Annotated[Path, typer.Argument(help="A finished set.")],
    sample: Annotated[int, typer.Option(min=0, help="Rows that are played and judged again.")] = 200,
) -> None:
    """Check a set: leaks, duplicates, the files' hashes, what no row may teach, and a sample of rows in the world."""
    from sealegs.training.data.data_command import check_data_set

    summary, problems = check_data_set(folder, sample)
    console.print(summary, highlight=False, markup=False, soft_wrap=True)
    for problem in problems:
        errors.print(problem, markup=False)
    raise typer.Exit(1 if problems else 0)
