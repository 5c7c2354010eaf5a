"""`sealegs proxy`: faults between any MCP client and any MCP server, or between any HTTP client and any server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sealegs.cli.terminal import echo
from sealegs.faults.user_error import UserError
from sealegs.traces.environment_names import EPISODE, LIVE, PLAN, TIMEOUT, records_file

if TYPE_CHECKING:
    from sealegs.adapters.mcp import Gate
    from sealegs.faults.call import Layer
    from sealegs.faults.plan import Plan

PLUGINS = "PYDANTIC_DISABLE_PLUGINS"  # the variable that pydantic reads
TOKEN_VARIABLE = "SEALEGS_TOKEN"  # what the switch of a proxy asks for

COMMAND = typer.Argument(help="After `--`: the command that starts the server.")
FAULTS = typer.Option(envvar=PLAN, help="The fault plan; without one everything passes unchanged.")
RECOVERY = typer.Option(help="A recovery plan: what is done about failing calls before the client sees them.")
CALL_TIMEOUT = typer.Option(envvar=TIMEOUT, min=0, help="Seconds after which a call that a fault delays is given up.")
URL = typer.Option(help="The MCP server's address (streamable HTTP), in place of a command.")
HTTP = typer.Option(help="The address of any HTTP server (https://api.example.com), in place of a command.")
OPENAPI = typer.Option(help="With --http: the server's OpenAPI description; its operations become tools.")
TOOL = typer.Option(help="With --http: a name for requests, as NAME='METHOD host/path' (`*` fits). Repeatable.")
CONTROL = typer.Option(min=0, max=65535, help="With --http: the port of the switch on this machine; 0 for any.")
SPANS = typer.Option("--spans", help="With --http: make each call an OpenTelemetry span.")
HOST = typer.Option(help="The address to listen on.")
PORT = typer.Option(min=0, max=65535, help="The port to listen on; 0 for any that is free.")
ALLOW_HOST = typer.Option(help="A further name by which clients may ask for the proxy. Repeatable.")
ALLOW_ORIGIN = typer.Option(help="The origin of web pages that may ask; `*` for any. Repeatable.")
NAME = typer.Option(envvar=EPISODE, help="The episode's name: part of the key of every random decision.")
RECORDS = typer.Option(help="Append the record of the episode to this file (JSONL).")
EVENTS = typer.Option(help="Write each event to this file at once, replacing its contents.")

app = typer.Typer(add_completion=False)


@app.command()
def proxy(
    command: Annotated[list[str] | None, COMMAND] = None,
    plan: Annotated[Path | None, FAULTS] = None,
    recovery: Annotated[Path | None, RECOVERY] = None,
    timeout: Annotated[float | None, CALL_TIMEOUT] = None,
    url: Annotated[str, URL] = "",
    http: Annotated[str, HTTP] = "",
    openapi: Annotated[Path | None, OPENAPI] = None,
    tool: Annotated[list[str] | None, TOOL] = None,
    control: Annotated[int | None, CONTROL] = None,
    spans: Annotated[bool, SPANS] = False,
    host: Annotated[str, HOST] = "127.0.0.1",
    port: Annotated[int, PORT] = 0,
    allow_host: Annotated[list[str] | None, ALLOW_HOST] = None,
    allow_origin: Annotated[list[str] | None, ALLOW_ORIGIN] = None,
    episode: Annotated[str, NAME] = "",
    records: Annotated[Path | None, RECORDS] = None,
    events: Annotated[Path | None, EVENTS] = None,
) -> None:
    """Stand between a client and a server, and put faults into the calls of its tools.

    With a COMMAND, an MCP server over standard input and output, in place of the command in a client's settings. With
    --url, an MCP server that listens on a port; with --http, any HTTP server, each request a call. Ctrl-C ends it. What
    is not a tool call passes byte for byte.
    """
    _check_servers(command, url, http)
    if records is not None and events is not None:
        from sealegs.cli.target_files import check_different

        check_different({"--records": records, "--events": events})
    if not http:
        _refuse_without_http(openapi=openapi, tool=tool, control=control, spans=spans)
    with _no_plugins():
        chosen, layers = _chosen(plan), _recovery(recovery)
    if records is None and events is None:
        records = records_file()  # as `sealegs test` asks for it
        events = None if records is None else records.with_suffix(LIVE)
    run = _ProxyRun(chosen, layers, episode, timeout, records, events)
    listener = _Listener(host, port, allow_host or (), allow_origin or ())
    if http:
        _proxy_any_server(run, listener, http, openapi, tool or (), control=control, plan_file=plan, spans=spans)
    else:
        raise typer.Exit(_proxy_mcp_server(run, listener, command or [], url))


class _ProxyRun(NamedTuple):
    """The plan and the recovery layers for calls, and the places where calls are recorded."""

    plan: Plan
    layers: Callable[[Plan], Sequence[Layer]]
    episode: str
    timeout: float | None
    records: Path | None
    events: Path | None


class _Listener(NamedTuple):
    """The address at which clients reach the proxy, and the host names and web origins that they may use."""

    host: str
    port: int
    hosts: Sequence[str]
    origins: Sequence[str]


def _proxy_any_server(
    run: _ProxyRun,
    listener: _Listener,
    http: str,
    openapi: Path | None,
    tools: Sequence[str],
    *,
    control: int | None,
    plan_file: Path | None,
    spans: bool,
) -> None:
    """Relay each request as a call of a tool until the proxy is stopped."""
    from sealegs.adapters.http_proxy import ProxySettings, proxy_http
    from sealegs.adapters.http_proxy.operations import NO_OPERATIONS, read_operations
    from sealegs.adapters.http_proxy.proxy_settings import named_patterns, origin_of

    upstream = origin_of(http)
    settings = ProxySettings(
        upstream,
        say=echo,
        warn=lambda line: echo(f"sealegs proxy: {line}", err=True),
        plan=run.plan,
        plan_file=plan_file,
        layers=run.layers,
        episode=run.episode,
        timeout=run.timeout,
        records=run.records,
        events=run.events,
        spans=spans,
        tools=named_patterns(tools),
        operations=NO_OPERATIONS if openapi is None else read_operations(openapi, upstream.partition("://")[2]),
        host=listener.host,
        port=listener.port,
        control=control,
        token=os.environ.get(TOKEN_VARIABLE, ""),
        hosts=listener.hosts,
        origins=listener.origins,
    )
    proxy_http(settings)
    echo("stopped; what was to be recorded is written", err=True)


def _proxy_mcp_server(run: _ProxyRun, listener: _Listener, command: list[str], url: str) -> int:
    """Relay an MCP server until it or the proxy is stopped, and return the exit code."""
    from sealegs.adapters.mcp.gate_recording import recorded_gate

    with recorded_gate(
        run.plan,
        episode=run.episode,
        layers=run.layers(run.plan),
        timeout=run.timeout,
        records=run.records,
        events=run.events,
    ) as gate:
        code, stopped = _over_pipes(command, gate) if command else _over_http(url, gate, listener)
    if stopped:
        echo(stopped, err=True)
    return code


def _over_pipes(command: list[str], gate: Gate) -> tuple[int, str]:
    """Relay over pipes; the exit code, and what there is to say once the record is written."""
    from sealegs.adapters.mcp.pipe_relay import INTERRUPTED, run_pipe_relay

    code = run_pipe_relay(command, gate)
    stopped = "stopped; the server was ended, and what was to be recorded is written"
    return code, stopped if code == INTERRUPTED else ""


def _over_http(url: str, gate: Gate, listener: _Listener) -> tuple[int, str]:
    """The same over HTTP."""
    from sealegs.adapters.mcp import relay_http

    host, port, hosts, origins = listener
    code = relay_http(url, gate, host, port, lambda at: echo(f"listening on {at}"), hosts, origins)
    return code, "stopped; what was to be recorded is written"


def _check_servers(command: list[str] | None, url: str, http: str) -> None:
    """Raise unless exactly one server is given."""
    given = [name for name, one in (("a command", command), ("--url", url), ("--http", http)) if one]
    if len(given) == 1:
        return
    counted = {0: "neither is given", 2: "both are given", 3: "all three are given"}[len(given)]
    raise UserError(
        "the server is either a command after `--`, an MCP server's address under --url, or any server's under "
        f"--http; {counted}{': ' if given else ''}{' and '.join(given)}"
    )


def _refuse_without_http(**given: object) -> None:
    """Raise where an option is given that says something of --http alone."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise UserError(f"--{name} belongs to --http; leave it out, or give the server's address under --http")


@contextmanager
def _no_plugins() -> Iterator[None]:
    """Build models without pydantic's plugins. To look for them is to read what every installed package declares."""
    before = os.environ.get(PLUGINS)
    os.environ[PLUGINS] = "__all__"
    try:
        yield
    finally:
        del os.environ[PLUGINS]
        if before is not None:
            os.environ[PLUGINS] = before


def _chosen(file: Path | None) -> Plan:
    """The plan of a file; one without rules where there is none."""
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject.session import UNARMED

    return UNARMED if file is None else read_plan(file)


def _recovery(file: Path | None) -> Callable[[Plan], Sequence[Layer]]:
    """The function that makes the layers of recovery for a plan; without a file it makes none."""
    if file is None:
        return lambda plan: ()
    from sealegs.recovery.recovery_plan import read_recovery_plan

    recovery = read_recovery_plan(file)
    return lambda plan: (recovery.layer(seed=plan.seed),)
