"""`sealegs hunt AGENT`: look for the smallest fault plans that make an agent fail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import errors
from sealegs.cli.idle_options import refuse_idle
from sealegs.cli.output import write_data, write_files
from sealegs.cli.shared_options import json_option, seed_option
from sealegs.cli.terminal import echo
from sealegs.traces.atomic_files import check_folder

app = typer.Typer(add_completion=False)


@app.command()
def hunt_command(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="The agent as module:function, or maze/TASK with --agent.")],
    check: Annotated[str, typer.Option(help="The success check as module:function.")] = "",
    specs: Annotated[str, typer.Option(help="ToolSpecs of the tools as module:name.")] = "",
    agent: Annotated[str, typer.Option(help="With maze/TASK: planner, retrier or naive.")] = "",
    out: Annotated[Path | None, typer.Option(help="For plans and tests; sealegs-hunt/NAME by default.")] = None,
    seed: Annotated[int, seed_option("Decides every plan that is tried.")] = 0,
    runs: Annotated[int, typer.Option(min=1, help="At most this many runs of the agent.")] = 5000,
    findings: Annotated[int, typer.Option(min=1, help="Failures after which the hunt ends.")] = 10,
    rules: Annotated[int, typer.Option(min=1, help="At most this many rules in a plan.")] = 3,
    kinds: Annotated[str, typer.Option(help="Kinds of fault, comma-separated; all noticeable ones by default.")] = "",
    max_calls: Annotated[int, typer.Option(min=1, help="Calls after which an agent counts as endless.")] = 50,
    timeout: Annotated[float, typer.Option(min=0, help="Virtual seconds until a call is given up.")] = 30.0,
    json: Annotated[str, json_option("the findings")] = "",
) -> None:
    """Look for the smallest fault plans that make an agent fail; the exit code is 1 if there are any.

    Each becomes a plan file that begins with its explanation, and a pytest test. Ctrl-C ends the search: what was found
    until then is written, and the exit code is 130.
    """
    from sealegs.engines.folders import folder_name
    from sealegs.hunt.hunt_options import MAZE, chosen_limits, chosen_target, without_hypothesis_notes

    if target.startswith(MAZE):
        refuse_idle(context, "with a task of maze, which has a limit of its own", "timeout")
    folder = out or Path("sealegs-hunt") / folder_name(target, agent)
    # Before the search: whether results can be written should not show only after thousands of runs.
    check_folder(folder, "name another folder with --out")
    aim = chosen_target(target, check, specs, agent, max_calls=max_calls, timeout=timeout)
    limits = chosen_limits(seed, runs, findings, rules, kinds)
    with without_hypothesis_notes(), errors.status(f"hunting {aim.name}"):
        from sealegs.hunt.hunt_report import failure_story, hunt_data, hunt_files, hunt_summary
        from sealegs.hunt.plan_search import hunt as search

        found = search(aim, limits, lambda finding: errors.print(f"found: {finding.name}", markup=False))
        handed = [failure_story(found, number) for number in range(1, len(found.findings) + 1)]
    write_files(folder, hunt_files(found, handed))
    write_data(hunt_data(found, handed), json)
    if json != "-":
        for line in hunt_summary(found, handed, folder):
            echo(line)
    if found.interrupted:
        so_far = (
            f"the {len(handed)} failure(s) found so far are in {folder}" if handed else "no failure was found so far"
        )
        echo(f"stopped before the search was over; {so_far}", err=True)
        raise typer.Exit(130)
    raise typer.Exit(1 if handed else 0)
