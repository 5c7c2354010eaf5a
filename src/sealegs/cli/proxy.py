"""`sealegs proxy`: faults between any MCP client and any MCP server."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sealegs.faults.mistake import Mistake

if TYPE_CHECKING:
    from sealegs.faults.call import Layer
    from sealegs.faults.plan import Plan
    from sealegs.inject import Clock
    from sealegs.traces import Recorder


def proxy(
    command: Annotated[list[str] | None, typer.Argument(help="After `--`: the command that starts the server.")] = None,
    plan: Annotated[Path | None, typer.Option(help="The fault plan; without one all passes as it is.")] = None,
    recovery: Annotated[
        Path | None,
        typer.Option(help="A recovery plan: what is done about calls that fail, before the client sees it."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0, help="Seconds after which a call that a fault holds up is given up.")
    ] = None,
    url: Annotated[str, typer.Option(help="The server's address (streamable HTTP), in the place of a command.")] = "",
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any that is free.")] = 0,
    episode: Annotated[str, typer.Option(help="The episode's name: part of the key of every random decision.")] = "",
    records: Annotated[Path | None, typer.Option(help="Append the record of the episode to this file (JSONL).")] = None,
    events: Annotated[
        Path | None, typer.Option(help="Write each event to this file at once, over what it held.")
    ] = None,
) -> None:
    """Stand between an MCP client and a server, and put faults into the calls of its tools.

    With a COMMAND, a server over standard input and output, in the place of the command in a client's settings. With
    --url, one that listens on a port of this machine. All that is no call of a tool passes byte for byte.
    """
    from sealegs.adapters.mcp import Gate, relay, serve
    from sealegs.faults.reading import read_plan
    from sealegs.inject import RealClock
    from sealegs.inject.session import UNARMED
    from sealegs.traces.specs import TOOLS, spec_data

    if bool(command) == bool(url):
        given = "both are given" if url else "neither is given"
        raise Mistake(f"the server is either a command after `--` or an address under --url; {given}")
    chosen = UNARMED if plan is None else read_plan(plan)
    layers: list[Layer] = []
    if recovery is not None:
        from sealegs.recovery.plan import read_recovery_plan

        layers.append(read_recovery_plan(recovery).layer(seed=chosen.seed))
    clock = RealClock()
    with _recorded(records, events, chosen, episode, clock) as recorder:
        gc.freeze()  # what was loaded stays: looking through it again would hold a call up by milliseconds
        gate = Gate(chosen, episode=episode, layers=layers, clock=clock, timeout=timeout, watcher=recorder)
        try:
            if command:
                code = relay(command, gate)
            else:
                code = serve(url, gate, host, port, lambda address: typer.echo(f"listening on {address}"))
        finally:
            if recorder is not None and gate.specs:
                recorder.note({TOOLS: [spec_data(spec) for spec in gate.specs.values()]})
    raise typer.Exit(code)


@contextmanager
def _recorded(
    file: Path | None, live: Path | None, plan: Plan, episode: str, clock: Clock
) -> Iterator[Recorder | None]:
    """The recorder of the episode; None where none is wanted.

    Args:
        file: gets the whole record when the block is left.
        live: gets each event as it happens, which outlives a process that is killed.
    """
    if file is None and live is None:
        yield None
        return
    from sealegs.traces import Event, Recorder, Store, StoreError
    from sealegs.traces.store import line

    def at_once(event: Event) -> None:
        if stream is not None:
            stream.write(line(event).encode())

    store = stream = None
    try:
        stream = None if live is None else live.open("wb", buffering=0)
        store = None if file is None else Store(file)
    except (StoreError, OSError) as error:
        raise Mistake(f"cannot write {file if stream or live is None else live}: {error}; name another file") from error
    recorder = Recorder(clock, at_once)
    recorder.start(episode, {"adapter": "mcp", "plan": plan.as_data()})
    try:
        yield recorder
    except BaseException as error:
        recorder.finish("crashed", detail=str(error))
        raise
    else:
        recorder.finish("answered")
    finally:
        if store is not None:
            store.append(recorder.events)
            store.close()
        if stream is not None:
            stream.close()
