"""Options that several verbs have: the file of `--json`, the seed, the number of processes, and the shard.

A help that names suites has a place for their names, such as `{graded}`, which `CommandOnSuites` fills.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from sealegs.cli.target_files import check_file_target, check_json_target
from sealegs.engines.shards import SHARD_HELP, parse_shard
from sealegs.suites.choices import MOST_JOBS, MOST_SEED
from sealegs.traces.folder_urls import folder_url


def json_option(written: str) -> Any:
    """Return the option `--json`, which writes this. A file that cannot be written is refused before all else."""
    help_text = f"Write {written} to this file, or - for standard output."
    return typer.Option("--json", callback=check_json_target, help=help_text)


def page_option(help: str) -> Any:
    """Return the option `--html`, which names a page. A file that cannot be written is refused before all else."""

    def check(file: Path | None) -> Path | None:
        if file is not None and not folder_url(file):  # URLs are refused as those of any other option
            check_file_target("--html", str(file))
        return file

    return typer.Option("--html", callback=check, help=help)


def seed_option(help: str) -> Any:
    """Return an option that takes a seed."""
    return typer.Option(min=0, max=MOST_SEED, help=help)


def jobs_option(help: str) -> Any:
    """Return an option that takes a number of processes."""
    return typer.Option(min=1, max=MOST_JOBS, help=help)


def _checked_shard(text: str) -> str:
    parse_shard(text)
    return text


class CommandOnSuites(TyperCommand):
    """A command whose help names suites. They are looked up when it is shown, as it takes time to import them."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help with the names of the suites."""
        self.name_suites()
        super().format_help(ctx, formatter)

    def places(self) -> Mapping[str, str]:
        """The names for each place in the help."""
        return _suite_names()

    def name_suites(self) -> None:
        """Fill the places for names in the help, also in that of each option."""
        helps: list[Any] = [self, *self.params]
        for place, names in self.places().items():
            for one in helps:
                if getattr(one, "help", None):
                    one.help = one.help.replace(f"{{{place}}}", names)


def _suite_names() -> dict[str, str]:
    """The names of the suites that can do a thing, by the place for them; of published rows and labels, their own."""
    from sealegs.suites.suite import Suite, suites, suites_with

    every = suites()
    found = {
        "graded": [*suites_with(Suite.grade)],
        "label_sets": [name for suite in every.values() for name in suite.label_sets],
        "judged_ahead": [name for name, suite in every.items() if suite.judged_ahead],
        "measured": [*suites_with(Suite.measure_detection)],
        "published": [suite.published.name for suite in every.values() if suite.published and suite.published.name],
        "reported_together": [name for name, suite in every.items() if suite.reported_together],
    }
    return {place: ", ".join([*names[:-2], " or ".join(names[-2:])]) for place, names in found.items()}


JUDGING_JOBS = jobs_option("Processes that judge a large run of {judged_ahead}; as many as there are cores by default.")
SHARD = typer.Option("--shard", callback=_checked_shard, help=SHARD_HELP)
