"""`sealegs plan`: look at fault plans before they are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Check fault plans, and print their schema.")


@app.command()
def check(file: Annotated[Path, typer.Argument(help="A plan in YAML or JSON.")]) -> None:
    """Say what is wrong with a plan, all of it at once; or that it is sound, and its digest."""
    from sealegs.faults.reading import read_plan

    plan = read_plan(file)
    typer.echo(f"{file}: sound, {len(plan.rules)} rule(s), digest {plan.digest()[:16]}")


@app.command()
def schema() -> None:
    """Print the JSON Schema of plans, for editors."""
    from sealegs.faults.plan import plan_schema

    typer.echo(json.dumps(plan_schema(), indent=2))
