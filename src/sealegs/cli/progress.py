"""Progress on standard error: a bar on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sealegs.cli.consoles import VisibleConsole
from sealegs.cli.terminal import echo

LINES = 4  # plain lines until all is done: a log shall show that something moves, and stay short


@contextmanager
def interruptible(noun: str = "episode") -> Iterator[None]:
    """Ctrl-C ends the command with a word on what is kept, and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        echo(f"stopped; every finished {noun} is kept, and the same command resumes the run", err=True)
        raise typer.Exit(130) from None


@contextmanager
def show_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress while the block runs; call what it gives with how many are done, and of how many."""
    console = VisibleConsole(stderr=True)
    if not console.is_terminal:
        yield _lines(what)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        line = bar.add_task(what, total=None)

        def report(done: int, total: int) -> None:
            bar.update(line, completed=done, total=total)

        yield report


class TerminalView:
    """The view of a suite while it plays, on standard error.

    Args:
        noun: what is kept when one of them is finished.
    """

    def __init__(self, noun: str = "episode") -> None:
        self._noun = noun

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """Show progress; Ctrl-C ends the command with a word on what is kept."""
        with show_progress(label) as progress, interruptible(self._noun):
            yield progress

    def note(self, message: str) -> None:
        """Print a note that is not a result."""
        echo(f"note: {message}", err=True)


def _lines(what: str) -> Callable[[int, int], None]:
    """Print a line each time that another part of the whole is done, not counting what was done before."""
    seen: int | None = None

    def report(done: int, total: int) -> None:
        nonlocal seen
        part = LINES * done // total if total else 0
        if seen is not None and part > seen:
            echo(f"{what}: {done:,} of {total:,}", err=True)
        seen = part if seen is None else max(seen, part)

    return report
