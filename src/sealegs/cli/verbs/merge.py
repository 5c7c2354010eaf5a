"""`sealegs merge`: join the folders that commands with `--shard i/n` made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sealegs.engines.merging import MergeResult, ShardFolder

app = typer.Typer(add_completion=False)
INCOMPLETE = 3  # the exit code where something is missing


@app.command()
def merge_command(
    folders: Annotated[list[Path], typer.Argument(help="The shards' folders.")],
    out: Annotated[Path, typer.Option(help="The folder to make, or to add to.")],
    json: Annotated[str, json_option("what was joined")] = "",
) -> None:
    """Join the folders of shards into the one that a single process would have made.

    If shards contradict each other, nothing is written. If shards are missing, they are named, and the exit code is 3.
    The same command resumes a stopped merge, and adds shards that came later.
    """
    results = join_folders(folders, out)
    write_table_rows([row for found in results.values() for row in found.rows()], json)
    for name, found in results.items():
        first, *rest = found.lines()
        if json != "-":
            console.print(f"{out / name}: {first}", highlight=False, markup=False, soft_wrap=True)
        for line in rest:
            errors.print(f"note: {line}", markup=False)
    if not all(found.complete for found in results.values()):
        raise typer.Exit(INCOMPLETE)


def join_folders(folders: Sequence[Path], out: Path) -> dict[str, MergeResult]:
    """Join the folders of shards in one, or in one for each model, by their names.

    Raises:
        UserError: they contradict each other, or what is there.
    """
    from sealegs.engines.merging import read_shard_folders, shard_groups

    groups = {name: read_shard_folders(own, out / name) for name, own in shard_groups(folders).items()}
    return {name: _merged(parts, out / name) for name, parts in groups.items()}


def _merged(parts: Sequence[ShardFolder], out: Path) -> MergeResult:
    """Join shards by what they are of."""
    from sealegs.cli.progress import interruptible, show_progress
    from sealegs.suites.suite import suite_named

    if parts[0].note.kind == "data":
        from sealegs.training.data.data_command import merge_data_sets

        with show_progress("trajectories") as progress, interruptible("block"):
            return merge_data_sets(parts, out, progress)
    if parts[0].note.kind == "tasks":
        from sealegs.generate.task_shards import merge_task_sets

        with show_progress("tasks") as progress, interruptible("task"):
            return merge_task_sets(parts, out, progress)
    return suite_named(parts[0].note.kind).merge(parts, out)
