"""`--on`: have the shards of the command itself made by a cluster, and join them where the command goes on."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import typer

from sealegs.cli.consoles import errors
from sealegs.cli.merge import INCOMPLETE, join_folders
from sealegs.cli.progress import interruptible, show_progress
from sealegs.engines.ray_cluster import RayCommand, check_cluster_address, connected_cluster
from sealegs.engines.shards import Shard, holds_files, parse_shard
from sealegs.faults.user_error import UserError

EACH = 4  # shards for each processor: one that takes long holds up few others
OF = "-of-"
ON = typer.Option(
    "--on",
    callback=check_cluster_address,
    help="ray, or ray://HOST:PORT: a Ray cluster makes the shards, which are joined here.",
)


def make_shards_elsewhere(on: str, shard: str, out: Path) -> None:
    """Have a cluster make the shards of this command, and join them in its folder.

    The command itself then finds all done there, and reports. Nothing happens where no cluster is named.

    Args:
        on: the cluster.
        shard: what `--shard` was given.
        out: the command's folder.

    Raises:
        UserError: `--shard` is given too, or a shard was refused.
    """
    if not on:
        return
    if shard:
        raise UserError(f"--on {on} makes all shards, and --shard {shard} asks for one; leave one of them out")
    parts = out.with_name(f"{out.name}.parts")
    if holds_files(out) and not parts.exists():
        errors.print(f"note: {out} is there already, so what is left to do is done here", markup=False)
        return
    with connected_cluster(on) as cluster, show_progress("shards") as progress, interruptible("shard"):
        of = _earlier_division(parts) or EACH * cluster.processors
        commands = {f"{number}{OF}{of}": _shard_command(Shard(number, of)) for number in range(1, of + 1)}
        cluster.make_folders(commands, parts, progress)
    join_folders([parts / name for name in commands], out)
    shutil.rmtree(parts)


def _earlier_division(parts: Path) -> int:
    """The number of shards that a stopped command divided its work into; 0 if none of them is left."""
    found = [one.name.rpartition(OF)[2] for one in parts.glob(f"[0-9]*{OF}[0-9]*")] if parts.is_dir() else []
    shard = parse_shard(f"1/{found[0]}") if found else None
    return shard.of if shard else 0


def _shard_command(shard: Shard) -> RayCommand:
    """This command for one shard. Of an option that is given twice the last counts."""
    args = (*sys.argv[1:], "--on", "", "--shard", str(shard), "--json", "", "--jobs", "1")
    return RayCommand("sealegs", args, str(Path.cwd()), good=(0, INCOMPLETE))
