"""`sealegs proxy`: faults between any MCP client and any MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sealegs.faults.user_error import UserError
from sealegs.traces.environment_names import EPISODE, LIVE, PLAN, TIMEOUT, records_file

if TYPE_CHECKING:
    from sealegs.faults.call import Layer

app = typer.Typer(add_completion=False)


@app.command()
def proxy(
    command: Annotated[list[str] | None, typer.Argument(help="After `--`: the command that starts the server.")] = None,
    plan: Annotated[
        Path | None, typer.Option(envvar=PLAN, help="The fault plan; without one everything passes unchanged.")
    ] = None,
    recovery: Annotated[
        Path | None,
        typer.Option(help="A recovery plan: what is done about failing calls before the client sees them."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(envvar=TIMEOUT, min=0, help="Seconds after which a call that a fault holds up is given up."),
    ] = None,
    url: Annotated[str, typer.Option(help="The server's address (streamable HTTP), in place of a command.")] = "",
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any that is free.")] = 0,
    episode: Annotated[
        str, typer.Option(envvar=EPISODE, help="The episode's name: part of the key of every random decision.")
    ] = "",
    records: Annotated[Path | None, typer.Option(help="Append the record of the episode to this file (JSONL).")] = None,
    events: Annotated[
        Path | None, typer.Option(help="Write each event to this file at once, replacing its contents.")
    ] = None,
) -> None:
    """Stand between an MCP client and a server, and put faults into the calls of its tools.

    With a COMMAND, a server over standard input and output, in place of the command in a client's settings. With --url,
    one that listens on a port of this machine. Ctrl-C ends it. Everything that is not a tool call passes byte for byte.
    """
    from sealegs.adapters.mcp import relay_http, run_pipe_relay
    from sealegs.adapters.mcp.gate_recording import recorded_gate
    from sealegs.adapters.mcp.pipe_relay import INTERRUPTED
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject.session import UNARMED

    if bool(command) == bool(url):
        given = "both are given" if url else "neither is given"
        raise UserError(f"the server is either a command after `--` or an address under --url; {given}")
    chosen = UNARMED if plan is None else read_plan(plan)
    if records is None and events is None:
        records = records_file()  # as `sealegs test` asks for it
        events = None if records is None else records.with_suffix(LIVE)
    layers: list[Layer] = []
    if recovery is not None:
        from sealegs.recovery.recovery_plan import read_recovery_plan

        layers.append(read_recovery_plan(recovery).layer(seed=chosen.seed))
    with recorded_gate(chosen, episode=episode, layers=layers, timeout=timeout, records=records, events=events) as gate:
        if command:
            code = run_pipe_relay(command, gate)
        else:
            code = relay_http(url, gate, host, port, lambda address: typer.echo(f"listening on {address}"))
            typer.echo("stopped; what was to be recorded is written", err=True)
    if code == INTERRUPTED:
        typer.echo("stopped; the server was ended, and what was to be recorded is written", err=True)
    raise typer.Exit(code)
