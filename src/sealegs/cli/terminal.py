"""Plain lines on the terminal: every sign of them can be seen, whoever wrote the text.

All that the verbs print goes through here or through `consoles`.
"""

from __future__ import annotations

import traceback

import typer

from sealegs.faults.visible_text import visible


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print a text as it is, but for signs that nobody would see."""
    typer.echo(visible(text), nl=nl, err=err)


def echo_traceback() -> None:
    """Print the traceback of the exception that is handled."""
    echo(traceback.format_exc().rstrip("\n"), err=True)
