"""`sealegs test AGENT`: your own agent without faults and under faults, and a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sealegs.cli.model_parameters import taking
from sealegs.cli.notes_view import NotesView
from sealegs.cli.output import foreign_output_aside
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.shared_options import jobs_option, json_option
from sealegs.cli.verdict_output import HTML, JUNIT, SPECS, check_targets, write_verdict
from sealegs.experiments.experiment_options import ExperimentOptions, read_inputs

EXAMPLES = """Examples:

    sealegs test my_agent:run --check my_agent:fine

    sealegs test my_agent:run --plan plan.yaml --runs 50 --contract no_action_twice --input "Refund order 17"

    sealegs test "node agent.js {input}" --plan plan.yaml --input "Refund order 17"
"""


AGENT = typer.Argument(
    help="module:name of a function or agent, a command in quotes, or an address; may be given in pyproject.toml."
)
PLAN = typer.Option(help="The fault plan; drawn from the tools that are seen without one.")
INPUT = typer.Option(help="An input for the agent. Repeatable.")
INPUTS = typer.Option(help="A file of inputs, one a line, or JSONL with `input`.")
ALL = typer.Option("--all", help="Make all runs, even once the verdict is settled.")
OUT = typer.Option(help="The folder of the runs; sealegs-test/AGENT by default.")
MODEL_OPTIONS = (
    *("check", "contracts", "runs", "baseline", "fail_under"),
    *("seed", "max_calls", "timeout", "time_limit", "clock"),
)

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
@taking(ExperimentOptions, *MODEL_OPTIONS)
def run_experiment(
    agent: Annotated[str, AGENT],
    plan: Annotated[Path | None, PLAN] = None,
    input: Annotated[list[str] | None, INPUT] = None,
    inputs: Annotated[Path | None, INPUTS] = None,
    specs: Annotated[str, SPECS] = "",
    all: Annotated[bool, ALL] = False,
    jobs: Annotated[int, jobs_option("Processes.")] = 1,
    out: Annotated[Path | None, OUT] = None,
    html: Annotated[Path | None, HTML] = None,
    junit: Annotated[Path | None, JUNIT] = None,
    json: Annotated[str, json_option("the verdict and the rows")] = "",
    **given: Any,
) -> None:
    """Run your own agent without faults and under faults, and say whether it holds.

    The exit code is 0 if it held, 1 if a weakness was found, and 3 if the runs cannot tell. The same command
    resumes an experiment that was stopped.
    """
    from sealegs.engines.folders import folder_name
    from sealegs.experiments import experiment

    folder = out or Path("sealegs-test") / folder_name(agent)
    check_targets(html, junit, json, folder)
    with show_progress("runs") as progress, interruptible("run"), foreign_output_aside():
        found = experiment(
            agent,
            plan,
            inputs=[*(input or []), *(read_inputs(inputs) if inputs is not None else ())],
            specs=specs,
            out=folder,
            jobs=jobs,
            view=NotesView(progress),
            settle=not all,
            **given,
        )
    write_verdict(found, html or folder / "report.html", junit, json)
    raise typer.Exit(found.exit_code)
