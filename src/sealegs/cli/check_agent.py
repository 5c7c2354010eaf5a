"""`sealegs check AGENT`: your own agent and tools on a task of yours, with ground truth learned from clean runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sealegs.cli.notes_view import NotesView
from sealegs.cli.output import foreign_output_aside
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.shared_options import json_option, seed_option
from sealegs.cli.test import CLOCK, HTML, JUNIT, MAX_CALLS, SPECS, TIME_LIMIT, TIMEOUT
from sealegs.cli.verdict_output import check_targets, write_verdict

EXAMPLES = """Examples:

    sealegs check my_agent:run --tools my_agent:TOOLS --effects refund --reset my_agent:reset --task "Refund order 17"

    sealegs check my_agent:run --tools my_agent:TOOLS --same exchange_rate,fx_quote --task "Refund order 17 in USD"
"""
AGENT = typer.Argument(help="module:name of a function or agent, a command in quotes, or an address.")
TOOLS = typer.Option(help="All tools of the agent as module:name: a list, or a function that makes fresh ones.")
TASK = typer.Option(help="The task's text, as the agent receives it.")
EFFECTS = typer.Option(help="Names of the tools that change something, separated by commas; the others only read.")
SAME = typer.Option(help="Names of tools that do the same, separated by commas. Repeatable.")
RESET = typer.Option(help="module:function that puts the world of the tools back; called before each run.")
CHECK = typer.Option(help="module:function that says whether the answer of a run without faults is right.")
CLEAN = typer.Option(min=1, help="Runs without faults to learn from.")
REPEATS = typer.Option(min=1, help="How often each fault is tried at each place.")
FAIL_UNDER = typer.Option(help="The share of right runs under faults that is required, such as 0.8, or 80 for 80 %.")
REFERENCE = typer.Option(help="The file of what right looks like; read if it exists, otherwise written.")
OUT = typer.Option(help="The folder of the runs; sealegs-check/AGENT by default.")

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
def check_agent(
    agent: Annotated[str, AGENT],
    tools: Annotated[str, TOOLS],
    task: Annotated[str, TASK],
    effects: Annotated[str, EFFECTS] = "",
    same: Annotated[list[str] | None, SAME] = None,
    specs: Annotated[str, SPECS] = "",
    reset: Annotated[str, RESET] = "",
    check: Annotated[str, CHECK] = "",
    clean_runs: Annotated[int, CLEAN] = 2,
    repeats: Annotated[int, REPEATS] = 1,
    fail_under: Annotated[float, FAIL_UNDER] = 1.0,
    reference: Annotated[Path, REFERENCE] = Path("sealegs-check.yaml"),
    seed: Annotated[int, seed_option("Decides every fault that is drawn.")] = 0,
    max_calls: Annotated[int, MAX_CALLS] = 50,
    timeout: Annotated[float, TIMEOUT] = 30.0,
    time_limit: Annotated[float, TIME_LIMIT] = 300.0,
    clock: Annotated[Literal["virtual", "real"], CLOCK] = "virtual",
    out: Annotated[Path | None, OUT] = None,
    html: Annotated[Path | None, HTML] = None,
    junit: Annotated[Path | None, JUNIT] = None,
    json: Annotated[str, json_option("the rows, failures and what was inferred")] = "",
) -> None:
    """Learn what right looks like on your own tools, strike every step, and judge the agent by value.

    The exit code is 0 if the agent held, 1 if a weakness was found, and 3 if the runs cannot tell. The same
    command resumes a check that was stopped.
    """
    from sealegs.engines.folders import folder_name
    from sealegs.experiments import reference_check
    from sealegs.experiments.experiment_start import known_specs

    check_targets(html, junit)
    folder = out or Path("sealegs-check") / folder_name(agent)
    more = {"seed": seed, "max_calls": max_calls, "timeout": timeout, "time_limit": time_limit, "clock": clock}
    with show_progress("runs") as progress, interruptible("run"), foreign_output_aside():
        found = reference_check.check(
            agent,
            tools,
            task,
            effects=_names(effects) if effects else None,
            alternatives=[_names(one) for one in same or ()],
            specs=known_specs(specs),
            reset=reset or None,
            check=check or None,
            clean_runs=clean_runs,
            repeats=repeats,
            fail_under=fail_under,
            reference=reference,
            out=folder,
            view=NotesView(progress),
            **more,
        )
    write_verdict(found, html or folder / "report.html", junit, json)
    raise typer.Exit(found.exit_code)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
