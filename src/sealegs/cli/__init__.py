"""The command `sealegs`: one file a verb, no logic.

A user's mistake is one message on standard error and exit code 2; nothing is half written.
"""

from __future__ import annotations

import errno
import sys
from typing import NoReturn

import typer
from rich.console import Console

from sealegs import __version__
from sealegs.cli import (
    bank,
    campaign,
    data,
    detect,
    diagnose,
    grade,
    highwater,
    hunt,
    maze,
    plan,
    proxy,
    replay,
    report,
    run,
    sandbox,
    serve_script,
    train,
    world,
)
from sealegs.faults.user_error import UserError

MOST = 40  # lines of a message
# A full disk, or a folder that is not ours: what a user can mend, wherever it shows.
OF_THE_PLACE = {errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.ENOSPC, errno.EPERM, errno.EROFS}
app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
app.add_typer(bank.app, name="bank")
app.add_typer(campaign.app, name="campaign")
app.add_typer(data.app, name="data")
app.add_typer(detect.app, name="detect")
app.add_typer(grade.app, name="grade")
app.add_typer(highwater.app, name="highwater")
app.add_typer(maze.app, name="maze")
app.add_typer(plan.app, name="plan")
app.add_typer(run.app, name="run")
app.add_typer(sandbox.app, name="sandbox")
app.add_typer(world.app, name="world")
app.command("diagnose")(diagnose.diagnose)
app.command("hunt")(hunt.hunt_command)
app.command("proxy")(proxy.proxy)
app.command("replay")(replay.replay_command)
app.command("report")(report.report_command)
app.command("serve-script")(serve_script.serve_script)
app.command("train")(train.train_command)


@app.callback(invoke_without_command=True)
def sealegs(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """Does your agent keep its footing when its tools fail? Measure it, and find where it falls."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command; a mistake of the user's ends with its message and exit code 2."""
    try:
        app(standalone_mode=True)
    except UserError as error:
        _end(str(error))
    except OSError as error:
        if error.errno not in OF_THE_PLACE:
            raise
        where = f" {error.filename}" if error.filename else ""
        _end(f"cannot use{where}: {error.strerror}; make room, or name another place (what was finished is kept)")


def _end(message: str) -> NoReturn:
    """Tell a mistake, the first lines of it where it is long, and stop."""
    lines = message.split("\n")
    more = [f"... and {len(lines) - MOST:,} lines more"] if len(lines) > MOST + 1 else []
    told = "\n".join([*(lines[:MOST] if more else lines), *more])
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(f"sealegs: {told}")
    sys.exit(2)
