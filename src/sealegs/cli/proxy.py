"""`sealegs proxy`: faults between any MCP client and any MCP server, or between any HTTP client and any server."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sealegs.cli.terminal import echo
from sealegs.faults.user_error import UserError
from sealegs.traces.environment_names import EPISODE, LIVE, PLAN, TIMEOUT, records_file

if TYPE_CHECKING:
    from sealegs.faults.call import Layer
    from sealegs.faults.plan import Plan

TOKEN_VARIABLE = "SEALEGS_TOKEN"  # what the switch of a proxy asks for

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
    url: Annotated[str, typer.Option(help="The MCP server's address (streamable HTTP), in place of a command.")] = "",
    http: Annotated[
        str, typer.Option(help="The address of any HTTP server (https://api.example.com), in place of a command.")
    ] = "",
    openapi: Annotated[
        Path | None, typer.Option(help="With --http: the server's OpenAPI description; its operations become tools.")
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(help="With --http: a name for requests, as NAME='METHOD host/path' (`*` fits). May be repeated."),
    ] = None,
    control: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="With --http: the port of the switch on this machine; 0 for any."),
    ] = None,
    spans: Annotated[bool, typer.Option("--spans", help="With --http: make each call an OpenTelemetry span.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any that is free.")] = 0,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A further name by which clients may ask for the proxy. May be repeated.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="The origin of web pages that may ask; `*` for any. May be repeated."),
    ] = None,
    episode: Annotated[
        str, typer.Option(envvar=EPISODE, help="The episode's name: part of the key of every random decision.")
    ] = "",
    records: Annotated[Path | None, typer.Option(help="Append the record of the episode to this file (JSONL).")] = None,
    events: Annotated[
        Path | None, typer.Option(help="Write each event to this file at once, replacing its contents.")
    ] = None,
) -> None:
    """Stand between a client and a server, and put faults into the calls of its tools.

    With a COMMAND, an MCP server over standard input and output, in place of the command in a client's settings. With
    --url, an MCP server that listens on a port; with --http, any HTTP server, each request a call. Ctrl-C ends it. What
    is not a tool call passes byte for byte.
    """
    from sealegs.adapters.mcp import relay_http, run_pipe_relay
    from sealegs.adapters.mcp.gate_recording import recorded_gate
    from sealegs.adapters.mcp.pipe_relay import INTERRUPTED
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject.session import UNARMED

    _check_servers(command, url, http)
    if not http:
        _refuse_without_http(openapi=openapi, tool=tool, control=control, spans=spans)
    chosen = UNARMED if plan is None else read_plan(plan)
    if records is None and events is None:
        records = records_file()  # as `sealegs test` asks for it
        events = None if records is None else records.with_suffix(LIVE)
    layers = _recovery(recovery)
    hosts, origins = allow_host or (), allow_origin or ()
    if http:
        from sealegs.adapters.http_proxy import ProxySettings, proxy_http
        from sealegs.adapters.http_proxy.operations import NO_OPERATIONS, read_operations
        from sealegs.adapters.http_proxy.proxy_settings import named_patterns, origin_of

        upstream = origin_of(http)
        settings = ProxySettings(
            upstream,
            say=echo,
            warn=lambda line: echo(f"sealegs proxy: {line}", err=True),
            plan=chosen,
            plan_file=plan,
            layers=layers,
            episode=episode,
            timeout=timeout,
            records=records,
            events=events,
            spans=spans,
            tools=named_patterns(tool or ()),
            operations=NO_OPERATIONS if openapi is None else read_operations(openapi, upstream.partition("://")[2]),
            host=host,
            port=port,
            control=control,
            token=os.environ.get(TOKEN_VARIABLE, ""),
            hosts=hosts,
            origins=origins,
        )
        proxy_http(settings)
        echo("stopped; what was to be recorded is written", err=True)
        return
    above = layers(chosen)
    with recorded_gate(chosen, episode=episode, layers=above, timeout=timeout, records=records, events=events) as gate:
        if command:
            code = run_pipe_relay(command, gate)
        else:
            code = relay_http(url, gate, host, port, lambda at: echo(f"listening on {at}"), hosts, origins)
            echo("stopped; what was to be recorded is written", err=True)
    if code == INTERRUPTED:
        echo("stopped; the server was ended, and what was to be recorded is written", err=True)
    raise typer.Exit(code)


def _check_servers(command: list[str] | None, url: str, http: str) -> None:
    """Raise unless exactly one server is given."""
    given = [name for name, one in (("a command", command), ("--url", url), ("--http", http)) if one]
    if len(given) == 1:
        return
    said = {0: "neither is given", 2: "both are given", 3: "all three are given"}[len(given)]
    raise UserError(
        "the server is either a command after `--`, an MCP server's address under --url, or any server's under "
        f"--http; {said}{': ' if given else ''}{' and '.join(given)}"
    )


def _refuse_without_http(**given: object) -> None:
    """Raise where an option is given that says something of --http alone."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise UserError(f"--{name} belongs to --http; leave it out, or give the server's address under --http")


def _recovery(file: Path | None) -> Callable[[Plan], Sequence[Layer]]:
    """What makes the layers of recovery for a plan; none without a file."""
    if file is None:
        return lambda plan: ()
    from sealegs.recovery.recovery_plan import read_recovery_plan

    recovery = read_recovery_plan(file)
    return lambda plan: (recovery.layer(seed=plan.seed),)
