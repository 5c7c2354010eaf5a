"""`sealegs wave`: wave."""

from __future__ import annotations

import typer

app = typer.Typer(add_completion=False)


@app.command()
def wave() -> None:
    """Wave."""
    typer.echo("ahoy")
