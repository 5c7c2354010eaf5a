"""`sealegs uninstall`: a server of an MCP client, without the proxy again."""

from __future__ import annotations

from typing import Annotated

import typer

from sealegs.cli.client_options import Config, DryRun, Scope, Server, client_of, show_change, whereabouts
from sealegs.cli.terminal import echo

EXAMPLES = """Examples:

    sealegs uninstall cursor --server shop
"""

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
def uninstall_proxy(
    client: Annotated[str, typer.Argument(help="claude-desktop, cursor, vscode or claude-code.")],
    server: Server,
    config: Config = None,
    scope: Scope = "",
    dry_run: DryRun = False,
) -> None:
    """Remove the proxy that `sealegs install` put before a server; other changes to the file stay."""
    from sealegs.adapters.client_configs.installing import found_server, make_change, unwrapped

    chosen, around = client_of(client), whereabouts()
    change = unwrapped(found_server(chosen, server, config, scope, around), around)
    if dry_run:
        show_change(change)
        return
    make_change(change, keep=False)
    echo(f"{server!r} in {change.place} starts {change.command_line} again")
    echo(chosen.afterwards)
