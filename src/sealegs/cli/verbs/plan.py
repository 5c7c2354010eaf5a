"""`sealegs plan`: look at fault plans before they are used, and make them from what was seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import json_option
from sealegs.cli.target_files import check_different, write_target
from sealegs.cli.terminal import echo

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Check fault plans, print their schema, fit one to production traces.",
)


@app.command("check")
def check_plan_file(
    file: Annotated[Path, typer.Argument(help="A plan in YAML or JSON.")],
    tools: Annotated[str, typer.Option(help="Tools, as module:name of a list of them, or a module's own.")] = "",
) -> None:
    """Report everything that is wrong with a plan, or say that it is sound and print its digest.

    With --tools, also say which rules can never be delivered on which tools, and why; the exit code is 2 if a rule can
    be delivered on none of them.
    """
    from sealegs.faults.misfires import misfires
    from sealegs.faults.plan_files import read_plan

    plan = read_plan(file)
    found = []
    if tools:
        from sealegs.adapters.python.tool_listing import listed_tools

        found = misfires(plan, listed_tools(tools))
    echo(f"{file}: sound, {len(plan.rules)} rule(s), digest {plan.digest()[:16]}")
    for one in found:
        echo(str(one))
    if any(not one.tool for one in found):
        raise typer.Exit(2)


@app.command("schema")
def print_plan_schema() -> None:
    """Print the JSON Schema of plans, for editors."""
    from sealegs.faults.plan import plan_schema

    echo(json.dumps(plan_schema(), indent=2))


@app.command("from-traces")
def from_traces(
    files: Annotated[list[Path], typer.Argument(help="OTLP JSON with spans of tools, or records (*.jsonl, *.eval).")],
    out: Annotated[Path | None, typer.Option(help="Where to write the plan; standard output by default.")] = None,
    name: Annotated[str, typer.Option(help="The plan's name.")] = "from traces",
    least: Annotated[int, typer.Option(min=1, help="How often an error must occur to get its own rule.")] = 1,
    latency: Annotated[bool, typer.Option(help="Delay answers as they were delayed in the traces.")] = True,
    shown: Annotated[bool, typer.Option("--shown", help="Count what agents were shown, injected faults too.")] = False,
    table: Annotated[str, json_option("what was seen")] = "",
) -> None:
    """Fit a plan to failures in production: error classes, rates, runs and latencies of each tool."""
    from sealegs.reports.failure_tables import failure_rows, print_failures
    from sealegs.traces.fitted import fitted_plan
    from sealegs.traces.fitting import fit_tools
    from sealegs.traces.sources import read_traces

    check_different({"--out": out, "--json": table})
    notes: list[str] = []
    traces = read_traces(files, notes)
    found = fit_tools(traces, shown)
    plan = fitted_plan(found, name, least=least, latency=latency)
    for note in notes:
        errors.print(f"note: {note}")
    if out is not None:
        write_target(out, plan.to_yaml())
    write_table_rows(failure_rows(found), table, {"traces": len(traces), "plan": plan.as_data()})
    print_failures(found, errors if out is None or table == "-" else console)
    if out is not None:
        errors.print(f"The plan, {len(plan.rules)} rule(s), is in {out}.", markup=False)
    elif table != "-":
        echo(plan.to_yaml(), nl=False)
