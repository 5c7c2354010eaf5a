"""Output of a verb whose result is a verdict on an agent: a page, JUnit, JSON, tables, one line; and its options."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Protocol

import typer
from rich.console import Console

from sealegs.cli.consoles import console
from sealegs.cli.output import write_data
from sealegs.cli.target_files import check_different, write_target
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import check_appendable

HTML = typer.Option(help="Where to write the page; in the folder by default.")
JUNIT = typer.Option(help="Write the runs to this file as JUnit XML.")
SPECS = typer.Option(help="ToolSpecs of the tools as module:name.")


class VerdictReport(Protocol):
    """A verdict with what it rests on."""

    @property
    def summary(self) -> str:
        """The verdict in one line."""

    def page(self) -> str:
        """The report as HTML."""

    def junit(self) -> str:
        """The runs as JUnit XML."""

    def data(self) -> dict[str, Any]:
        """The verdict and the rows as JSON."""

    def show(self, console: Console) -> None:
        """Print the tables."""


def check_targets(html: Path | None, junit: Path | None, json: str, folder: Path) -> None:
    """Refuse a file that cannot be written before a run is paid for.

    Args:
        html, junit, json: what the options name.
        folder: of the run, where the page is written by default.

    Raises:
        UserError: a file cannot be written, two options name one, or what pages are made with is not installed.
    """
    if html is not None and not _with_pages():
        raise UserError('the page needs jinja2; run: pip install "sealegs[report]", or leave --html out')
    for target in (html, junit):
        if target is not None:
            check_appendable(target, "name another file")
    check_different({"--html": html or folder / "report.html", "--junit": junit, "--json": json})


def write_verdict(found: VerdictReport, page: Path, junit: Path | None, json: str) -> None:
    """Write the requested files, and print the tables with the verdict in the last line."""
    if junit is not None:
        write_target(junit, found.junit())
    if _with_pages():
        write_target(page, found.page())
    write_data(found.data(), json)
    if json != "-":
        found.show(console)
        where = f"Page: {page}" if _with_pages() else 'No page: pip install "sealegs[report]" makes one'
        console.print(where, highlight=False, markup=False, soft_wrap=True)
        console.print(found.summary, highlight=False, markup=False, soft_wrap=True)


def _with_pages() -> bool:
    """Return whether what pages are made with is installed."""
    return importlib.util.find_spec("jinja2") is not None
