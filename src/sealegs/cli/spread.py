"""`--on`: have the shards of the command itself made by a cluster, and join them where the command continues."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import typer

from sealegs.cli.consoles import errors
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.verbs.merge import INCOMPLETE, join_folders
from sealegs.engines.ray_cluster import (
    ARCHIVE,
    RayCommand,
    archive_of,
    check_cluster_address,
    connected_cluster,
    unpack_folder,
)
from sealegs.engines.shards import OURS, Shard, holds_files, parse_shard, source_digest
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically

EACH = 4  # shards for each processor: one that takes long holds up few others
SHARDS = ".parts"  # ends the name of the folder of shards
OF = "-of-"
COMMAND_FILE = "command.json"  # beside the shards: what they are of
ON = typer.Option(
    "--on",
    callback=check_cluster_address,
    help="ray, or ray://HOST:PORT: a Ray cluster makes the shards, which are joined here.",
)


def make_shards_elsewhere(
    on: str, shard: str, out: Path, runs: Sequence[Path] = (), alone: Sequence[str] = ("--jobs", "1")
) -> None:
    """Have a cluster make the shards of this command, and join them in its folder.

    The command itself then finds all done there, and reports. Nothing happens where no cluster is named.

    Args:
        on: the cluster.
        shard: what `--shard` was given.
        out: the command's folder.
        runs: the folders that it makes there, if it makes several.
        alone: the words that keep a shard to one process.

    Raises:
        UserError: `--shard` is given too, a shard was refused, or another command left shards.
    """
    if not on:
        return
    if shard:
        raise UserError(f"--on {on} makes all shards, and --shard {shard} asks for one; leave one of them out")
    parts = shards_beside(out)
    if any(map(holds_files, runs or [out])) and not holds_files(parts):
        errors.print(f"note: {out} is there already, so what is left to do is done here", markup=False)
        return
    with connected_cluster(on) as cluster, show_progress("shards") as progress, interruptible("shard"):
        _check_same_command(parts)
        # A stopped command keeps its division, even if the cluster has grown: shards of two divisions do not join.
        of = _earlier_division(parts) or EACH * cluster.processors
        commands = {f"{number}{OF}{of}": _shard_command(Shard(number, of), alone) for number in range(1, of + 1)}
        cluster.make_archives(commands, parts, progress)
    with tempfile.TemporaryDirectory(prefix=".", dir=parts) as place:
        join_folders([unpack_folder(archive_of(parts, name), Path(place) / name) for name in commands], out)
    shutil.rmtree(parts)


def shards_beside(out: Path) -> Path:
    """The folder in which the shards of a command are kept until all are there and joined."""
    place = out.resolve()
    return place.with_name(f"{place.name}{SHARDS}")


def _earlier_division(parts: Path) -> int:
    """The number of shards that a stopped command divided its work into; 0 if none of them is left."""
    found = [one.stem.rpartition(OF)[2] for one in parts.glob(f"[0-9]*{OF}[0-9]*{ARCHIVE}")] if parts.is_dir() else []
    shard = parse_shard(f"1/{found[0]}") if found else None
    return shard.of if shard else 0


def _check_same_command(parts: Path) -> None:
    """Note whose shards a folder holds; refuse one that another command left, before anything is made for it.

    Raises:
        UserError: it holds the shards of another command, or of another version of Sealegs.
    """
    file, command = (
        parts / COMMAND_FILE,
        json.dumps({"words": sys.argv[1:], "code": source_digest(OURS)}, indent=1) + "\n",
    )
    if _earlier_division(parts) and file.read_text(encoding="utf-8") != command:
        other = "shards of another command, or of another version of Sealegs"
        raise UserError(f"{parts} holds {other}; resume that command, or delete the folder")
    parts.mkdir(mode=0o700, parents=True, exist_ok=True)  # records may be private
    write_atomically(file, command)


def _shard_command(shard: Shard, alone: Sequence[str]) -> RayCommand:
    """The words of this command for one shard. Of an option that is given twice the last counts."""
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)  # what follows it is not an option
    own = ("--on", "", "--shard", str(shard), "--json", "", *alone)
    settings = {name: value for name, value in os.environ.items() if name.startswith("SEALEGS_")}
    return RayCommand("sealegs", (*words[:end], *own), tuple(words[end:]), str(Path.cwd()), settings, (0, INCOMPLETE))
