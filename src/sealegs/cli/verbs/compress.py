"""`sealegs compress RUN...`: records of finished runs in a tenth of their room."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.terminal import echo

app = typer.Typer(add_completion=False)


@app.command()
def compress_command(
    runs: Annotated[list[Path], typer.Argument(help="The folders of finished runs.")],
) -> None:
    """Compress the records of finished runs; whatever reads a run reads them as before.

    episodes.jsonl.gz takes the place of episodes.jsonl once it was read back and compared. Nothing can be appended to
    it; gunzip restores the plain file. The same command resumes where it was stopped.
    """
    from sealegs.engines.compressing import compress_runs

    for one in compress_runs(runs):
        echo(one.sentence())
