"""`sealegs check AGENT`: your own agent and tools on a task of yours, with ground truth learned from clean runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sealegs.cli.model_parameters import taking
from sealegs.cli.notes_view import NotesView
from sealegs.cli.output import foreign_output_aside
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.shared_options import json_option
from sealegs.cli.target_files import check_different
from sealegs.cli.verdict_output import HTML, JUNIT, SPECS, check_targets, write_verdict
from sealegs.experiments.check_options import CheckOptions

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
REFERENCE = typer.Option(help="The file of what right looks like; read if it exists, otherwise written.")
OUT = typer.Option(help="The folder of the runs; sealegs-check/AGENT by default.")
MODEL_OPTIONS = (
    *("check", "clean_runs", "repeats", "fail_under"),
    *("seed", "max_calls", "timeout", "time_limit", "clock"),
)

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
@taking(CheckOptions, *MODEL_OPTIONS)
def check_agent(
    agent: Annotated[str, AGENT],
    tools: Annotated[str, TOOLS],
    task: Annotated[str, TASK],
    effects: Annotated[str, EFFECTS] = "",
    same: Annotated[list[str] | None, SAME] = None,
    specs: Annotated[str, SPECS] = "",
    reset: Annotated[str, RESET] = "",
    reference: Annotated[Path, REFERENCE] = Path("sealegs-check.yaml"),
    out: Annotated[Path | None, OUT] = None,
    html: Annotated[Path | None, HTML] = None,
    junit: Annotated[Path | None, JUNIT] = None,
    json: Annotated[str, json_option("the rows, failures and what was inferred")] = "",
    **given: Any,
) -> None:
    """Learn what right looks like on your own tools, strike every step, and judge the agent by value.

    The exit code is 0 if the agent held, 1 if a weakness was found, and 3 if the runs cannot tell. The same
    command resumes a check that was stopped.
    """
    from sealegs.engines.folders import folder_name
    from sealegs.experiments import reference_check
    from sealegs.experiments.experiment_start import known_specs

    folder = out or Path("sealegs-check") / folder_name(agent)
    check_targets(html, junit, json, folder)
    check_different({"--reference": reference, "--html": html, "--junit": junit, "--json": json})
    with show_progress("runs") as progress, interruptible("run"), foreign_output_aside():
        found = reference_check.check(
            agent,
            tools,
            task,
            effects=_names(effects) if effects else None,
            alternatives=[_names(one) for one in same or ()],
            specs=known_specs(specs),
            reset=reset or None,
            reference=reference,
            out=folder,
            view=NotesView(progress),
            **given,
        )
    write_verdict(found, html or folder / "report.html", junit, json)
    raise typer.Exit(found.exit_code)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
