"""Options, client and display of a change that `install` and `uninstall` have in common."""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sealegs.cli.terminal import echo
from sealegs.faults.user_error import UserError

if TYPE_CHECKING:
    from sealegs.adapters.client_configs.config_places import ClientEnvironment, McpClient
    from sealegs.adapters.client_configs.installing import ConfigChange

Server = Annotated[str, typer.Option(help="The server's name in the client's configuration.")]
Config = Annotated[Path | None, typer.Option(help="The client's configuration file, where it is not in a usual place.")]
Scope = Annotated[
    str, typer.Option(help="Look only in this place: project, user or local (Claude Code's own for one project).")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would change, and write nothing.")]


def client_of(name: str) -> McpClient:
    """The client of this name.

    Raises:
        UserError: there is none.
    """
    from sealegs.adapters.client_configs.config_places import CLIENTS

    if name not in CLIENTS:
        raise UserError(f"unknown client {name!r}; choose from {', '.join(CLIENTS)}")
    return CLIENTS[name]


def whereabouts() -> ClientEnvironment:
    """Those of this process."""
    from sealegs.adapters.client_configs.config_places import ClientEnvironment

    return ClientEnvironment(Path.cwd(), Path.home(), os.environ, sys.platform)


def show_change(change: ConfigChange) -> None:
    """Print the difference that a change makes, as `diff -u` would."""
    name = str(change.place.file)
    lines = difflib.unified_diff(
        change.before.splitlines(), change.after.splitlines(), name, f"{name} (changed)", lineterm=""
    )
    echo("\n".join(lines))
