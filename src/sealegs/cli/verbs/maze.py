"""`sealegs maze`: the suite's tasks: what they are like, and how they are imported, exported and made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sealegs.cli.consoles import console, errors
from sealegs.cli.idle_options import refuse_idle
from sealegs.cli.output import INVALID, exit_if_invalid, print_shard_done, write_files, write_table_rows
from sealegs.cli.shared_options import SHARD, jobs_option, json_option, seed_option
from sealegs.cli.spread import ON, make_shards_elsewhere
from sealegs.cli.terminal import echo
from sealegs.engines.shards import parse_shard
from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS
from sealegs.suites.choices import MOST_INVALID
from sealegs.traces.atomic_files import check_folder

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Work with the tasks of maze: figures, import, export, foreign traces, generation, review, validation.",
)
JSON = json_option("the rows")
ALL_LEVELS = ",".join(LEVELS)
CHOSEN_LEVELS = typer.Option("--levels", help="Levels, separated by commas.")


@app.command()
def stats(
    tasks: Annotated[Path | None, typer.Option(help="A folder of tasks, to be shown beside those that ship.")] = None,
    json: Annotated[str, JSON] = "",
) -> None:
    """Say what the tasks are like, beside the published corpus; or a folder's, beside those that ship."""
    from sealegs.reports.tables import print_pairs
    from sealegs.suites.maze.statistics import figures

    if tasks is not None:
        _compare_sets(tasks, json)
        return
    found = figures()
    write_table_rows(found.rows(), json, found.about())
    if json != "-":
        print_pairs(found.pairs(), console)
        console.print(found.notes(), highlight=False)


def _compare_sets(folder: Path, json: str) -> None:
    """Show the figures of a folder's tasks beside those of the public ones."""
    from sealegs.reports.tables import print_set_comparison
    from sealegs.suites.maze.set_comparison import compare_with_public

    found = compare_with_public(folder)
    write_table_rows(found.rows(), json, found.about())
    if json != "-":
        print_set_comparison(found.lines(), console)
        console.print(found.notes(), highlight=False)


@app.command("import")
def import_tasks(
    folder: Annotated[Path, typer.Argument(help="Tasks in the published file format.")],
    out: Annotated[Path | None, typer.Option(help="The folder to write; sealegs-tasks/NAME by default.")] = None,
) -> None:
    """Make tasks in the published format runnable: their tools are answered from the recorded outputs."""
    from sealegs.scenarios.exchange.toolmaze_format import read_task_forms
    from sealegs.scenarios.exchange.toolmaze_import import default_folder, import_all, task_set_files

    found, left_out = import_all(read_task_forms(folder))
    for task, reason in left_out:
        console.print(f"left out {task}: {reason}", highlight=False, markup=False)
    for each in found:
        for note in each.notes:
            console.print(f"note {each.task.id}: {note}", highlight=False, markup=False)
    target = out or default_folder(folder)
    # Nothing is written where nothing came of it: an empty folder would look like a set of tasks.
    if found:
        write_files(target, task_set_files(found))
    console.print(f"{len(found)} tasks imported into {target}, {len(left_out)} left out.", highlight=False)
    if found:
        console.print(f"`sealegs run maze --tasks {target} --agent planner` runs them.", highlight=False)
    raise typer.Exit(0 if found else 2)


@app.command("export")
def export_tasks(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="The folder to write, with one file for each episode.")],
    logs: Annotated[Path | None, typer.Option(help="Also export this run's traces, into OUT/traces.")] = None,
    tasks: Annotated[Path | None, typer.Option(help="A folder of tasks in place of those that ship.")] = None,
    seed: Annotated[int, seed_option("Decides the victims.")] = 0,
) -> None:
    """Write tasks, and a run's traces, in the published file format."""
    from sealegs.scenarios.exchange.toolmaze_export import task_files, trace_files
    from sealegs.scenarios.scenario import list_scenarios
    from sealegs.suites.maze.maze_logs import read_maze_run

    if logs is not None:
        refuse_idle(context, "beside --logs, whose run has its own tasks and victims", "tasks", "seed")
    check_folder(out, "name another folder")
    run = read_maze_run(logs) if logs is not None else None
    chosen = list(run.records) if run else list_scenarios(seed=seed, tasks=str(tasks.resolve()) if tasks else "")
    write_files(out / "tasks", task_files(chosen))
    if run is not None:
        write_files(out / "traces", trace_files(run.records))
    console.print(f"{len(chosen)} episodes written to {out}.", highlight=False)


@app.command("dataset")
def write_dataset_folder(
    out: Annotated[Path, typer.Option(help="The folder to write.")],
    tasks: Annotated[Path | None, typer.Option(help="A folder of tasks in place of those that ship.")] = None,
) -> None:
    """Write tasks as a dataset folder that `datasets.load_dataset` reads, with card and Croissant metadata."""
    from sealegs.scenarios.task_sets import task_set
    from sealegs.suites.maze.dataset_folder import dataset_files

    check_folder(out, "name another folder")
    chosen = task_set(str(tasks.resolve()) if tasks else "")
    if chosen.private:
        raise UserError(f"--tasks {tasks}: {chosen.edition} is private, and a dataset folder is made to be published")
    write_files(out, dataset_files(chosen, f"sealegs-maze-{tasks.name}" if tasks else "sealegs-maze"))
    console.print(f"{len(chosen.tasks)} tasks of {chosen.edition} in {out}.", highlight=False, markup=False)


@app.command("judge")
def judge_traces(
    tasks: Annotated[Path, typer.Argument(help="Tasks in the published file format.")],
    traces: Annotated[Path, typer.Argument(help="Traces in the published file format.")],
    json: Annotated[str, JSON] = "",
) -> None:
    """Give both judges' verdicts on traces in the published format."""
    from sealegs.reports.tables import print_verdicts
    from sealegs.scenarios.exchange.toolmaze_format import read_task_forms, read_trace_forms
    from sealegs.scenarios.exchange.trace_judge import trace_verdicts

    rows = trace_verdicts(read_task_forms(tasks), read_trace_forms(traces))
    write_table_rows(rows, json)
    if json != "-":
        print_verdicts(rows, console)


@app.command("generate")
def generate_maze_tasks(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="The folder of tasks to make.")],
    method: Annotated[str, typer.Option(help="How tasks are made: rules, or model.")] = "rules",
    model: Annotated[str, typer.Option(help="With --method model: the model as Inspect names it.")] = "",
    judge_model: Annotated[str, typer.Option(help="The independent model that validates; MODEL by default.")] = "",
    levels: Annotated[str, CHOSEN_LEVELS] = ALL_LEVELS,
    n: Annotated[
        int | None,
        typer.Option("--n", "-n", min=1, help="Tasks of each level; 25 by default, --private as many as ship."),
    ] = None,
    private: Annotated[
        bool, typer.Option("--private", help="A secret set that is like the tasks that ship in its figures.")
    ] = False,
    seed: Annotated[
        int | None, seed_option("Decides every random choice; 0 by default, and with --private drawn from entropy.")
    ] = None,
    tries: Annotated[int, typer.Option(min=1, help="Times that a model is asked again after a bad answer.")] = 3,
    jobs: Annotated[int | None, jobs_option("Processes; all cores by default.")] = None,
    world: Annotated[
        Path | None, typer.Option(help="A Python file of your own tools; those that ship by default.")
    ] = None,
    shard: Annotated[str, SHARD] = "",
    on: Annotated[str, ON] = "",
    json: Annotated[str, JSON] = "",
) -> None:
    """Make new tasks, by rules or with models; the same command resumes where a stopped one left off."""
    from sealegs.cli.progress import interruptible, show_progress
    from sealegs.generate.generation_options import PER_LEVEL, chosen_method
    from sealegs.reports.tables import print_rows

    if private or method == "rules":
        refuse_idle(context, f"{'with --private' if private else 'with --method rules'}, which asks no model", "tries")
    if private:
        _generate_private(context, out, levels, n, seed, jobs, json)
        return
    make_shards_elsewhere(on, shard, out)
    make = chosen_method(
        method=method, model=model, judge_model=judge_model, levels=levels, per_level=n or PER_LEVEL, seed=seed or 0,
        tries=tries, out=out, jobs=jobs, world=world, shard=parse_shard(shard),
    )  # fmt: skip
    with show_progress("tasks") as progress, interruptible("task"):
        found = make(progress)
    if isinstance(found, int):
        print_shard_done(shard, found, "tasks", out, json)
        return
    rows = found.rows()
    write_table_rows(rows, json)
    if json != "-":
        print_rows(rows, console)
        console.print(f"{len(found.tasks)} tasks in {out}. `sealegs run maze --tasks {out} --agent planner`")


def _generate_private(
    context: typer.Context, out: Path, levels: str, n: int | None, seed: int | None, jobs: int | None, json: str
) -> None:
    """Make a private set, and show it beside the tasks that ship."""
    from sealegs.cli.progress import interruptible, show_progress
    from sealegs.generate.generation_options import chosen_private

    given = context.params
    unfit = ["--method model"] if given["method"] == "model" else []
    unfit += [f"--{name.replace('_', '-')}" for name in ("model", "judge_model", "world", "shard", "on") if given[name]]
    make = chosen_private(levels, n, seed, out, jobs, unfit)
    with show_progress("tasks") as progress, interruptible("task"):
        found = make(progress)
    for name in found.unmatched:
        errors.print(f"note: nothing like {name} could be made; another task takes its place")
    _compare_sets(out, json)
    if json != "-":
        summary = (
            f"{len(found.tasks.tasks)} private tasks, {found.tasks.edition}, in {out}; keep the folder to yourself."
        )
        console.print(summary, highlight=False, markup=False)


@app.command("review")
def review_tasks(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The review's folder; the first call makes it.")],
    reviewer: Annotated[str, typer.Option(help="Who reviews: a page is served on this machine.")] = "",
    model: Annotated[str, typer.Option(help="In place of a person: a model as Inspect names it.")] = "",
    solve: Annotated[
        int | None, typer.Option(min=0, max=200, help="Tasks to solve. The first call decides; 8 by default.")
    ] = None,
    detect: Annotated[
        int | None,
        typer.Option(min=0, max=96, help="Answers of tools to judge. The first call decides; 24 by default."),
    ] = None,
    seed: Annotated[int | None, seed_option("Decides the questions. The first call decides; 0 by default.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The page's port; 0 for any that is free.")] = 0,
) -> None:
    """Ask a person, or a model, to solve tasks and to recognise corrupt answers; the same command resumes.

    Each reply is appended to the folder at once. `sealegs grade review FOLDER` sums them up.
    """
    from sealegs.cli.progress import interruptible
    from sealegs.suites.maze.review.review_folder import ReviewChoice
    from sealegs.suites.maze.review.review_run import run_model_review, run_page

    choice = ReviewChoice(solve, detect, seed)
    if model or not reviewer:
        if model and not reviewer:  # other choices are refused below, for a better reason
            refuse_idle(context, "for a model, to which no page is served", "port")
        with interruptible("reply"):
            found = run_model_review(folder, choice, reviewer, model)
        console.print(f"{found.done} of {found.total} questions have a reply of {model} in {folder}.", highlight=False)
        if found.done < found.total:
            raise typer.Exit(INVALID)
        return
    run_page(folder, choice, reviewer, port, lambda at: echo(f"review at {at} (Ctrl-C ends it)"))


@app.command("validate")
def validate_tasks(
    model: Annotated[str, typer.Option(help="The model that validates, as Inspect names it.")],
    levels: Annotated[str, CHOSEN_LEVELS] = ALL_LEVELS,
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many tasks of each level.")] = None,
    tries: Annotated[int, typer.Option(min=1, help="Times that a model is asked again after a bad answer.")] = 3,
    out: Annotated[
        Path | None, typer.Option(help="The folder of its answers; sealegs-validation/MODEL by default.")
    ] = None,
    json: Annotated[str, JSON] = "",
) -> None:
    """Let a model check the shipped requests against their calls, both ways; what it has answered is kept."""
    from sealegs.cli.progress import interruptible, show_progress
    from sealegs.generate.generation_options import chosen_validation
    from sealegs.reports.validation_tables import print_validation
    from sealegs.scoring.invalid import InvalidCount

    run = chosen_validation(model, levels, limit, tries, out)
    with show_progress("tasks") as progress, interruptible("answer"):
        found = run(progress)
    write_table_rows(found.rows(), json)
    if json != "-":
        print_validation(found.rows(), found.doubtful(), console)
    count = InvalidCount(found.missing, len(found.tasks))
    if count.invalid:
        errors.print(f"note: {count.invalid} of {count.played} tasks lack an answer; the same command asks for it")
    exit_if_invalid(count, MOST_INVALID)
