"""`sealegs replay TRACE`: a recorded episode once more, under other faults."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import json_option
from sealegs.cli.target_files import check_different

if TYPE_CHECKING:
    from sealegs.traces.trace_replay import ReplayResult

TRACE = typer.Argument(help="Records (*.jsonl, *.eval), or OTLP JSON with arguments and results in it.")
PLAN = typer.Option(help="The new faults; none by default.")
AGENT = typer.Option(help="module:function, called with the session; by default the recorded calls are made again.")
EPISODE = typer.Option(help="Only this episode of the file.")
IGNORE = typer.Option(help="Arguments that are ignored when calls are compared, separated by commas.")
TIMEOUT = typer.Option(min=0, help="Seconds of waiting until a call is given up.")
LATENCY = typer.Option(help="Whether answers take as long as they did in the recording.")
WORLD = typer.Option(help="The tools: `sealegs` for those that ship, or a Python file of simulated tools.")
CLOCK = typer.Option(help="virtual: injected waits cost no time; real: they do.")
RECORDS = typer.Option(help="Append the replay's records to this file (JSONL).")
JSON = json_option("a row for each call")

app = typer.Typer(add_completion=False)


@app.command()
def replay_command(
    trace: Annotated[Path, TRACE],
    plan: Annotated[Path | None, PLAN] = None,
    agent: Annotated[str, AGENT] = "",
    episode: Annotated[str, EPISODE] = "",
    ignore: Annotated[str, IGNORE] = "",
    timeout: Annotated[float, TIMEOUT] = 60.0,
    latency: Annotated[bool, LATENCY] = True,
    world: Annotated[str, WORLD] = "",
    clock: Annotated[Literal["virtual", "real"], CLOCK] = "virtual",
    records: Annotated[Path | None, RECORDS] = None,
    json: Annotated[str, JSON] = "",
) -> None:
    """Serve a recorded episode's tool results again with new faults, and say which calls had no record.

    The exit code is 1 if the agent crashed or hung.
    """
    from sealegs.faults.naming import import_callable
    from sealegs.faults.plan_files import read_plan
    from sealegs.inject import RealClock
    from sealegs.inject.session import UNARMED
    from sealegs.scenarios import known_tools
    from sealegs.traces.atomic_files import check_appendable
    from sealegs.traces.sources import episodes_to_replay
    from sealegs.traces.trace_replay import recorded_calls, replay_trace

    check_different({"--records": records, "--json": json})
    if records is not None:
        check_appendable(records, "name another file with --records")
    notes: list[str] = []
    faults = read_plan(plan) if plan is not None else UNARMED
    plays = import_callable(agent) if agent else recorded_calls
    ignored = [name.strip() for name in ignore.split(",") if name.strip()]
    corpus = known_tools.named_corpus(world)
    found = []
    for one in episodes_to_replay(trace, episode, notes):
        tools = known_tools.tools_of_trace(one, corpus)
        replayed = replay_trace(
            one,
            faults,
            plays,
            clock=RealClock() if clock == "real" else None,
            timeout=timeout,
            ignore=ignored,
            latency="recorded" if latency else "none",
            specs=tools.specs,
            other=tools.other,
        )
        found.append(replayed)
    _show(found, notes, records, json)
    raise typer.Exit(1 if any(one.record.end.reason in ("crashed", "hung") for one in found) else 0)


def _show(found: list[ReplayResult], notes: list[str], records: Path | None, json: str) -> None:
    """Print the replays and what there is to note, and write the files that are wanted."""
    from sealegs.reports.replays import print_replays, replay_rows
    from sealegs.traces.sources import write_events

    for note in notes:
        errors.print(f"note: {note}")
    if records is not None:
        write_events(records, [one.events for one in found])
    write_table_rows(replay_rows(found), json)
    if json != "-":
        print_replays(found, console)
