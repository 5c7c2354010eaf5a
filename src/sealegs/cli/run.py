"""`sealegs run SUITE`: put an agent or a model on a suite's tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.printing import console, tables, write_rows
from sealegs.cli.progress import interruptible, shown


def run(
    suite: Annotated[str, typer.Argument(help="The suite: maze.")],
    agent: Annotated[str, typer.Option(help="A scripted agent: oracle, planner, retrier or naive.")] = "",
    model: Annotated[str, typer.Option(help="A model as Inspect names it: openai/gpt-5, hf/local, ...")] = "",
    levels: Annotated[str, typer.Option(help="Levels, with commas.")] = "C1,C2,C3,C4",
    modes: Annotated[str, typer.Option(help="Modes, with commas.")] = "NP,P1,P2,P3,P4",
    prompt: Annotated[str, typer.Option(help="standard or failure-aware.")] = "standard",
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many base tasks of each level.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How many times each episode is run.")] = 1,
    seed: Annotated[int, typer.Option(help="Decides victims and faults.")] = 0,
    max_steps: Annotated[int, typer.Option(min=1, help="Steps until an episode is cut off.")] = 25,
    plan: Annotated[Path | None, typer.Option(help="A fault plan of your own instead of the modes.")] = None,
    tasks: Annotated[Path | None, typer.Option(help="A folder of tasks in the place of those that ship.")] = None,
    recovery: Annotated[str, typer.Option(help="off, or active: the recovery layer stands on the seam.")] = "off",
    engine: Annotated[str, typer.Option(help="auto, inspect, or for scripted agents direct, langchain, mcp.")] = "auto",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes of the direct engine; all cores by default.")
    ] = None,
    logs: Annotated[Path | None, typer.Option(help="The run's folder; named after the run by default.")] = None,
    json: Annotated[str, typer.Option(help="Write the long table to this file, or - for standard output.")] = "",
) -> None:
    """Put an agent or a model on a suite's tasks, and say how well it kept its footing.

    The same command goes on where a stopped one left off.
    """
    from sealegs.suites.maze.choosing import settings
    from sealegs.suites.maze.logs import read_run
    from sealegs.suites.maze.running import run_scripted

    chosen = settings(
        suite, agent, model, levels, modes, prompt, limit, epochs, seed, max_steps, engine, plan, tasks, recovery
    )
    folder = logs or Path("sealegs-logs") / chosen.name
    if chosen.engine != "inspect":
        with shown(f"{chosen.agent} on {suite}") as progress, interruptible():
            run_scripted(chosen, folder, progress, jobs)
    else:
        from sealegs.suites.maze.inspect_run import run_inspect

        run_inspect(chosen, folder)
    found = read_run(folder)
    results = found.results()
    rows = tables(found.who, results, found.warnings, quiet=json == "-")
    write_rows(rows, json)
    if json != "-":
        console.print(f"Records in {folder}. `sealegs report {folder}` makes a page of them.", highlight=False)
