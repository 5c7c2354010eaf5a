"""`sealegs run SUITE`: put an agent or a model on a suite's tasks. Commands and options are made from the suites."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer
from pydantic.fields import FieldInfo
from typer.core import TyperGroup

from sealegs.cli.consoles import console, errors
from sealegs.cli.idle_options import refuse_idle
from sealegs.cli.model_parameters import keyword, model_parameter, set_parameters
from sealegs.cli.output import exit_if_invalid, print_empty_shard, write_report, write_table_rows
from sealegs.cli.progress import TerminalView, interruptible, show_progress
from sealegs.cli.shared_options import CommandOnSuites, json_option
from sealegs.cli.spread import ON, make_shards_elsewhere
from sealegs.cli.url_folders import take_urls
from sealegs.engines.judging_ahead import judging_jobs
from sealegs.engines.run_estimate import FEWEST
from sealegs.engines.shards import is_empty_shard
from sealegs.faults.user_error import UserError
from sealegs.scoring.invalid import InvalidCount
from sealegs.scoring.metric import Row
from sealegs.suites.model_runs import budget_note, named_models, with_first_calls
from sealegs.suites.run_options import HIDDEN, LOGS, ModelOptions, options_from
from sealegs.suites.suite import AnySuite, suite_named, suites

NEXT = (
    'Next, your own agent: README.md shows it under "Test your own agent"; docs/adapters.md has what each framework '
    "needs."
)
OUT = typer.Option(help="The run's folder, or that of the runs of several models; sealegs-logs/NAME by default.")
MODELS = typer.Option(help="A file of models, one a line, that play one after the other, as with several --model.")
JSON = json_option("the long table")


class SuiteGroup(TyperGroup):
    """One command for each suite that is installed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The suites' names."""
        return list(suites())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a suite.

        Raises:
            ChoiceError: no suite of this name is installed.
        """
        return command_of(suite_named(cmd_name))


class SuiteCommand(CommandOnSuites):
    """The command of a suite. An option that belongs to another suite is refused by name."""

    def places(self) -> Mapping[str, str]:
        """The names of the suite's metrics."""
        return {"metrics": ", ".join(metric.name for metric in suite_named(str(self.name)).metrics)}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options.

        Raises:
            UserError: one belongs to another suite.
        """
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # of the command line's own library, whose place differs between Typer's versions
            if type(error).__name__ != "NoSuchOption":
                raise
            wrong = str(getattr(error, "option_name", ""))
            name = wrong.strip("-").replace("-", "_")
            owners = [other.name for other in suites().values() if name in dict(_fields(other))]
            if not owners:
                raise
            message = f"{wrong} is not an option of {self.name} (it belongs to {' and '.join(owners)}); remove it"
            raise UserError(message) from None


app = typer.Typer(
    add_completion=False,
    cls=SuiteGroup,
    no_args_is_help=True,
    help="Put an agent or a model on a suite's tasks, and report how well it recovered.",
)


@app.callback()
def _run() -> None:
    """Put an agent or a model on a suite's tasks, and report how well it recovered."""


@cache
def command_of(suite: AnySuite) -> Any:
    """Make the command of a suite from the model of its options."""

    def run(
        context: typer.Context,
        out: Path | None,
        json: str,
        on: str,
        models: Path | None,
        model: list[str],
        **given: Any,
    ) -> None:
        names = named_models(model, models) or [""]
        chosen = [options_from(suite.options, {**given, "model": name}) for name in names]
        if any(options.ordered_tasks() for options in chosen):  # a room above the suites makes them
            from sealegs.generate.world_tasks import on_own_world

            with show_progress("tasks") as progress, interruptible("task"):
                chosen = [on_own_world(options, progress) for options in chosen]
        checked = [options.checked() for options in chosen]
        for where, idle in checked[0].idle():
            refuse_idle(context, where, *idle)
        _played(suite, checked, out, json, on)

    parameters = [inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    parameters += [_parameter(name, found) for name, found in _fields(suite)]
    parameters += [keyword("on", str, "", ON), keyword("models", Path | None, None, MODELS)]
    parameters += [keyword("out", Path | None, None, OUT), keyword("json", str, "", JSON)]
    set_parameters(run, parameters)
    made = typer.Typer(add_completion=False, rich_markup_mode="rich")
    again = "The same command resumes a stopped run."
    metrics = "Metrics of its report: {metrics}."
    made.command(suite.name, cls=SuiteCommand, help=f"{suite.summary}\n\n{again}\n\n{metrics}")(run)
    command = typer.main.get_command(made)
    take_urls(command, "run")
    return command


def _fields(suite: AnySuite) -> Iterator[tuple[str, FieldInfo]]:
    """The options of a suite that can be chosen; how a model is asked comes last."""
    kind = suite.options
    fields: dict[str, FieldInfo] = kind.model_fields
    for name in sorted(fields, key=lambda name: name in ModelOptions.model_fields):
        if fields[name].json_schema_extra != HIDDEN and name not in kind.unused:
            yield name, fields[name]


def _parameter(name: str, found: FieldInfo) -> inspect.Parameter:
    """The option of the command line; several models may play one after the other."""
    if name == "model":
        return keyword(name, list[str], [], typer.Option("--model", help=f"{found.description} Repeatable."))
    return model_parameter(name, found)


def _played(suite: AnySuite, chosen: Sequence[Any], out: Path | None, json: str, on: str) -> None:
    """Play one run, or those of several models one after the other, and report on each."""
    several = len(chosen) > 1
    folders = [(out / options.name if several else out) if out else options.folder for options in chosen]
    if chosen[0].estimate:
        _print_estimates(suite, chosen, folders, json)
        return
    if several:
        chosen = with_first_calls(chosen, folders)
    alone = ("--jobs", "1") if "jobs" in dict(_fields(suite)) else ()
    make_shards_elsewhere(on, chosen[0].shard, (out or LOGS) if several else folders[0], folders, alone)
    rows: list[Row] = []
    counts: list[InvalidCount] = []
    for options, folder in zip(chosen, folders, strict=True):
        if options.model and options.engine == "inspect" and (estimate := suite.estimate(options, folder)):
            [options] = with_first_calls([options], [folder])  # a wrong key gives one line, and nothing else
            errors.print(f"{options.model}: {estimate}")
        with judging_jobs(getattr(options, "jobs", None)):  # of a run that is resumed, the end is judged first
            suite.play(options, folder, TerminalView())
        if spent := budget_note(options, folder):
            errors.print(f"note: {spent}")
        if is_empty_shard(folder):
            print_empty_shard(options.shard)
            continue
        # On standard error, since standard output may be the JSON that a program reads.
        with errors.status("judging"), judging_jobs(getattr(options, "jobs", None)):
            found = suite.report(folder)
        write_report(found, "" if several else json, quiet=json == "-", max_invalid=options.max_invalid)
        rows += found.rows
        counts.append(found.validity)
        if json != "-":
            console.print(f"Records in {folder}. `sealegs report {folder}` makes a page of them.", highlight=False)
    # One run has written its rows with its report; several share one file, and empty shards have no report at all.
    if several or not counts:
        write_table_rows(rows, json)
    if json != "-" and chosen[0].agent:
        console.print(NEXT, highlight=False)
    for count in counts:
        exit_if_invalid(count, chosen[0].max_invalid)


def _print_estimates(suite: AnySuite, chosen: Sequence[Any], folders: Sequence[Path], json: str) -> None:
    """Print what each model's run will ask, and write the ranges as rows."""
    rows: list[Any] = []
    lines: list[str] = []
    for options, folder in zip(chosen, folders, strict=True):
        if not options.model:
            raise UserError("--estimate is for models: a scripted agent asks none; leave it out, or name a --model")
        estimate = suite.estimate(options, folder)
        text = estimate or f"{suite.name} makes no estimate before {FEWEST} episodes are finished; play some first"
        lines.append(f"{options.model}: {text}")
        rows += estimate.rows({"suite": suite.name, "model": options.model}) if estimate else []
    write_table_rows(rows, json)
    if json != "-":
        console.print("\n".join(lines), highlight=False, soft_wrap=True)
