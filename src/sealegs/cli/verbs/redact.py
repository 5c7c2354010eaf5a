"""`sealegs redact`: a copy of an Inspect log that can be shown to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import errors
from sealegs.cli.terminal import echo

app = typer.Typer(add_completion=False)


@app.command()
def redact_command(
    log: Annotated[Path, typer.Argument(help="A log of Inspect, NAME.eval.")],
    out: Annotated[Path | None, typer.Option(help="The copy; NAME.redacted.eval beside the log by default.")] = None,
) -> None:
    """Write a copy of an Inspect log without what looks like a secret, by the rules of records.

    The log itself stays as it is. SEALEGS_REDACT_NAMES names further fields. Read the copy before you publish it.
    """
    from sealegs.traces.redacted_logs import write_redacted_log

    target = out or log.with_name(f"{log.stem}.redacted{log.suffix}")
    for warning in write_redacted_log(log, target):
        errors.print(f"note: {warning}", markup=False)
    echo(f"Written to {target}.")
