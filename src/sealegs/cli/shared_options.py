"""Options that several verbs have: the file of `--json`, the seed, and the number of processes."""

from __future__ import annotations

from typing import Any

import typer

from sealegs.cli.output import check_json_target
from sealegs.suites.choices import MOST_JOBS, MOST_SEED


def json_option(help: str) -> Any:
    """Return the option `--json`. A file that cannot be written is refused before anything is done."""
    return typer.Option("--json", callback=check_json_target, help=help)


def seed_option(help: str) -> Any:
    """Return an option that takes a seed."""
    return typer.Option(min=0, max=MOST_SEED, help=help)


def jobs_option(help: str) -> Any:
    """Return an option that takes a number of processes."""
    return typer.Option(min=1, max=MOST_JOBS, help=help)
