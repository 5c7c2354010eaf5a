"""`sealegs test AGENT`: your own agent without faults and under faults, and a verdict."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from sealegs.cli.output import console, errors, write_table_rows
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.shared_options import jobs_option, json_option, seed_option
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically

EXAMPLES = """Examples:

    sealegs test my_agent:run --check my_agent:fine

    sealegs test my_agent:run --plan plan.yaml --runs 50 --contract no_action_twice --input "Refund order 17"

    sealegs test "node agent.js {input}" --plan plan.yaml --input "Refund order 17"
"""


def run_experiment(
    agent: Annotated[
        str,
        typer.Argument(
            help="module:name of a function or agent, a command in quotes, or an address; may stand in pyproject.toml."
        ),
    ],
    plan: Annotated[
        Path | None, typer.Option(help="The fault plan; drawn from the tools that are seen without one.")
    ] = None,
    check: Annotated[str, typer.Option(help="Whether an answer is right, as module:function.")] = "",
    contract: Annotated[
        list[str] | None, typer.Option(help="What every run must keep, such as no_action_twice; may be repeated.")
    ] = None,
    input: Annotated[list[str] | None, typer.Option(help="What the agent is asked; may be repeated.")] = None,
    inputs: Annotated[Path | None, typer.Option(help="A file of inputs, one a line, or JSONL with `input`.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs under faults at most, and as many without.")] = 20,
    baseline: Annotated[bool, typer.Option(help="Whether runs without faults are made too.")] = True,
    fail_under: Annotated[
        float, typer.Option(help="The pass rate under faults that is required, such as 0.8, or 80 for 80 %.")
    ] = 0.8,
    specs: Annotated[str, typer.Option(help="ToolSpecs of the tools as module:name.")] = "",
    seed: Annotated[int, seed_option("Decides every fault that is drawn.")] = 0,
    max_calls: Annotated[int, typer.Option(min=1, help="Tool calls after which a run is cut off.")] = 50,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until one call is given up.")] = 30.0,
    time_limit: Annotated[
        float, typer.Option(min=0.001, help="Real seconds for one run of a command or address.")
    ] = 300.0,
    clock: Annotated[
        Literal["virtual", "real"], typer.Option(help="virtual: injected waits cost no time; real: they do.")
    ] = "virtual",
    all: Annotated[bool, typer.Option("--all", help="Make all runs, even once the verdict is settled.")] = False,
    jobs: Annotated[int, jobs_option("Processes.")] = 1,
    out: Annotated[Path | None, typer.Option(help="The folder of the runs; sealegs-test/AGENT by default.")] = None,
    html: Annotated[Path | None, typer.Option(help="Where to write the page; in the folder by default.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the runs to this file as JUnit XML.")] = None,
    json: Annotated[str, json_option("Write the long table to this file, or - for standard output.")] = "",
) -> None:
    """Run your own agent without faults and under faults, and say whether it holds.

    The exit code is 0 where it held, 1 where a weakness was found, and 3 where the runs do not tell. The same command
    resumes an experiment that was stopped.
    """
    from sealegs.experiments import experiment
    from sealegs.experiments.experiment_options import experiment_folder_name, read_inputs

    if importlib.util.find_spec("jinja2") is None and html is not None:
        raise UserError('the page needs jinja2; run: pip install "sealegs[report]", or leave --html out')
    asked = [*(input or []), *(read_inputs(inputs) if inputs is not None else ())]
    folder = out or Path("sealegs-test") / experiment_folder_name(agent)
    with show_progress("runs") as progress, interruptible("run"):
        found = experiment(
            agent,
            plan,
            check=check,
            contracts=contract or [],
            inputs=asked,
            runs=runs,
            baseline=baseline,
            fail_under=fail_under,
            specs=specs,
            out=folder,
            jobs=jobs,
            view=_View(progress),
            seed=seed,
            max_calls=max_calls,
            timeout=timeout,
            time_limit=time_limit,
            clock=clock,
            settle=not all,
        )
    if junit is not None:
        write_atomically(junit, found.junit())
    page = html or folder / "report.html"
    with_page = importlib.util.find_spec("jinja2") is not None
    if with_page:
        write_atomically(page, found.page())
    write_table_rows(found.rows, json)
    if json != "-":
        found.show(console)
        where = f"Page: {page}" if with_page else 'No page: pip install "sealegs[report]" makes one'
        console.print(where, highlight=False, markup=False, soft_wrap=True)
        console.print(found.summary, highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(found.exit_code)


class _View:
    """Notes on standard error, and progress."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self.progress = progress

    def note(self, text: str) -> None:
        """Print a sentence."""
        errors.print(f"note: {text}", markup=False)
