"""`sealegs test AGENT`: your own agent without faults and under faults, and a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sealegs.cli.notes_view import NotesView
from sealegs.cli.output import foreign_output_aside
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.shared_options import jobs_option, json_option, seed_option
from sealegs.cli.verdict_output import check_targets, write_verdict

EXAMPLES = """Examples:

    sealegs test my_agent:run --check my_agent:fine

    sealegs test my_agent:run --plan plan.yaml --runs 50 --contract no_action_twice --input "Refund order 17"

    sealegs test "node agent.js {input}" --plan plan.yaml --input "Refund order 17"
"""


AGENT = typer.Argument(
    help="module:name of a function or agent, a command in quotes, or an address; may be given in pyproject.toml."
)
PLAN = typer.Option(help="The fault plan; drawn from the tools that are seen without one.")
CHECK = typer.Option(help="Whether an answer is right, as module:function.")
CONTRACT = typer.Option(help="A contract that every run must keep, such as no_action_twice. Repeatable.")
INPUT = typer.Option(help="An input for the agent. Repeatable.")
INPUTS = typer.Option(help="A file of inputs, one a line, or JSONL with `input`.")
RUNS = typer.Option(min=1, help="At most this many runs under faults, and as many without.")
BASELINE = typer.Option(help="Whether runs without faults are made too.")
FAIL_UNDER = typer.Option(help="The pass rate under faults that is required, such as 0.8, or 80 for 80 %.")
SPECS = typer.Option(help="ToolSpecs of the tools as module:name.")
MAX_CALLS = typer.Option(min=1, help="Tool calls after which a run is cut off.")
TIMEOUT = typer.Option(min=0.001, help="Seconds until one call is given up.")
TIME_LIMIT = typer.Option(min=0.001, help="Real seconds after which one run is ended.")
CLOCK = typer.Option(help="virtual: injected waits cost no time; real: they do.")
ALL = typer.Option("--all", help="Make all runs, even once the verdict is settled.")
OUT = typer.Option(help="The folder of the runs; sealegs-test/AGENT by default.")
HTML = typer.Option(help="Where to write the page; in the folder by default.")
JUNIT = typer.Option(help="Write the runs to this file as JUnit XML.")

app = typer.Typer(add_completion=False)


@app.command(epilog=EXAMPLES)
def run_experiment(
    agent: Annotated[str, AGENT],
    plan: Annotated[Path | None, PLAN] = None,
    check: Annotated[str, CHECK] = "",
    contract: Annotated[list[str] | None, CONTRACT] = None,
    input: Annotated[list[str] | None, INPUT] = None,
    inputs: Annotated[Path | None, INPUTS] = None,
    runs: Annotated[int, RUNS] = 20,
    baseline: Annotated[bool, BASELINE] = True,
    fail_under: Annotated[float, FAIL_UNDER] = 0.8,
    specs: Annotated[str, SPECS] = "",
    seed: Annotated[int, seed_option("Decides every fault that is drawn.")] = 0,
    max_calls: Annotated[int, MAX_CALLS] = 50,
    timeout: Annotated[float, TIMEOUT] = 30.0,
    time_limit: Annotated[float, TIME_LIMIT] = 300.0,
    clock: Annotated[Literal["virtual", "real"], CLOCK] = "virtual",
    all: Annotated[bool, ALL] = False,
    jobs: Annotated[int, jobs_option("Processes.")] = 1,
    out: Annotated[Path | None, OUT] = None,
    html: Annotated[Path | None, HTML] = None,
    junit: Annotated[Path | None, JUNIT] = None,
    json: Annotated[str, json_option("the verdict and the rows")] = "",
) -> None:
    """Run your own agent without faults and under faults, and say whether it holds.

    The exit code is 0 if it held, 1 if a weakness was found, and 3 if the runs cannot tell. The same command
    resumes an experiment that was stopped.
    """
    from sealegs.engines.folders import folder_name
    from sealegs.experiments import experiment
    from sealegs.experiments.experiment_options import read_inputs

    check_targets(html, junit)
    folder = out or Path("sealegs-test") / folder_name(agent)
    limits = {"max_calls": max_calls, "timeout": timeout, "time_limit": time_limit, "clock": clock}
    with show_progress("runs") as progress, interruptible("run"), foreign_output_aside():
        found = experiment(
            agent,
            plan,
            check=check,
            contracts=contract or [],
            inputs=[*(input or []), *(read_inputs(inputs) if inputs is not None else ())],
            runs=runs,
            baseline=baseline,
            fail_under=fail_under,
            specs=specs,
            out=folder,
            jobs=jobs,
            view=NotesView(progress),
            seed=seed,
            settle=not all,
            **limits,
        )
    write_verdict(found, html or folder / "report.html", junit, json)
    raise typer.Exit(found.exit_code)
