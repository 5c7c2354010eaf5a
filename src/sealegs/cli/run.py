"""`sealegs run SUITE`: put an agent or a model on a suite's tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sealegs.cli.printing import console, errors, plan_b_tables, recovery_tables, tables, write_rows
from sealegs.cli.progress import interruptible, shown
from sealegs.faults.mistake import Mistake

MAZE, HIGHWATER, PALADIN = "Of maze", "Of highwater", "Of paladin"
NEXT = (
    'Next, your own agent: README.md shows it under "Test your own agent"; docs/adapters.md has '
    "what each framework needs."
)
OWN: Mapping[str, set[str]] = {
    "maze": {"levels", "modes", "prompt", "tasks", "recovery", "moment"},
    "highwater": {
        "setting",
        "distractors",
        "hints",
        "refusals",
        "split",
        "data",
        "search",
        "interface",
        "allow_weak_sandbox",
        "sandbox",
    },
    "paladin": {"arm", "retrieval", "set"},
}


def run(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="The suite: maze, highwater or paladin.")],
    agent: Annotated[
        str, typer.Option(help="Scripted: oracle, planner, naive; on maze also retrier; on paladin ARM/BACKBONE.")
    ] = "",
    model: Annotated[
        str, typer.Option(help="A model as Inspect names it: openai/gpt-5, sealegs-local/FOLDER, ...")
    ] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most this many base tasks (maze: of each level).")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How many times each episode is run.")] = 1,
    seed: Annotated[int, typer.Option(help="Decides victims, faults, distractors.")] = 0,
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="Steps until an episode is cut off; 25, on paladin 40.")
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="A fault plan of your own instead of the suite's faults.")] = None,
    engine: Annotated[
        str, typer.Option(help="auto, inspect, or for scripted agents direct; on maze also langchain, mcp.")
    ] = "auto",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes of the direct engine; all cores by default.")
    ] = None,
    logs: Annotated[Path | None, typer.Option(help="The run's folder; named after the run by default.")] = None,
    json: Annotated[str, typer.Option(help="Write the long table to this file, or - for standard output.")] = "",
    levels: Annotated[str, typer.Option(help="Levels, with commas.", rich_help_panel=MAZE)] = "C1,C2,C3,C4",
    modes: Annotated[str, typer.Option(help="Modes, with commas.", rich_help_panel=MAZE)] = "NP,P1,P2,P3,P4",
    prompt: Annotated[str, typer.Option(help="standard or failure-aware.", rich_help_panel=MAZE)] = "standard",
    tasks: Annotated[
        Path | None, typer.Option(help="A folder of tasks in the place of those that ship.", rich_help_panel=MAZE)
    ] = None,
    recovery: Annotated[
        str, typer.Option(help="off, advise or active: what stands on the seam.", rich_help_panel=MAZE)
    ] = "off",
    moment: Annotated[
        str,
        typer.Option(
            help="When faults strike actions: draw, before (as published), during or after.", rich_help_panel=MAZE
        ),
    ] = "draw",
    setting: Annotated[str, typer.Option(help="open, closed or distractors.", rich_help_panel=HIGHWATER)] = "open",
    distractors: Annotated[
        int, typer.Option(min=0, help="Functions of no solution that are offered.", rich_help_panel=HIGHWATER)
    ] = 9,
    hints: Annotated[
        bool, typer.Option("--hints", help="Tell which data is meant.", rich_help_panel=HIGHWATER)
    ] = False,
    refusals: Annotated[
        str, typer.Option("--errors", help="Plan A is refused: off, on or both.", rich_help_panel=HIGHWATER)
    ] = "both",
    split: Annotated[str, typer.Option(help="test, validation or all.", rich_help_panel=HIGHWATER)] = "test",
    data: Annotated[
        Path | None, typer.Option(help="A folder that `sealegs highwater build` wrote.", rich_help_panel=HIGHWATER)
    ] = None,
    search: Annotated[
        str, typer.Option(help="bm25, or a sentence-transformers model.", rich_help_panel=HIGHWATER)
    ] = "bm25",
    interface: Annotated[
        str,
        typer.Option(
            help="code, calls (no code is run), or auto: code if it can be contained.", rich_help_panel=HIGHWATER
        ),
    ] = "auto",
    allow_weak_sandbox: Annotated[
        bool,
        typer.Option("--allow-weak-sandbox", help="Run code without namespaces.", rich_help_panel=HIGHWATER),
    ] = False,
    sandbox: Annotated[
        str,
        typer.Option(help="Run code in a sandbox of Inspect: docker, docker:FILE.", rich_help_panel=HIGHWATER),
    ] = "",
    arm: Annotated[
        str,
        typer.Option(help="vanilla, toolbench, toolreflect, critic, critic-p0.7 or paladin.", rich_help_panel=PALADIN),
    ] = "",
    retrieval: Annotated[
        str, typer.Option(help="on: the exemplar bank advises after failures; or off.", rich_help_panel=PALADIN)
    ] = "off",
    set: Annotated[str, typer.Option(help="eval, generalisation or toolreflect.", rich_help_panel=PALADIN)] = "eval",
) -> None:
    """Put an agent or a model on a suite's tasks, and say how well it kept its footing.

    The same command goes on where a stopped one left off.
    """
    _check(suite, context)
    if suite == "highwater":
        from sealegs.suites.highwater.running import HighwaterSettings

        asked = HighwaterSettings(
            agent,
            model,
            setting,
            distractors,
            hints,
            (),
            split,
            limit,
            epochs,
            seed,
            max_steps or 25,
            search,
            sandbox=sandbox,
        )
        _highwater(asked, refusals, data, plan, interface, engine, jobs, logs, json, allow_weak_sandbox)
        return
    if suite == "paladin":
        _paladin((agent, model, arm, retrieval, set, limit, epochs, seed, max_steps or 40, engine), jobs, logs, json)
        return
    from sealegs.suites.maze.choosing import settings
    from sealegs.suites.maze.logs import read_run
    from sealegs.suites.maze.reporting import ceilings
    from sealegs.suites.maze.running import run_scripted

    steps = max_steps or 25
    chosen = settings(
        suite, agent, model, levels, modes, prompt, limit, epochs, seed, steps, engine, plan, tasks, recovery, moment
    )
    folder = logs or Path("sealegs-logs") / chosen.name
    if chosen.engine != "inspect":
        with shown(f"{chosen.agent} on {suite}") as progress, interruptible():
            run_scripted(chosen, folder, progress, jobs)
    else:
        from sealegs.suites.maze.inspect_run import run_inspect

        run_inspect(chosen, folder)
    with errors.status("judging"):
        found = read_run(folder)
        results, limits = found.results(), ceilings(found)
    rows = tables(found.who, results, found.warnings, quiet=json == "-", limits=limits)
    write_rows(rows, json)
    _where(folder, json, chosen.agent)


def _highwater(
    asked: Any,
    refusals: str,
    data: Path | None,
    plan: Path | None,
    interface: str,
    engine: str,
    jobs: int | None,
    logs: Path | None,
    json: str,
    allow_weak: bool,
) -> None:
    from sealegs.suites.highwater.choosing import settings
    from sealegs.suites.highwater.logs import read_run
    from sealegs.suites.highwater.reporting import played
    from sealegs.suites.highwater.running import run_scripted

    chosen = settings(asked, refusals, data, plan, interface, engine, allow_weak)
    folder = logs or Path("sealegs-logs") / chosen.name
    if chosen.engine == "direct":
        if chosen.interface == "calls" and interface == "auto":
            errors.print("note: no strong sandbox here, so the agent's calls are made without one, and no code is run")
        with shown(f"{chosen.agent} on highwater") as progress, interruptible():
            run_scripted(chosen, folder, progress, jobs, allow_weak)
    else:
        from sealegs.suites.highwater.inspect_run import run_inspect

        run_inspect(chosen, folder, allow_weak)
    found = played([read_run(folder)])
    plan_b_tables(found.rows, found.results, found.warnings, quiet=json == "-")
    write_rows(found.rows, json)
    _where(folder, json, chosen.agent)


def _check(suite: str, context: typer.Context) -> None:
    """Options of one suite say nothing to another; an unknown suite is told by its settings."""
    from sealegs.suites.running.choices import ChoiceError, unknown

    if problems := unknown("suite", [suite], OWN):
        raise ChoiceError("; ".join(problems))
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}
    strange = sorted(name for other, names in OWN.items() if other != suite for name in given & names)
    if strange:
        named = ", ".join(f"--{'errors' if name == 'refusals' else name.replace('_', '-')}" for name in strange)
        raise Mistake(f"{named} says nothing to {suite}; leave it out (`sealegs run --help` says whose it is)")


def _where(folder: Path, json: str, agent: str) -> None:
    """Say where the records are and, to who tried one of our agents, what comes next."""
    if json != "-":
        console.print(f"Records in {folder}. `sealegs report {folder}` makes a page of them.", highlight=False)
        if agent:
            console.print(NEXT, highlight=False)


def _paladin(asked: tuple[Any, ...], jobs: int | None, logs: Path | None, json: str) -> None:
    from sealegs.suites.paladin.choosing import settings
    from sealegs.suites.paladin.logs import read_run
    from sealegs.suites.paladin.reporting import judged_runs
    from sealegs.suites.paladin.running import run_scripted

    chosen = settings(*asked)
    folder = logs or Path("sealegs-logs") / chosen.name
    if chosen.engine == "direct":
        with shown(f"{chosen.arm}/{chosen.agent} on paladin") as progress, interruptible():
            run_scripted(chosen, folder, progress, jobs)
    else:
        from sealegs.suites.paladin.inspect_run import run_inspect

        run_inspect(chosen, folder)
    found = judged_runs([read_run(folder)])
    recovery_tables(found.rows, found.warnings, quiet=json == "-")
    write_rows(found.rows, json)
    _where(folder, json, chosen.agent)
