"""`sealegs power`: how many tasks and epochs tell two models apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console
from sealegs.cli.idle_options import refuse_idle
from sealegs.cli.output import write_table_rows
from sealegs.cli.shared_options import json_option, seed_option
from sealegs.faults.user_error import UserError

app = typer.Typer(add_completion=False)
MOST_TASKS = 100_000
MOST_EPOCHS = 100


@app.command(no_args_is_help=True)
def power_command(
    context: typer.Context,
    runs: Annotated[list[Path] | None, typer.Argument(help="A pilot: folders of runs of two models or more.")] = None,
    rates: Annotated[str, typer.Option(help="In place of a pilot: two success rates in %, as 60,70.")] = "",
    alike: Annotated[
        float, typer.Option(min=0, max=1, help="With --rates: how alike the episodes of a task are, 0 to 1.")
    ] = 0.3,
    metric: Annotated[str, typer.Option(help="The metric to compare by; the suite's main one by default.")] = "",
    pair: Annotated[str, typer.Option(help="Two models of the pilot, as A,B; the two best by default.")] = "",
    epoch_counts: Annotated[str, typer.Option(help="Numbers of epochs, separated by commas.")] = "1",
    task_counts: Annotated[
        str, typer.Option(help="Numbers of tasks, separated by commas; finds the fewest by default.")
    ] = "",
    wanted: Annotated[float, typer.Option("--power", min=1, max=99.9, help="The power that is wanted, in %.")] = 80.0,
    comparisons: Annotated[int, typer.Option(min=1, max=10_000, help="How many pairs Holm corrects for.")] = 1,
    experiments: Annotated[int, typer.Option(min=100, max=100_000, help="How many are drawn for a figure.")] = 1000,
    seed: Annotated[int, seed_option("Decides what is drawn.")] = 0,
    json: Annotated[str, json_option("the long table")] = "",
) -> None:
    """Say how many tasks and epochs tell two models apart, by the test that `sealegs rank` makes.

    Experiments are drawn from a pilot's runs or from assumed rates; the power is the share that shows a difference.
    """
    from sealegs.reports.rank_tables import print_power
    from sealegs.suites.sample_plan import answer, plan_of_pilot, plan_of_rates, power_rows

    if bool(runs) == bool(rates):
        raise UserError("name either the runs of a pilot or --rates, as in `sealegs power --rates 60,70`")
    if runs:
        refuse_idle(context, "beside the runs of a pilot, which show how alike episodes are", "alike")
    else:
        refuse_idle(context, "beside --rates, which assume two models and one metric", "metric", "pair")
    each = _numbers("--epoch-counts", epoch_counts, MOST_EPOCHS)
    sizes = _numbers("--task-counts", task_counts, MOST_TASKS) if task_counts else []
    plan = plan_of_pilot(runs, metric, pair) if runs else plan_of_rates(rates, alike)
    found = answer(plan, each, sizes, wanted, error=0.05 / comparisons, experiments=experiments, seed=seed)
    write_table_rows(power_rows(plan, found), json, {"assumed": plan.about})
    if json != "-":
        console.print(f"Taken for true: {plan.about}.", highlight=False, markup=False)
        print_power(found, wanted, console)


def _numbers(option: str, text: str, most: int) -> list[int]:
    """The numbers that an option names.

    Raises:
        UserError: one is none.
    """
    found = [int(part) if part.strip().isdigit() else 0 for part in text.split(",")]
    if not all(1 <= number <= most for number in found):
        raise UserError(f"{option} {text}: give whole numbers from 1 to {most:,}, separated by commas")
    return found
