"""Options that several verbs have: the file of `--json`, the seed, the number of processes, and the shard."""

from __future__ import annotations

from typing import Any

import typer

from sealegs.cli.output import check_json_target
from sealegs.engines.shards import SHARD_HELP, parse_shard
from sealegs.suites.choices import MOST_JOBS, MOST_SEED


def json_option(written: str) -> Any:
    """Return the option `--json`, which writes this. A file that cannot be written is refused before all else."""
    help_text = f"Write {written} to this file, or - for standard output."
    return typer.Option("--json", callback=check_json_target, help=help_text)


def seed_option(help: str) -> Any:
    """Return an option that takes a seed."""
    return typer.Option(min=0, max=MOST_SEED, help=help)


def jobs_option(help: str) -> Any:
    """Return an option that takes a number of processes."""
    return typer.Option(min=1, max=MOST_JOBS, help=help)


def _checked_shard(text: str) -> str:
    parse_shard(text)
    return text


JUDGING_JOBS = jobs_option("Processes that judge a large run of maze; as many as there are cores by default.")
SHARD = typer.Option("--shard", callback=_checked_shard, help=SHARD_HELP)
