"""`sealegs install`: a server of an MCP client, behind the proxy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.client_options import Config, DryRun, Scope, Server, client_of, show_change, whereabouts
from sealegs.cli.terminal import echo

EXAMPLES = """Examples:

    sealegs install cursor --server shop --plan plan.yaml

    sealegs install claude-code --server shop --plan plan.yaml --scope project --dry-run
"""

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
def install_proxy(
    client: Annotated[str, typer.Argument(help="claude-desktop, cursor, vscode or claude-code.")],
    server: Server,
    plan: Annotated[Path, typer.Option(help="The fault plan.")],
    recovery: Annotated[Path | None, typer.Option(help="A recovery plan, for `sealegs proxy --recovery`.")] = None,
    records: Annotated[
        Path | None, typer.Option(help="The file that records are appended to; one for each server.")
    ] = None,
    config: Config = None,
    scope: Scope = "",
    uvx: Annotated[
        bool, typer.Option("--uvx", help="Let the client start Sealegs by uvx, which downloads it where it is missing.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Put `sealegs proxy` before a server that an MCP client is configured to start.

    Only the entry's command and arguments change; comments and layout of the file stay. `sealegs uninstall` undoes it.
    """
    from sealegs.adapters.client_configs.installing import found_server, make_change, on_path, sealegs_command, wrapped
    from sealegs.faults.plan_files import read_plan
    from sealegs.recovery.recovery_plan import read_recovery_plan
    from sealegs.traces.atomic_files import check_appendable

    chosen, around = client_of(client), whereabouts()
    # Read for their mistakes: a client only says that a server did not start.
    read_plan(plan)
    if recovery is not None:
        read_recovery_plan(recovery)
    if records is not None:
        check_appendable(records.absolute(), "name another file")
    options = {"--plan": plan, "--recovery": recovery, "--records": records}
    # In full, since the client starts the server in a folder of its own choice.
    given = [word for name, file in options.items() if file is not None for word in (name, str(file.absolute()))]
    found = found_server(chosen, server, config, scope, around)
    change = wrapped(found, [*sealegs_command(uvx), "proxy", *given], around)
    if dry_run:
        show_change(change)
        return
    make_change(change, keep=True)
    echo(f"{server!r} in {change.place} now starts {change.command_line}")
    echo(f"the file as it was: {change.backup}")
    if uvx and not on_path("uvx"):
        echo("there is no uvx on this machine yet; install uv", err=True)
    echo(f"{chosen.afterwards}; undo: sealegs uninstall {client} --server {server}")
