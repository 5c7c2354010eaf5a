"""`sealegs wave`: wave."""

from __future__ import annotations

import typer


def wave() -> None:
    """Wave."""
    typer.echo("ahoy")
