"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def interruptible(noun: str = "episode") -> Iterator[None]:
    """Ctrl-C ends the command with a word on what is kept, and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"stopped; every finished {noun} is kept, and the same command goes on with the rest", err=True)
        raise typer.Exit(130) from None


@contextmanager
def shown(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress while the block runs; it is told how many are done, and of how many."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task(what, total=None)

        def tell(done: int, total: int) -> None:
            bar.update(line, completed=done, total=total)

        yield tell
