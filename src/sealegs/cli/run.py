"""`sealegs run SUITE`: put an agent or a model on a suite's tasks. Commands and options are made from the suites."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from pydantic.fields import FieldInfo
from typer.core import TyperCommand, TyperGroup

from sealegs.cli.output import console, errors, write_report
from sealegs.cli.progress import interruptible, show_progress
from sealegs.cli.shared_options import json_option
from sealegs.faults.user_error import UserError
from sealegs.suites.run_options import FLAGS, HIDDEN, options_from
from sealegs.suites.suite import Suite, suite_named, suites

NEXT = (
    'Next, your own agent: README.md shows it under "Test your own agent"; docs/adapters.md has what each framework '
    "needs."
)
OUT = typer.Option(help="The run's folder; sealegs-logs/NAME by default.")
JSON = json_option("Write the long table to this file, or - for standard output.")


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


class SuiteCommand(TyperCommand):
    """The command of a suite. An option that belongs to another suite is refused by name."""

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
            told = f"{wrong} is not an option of {self.name} (it belongs to {' and '.join(owners)}); remove it"
            raise UserError(told) from None


app = typer.Typer(
    cls=SuiteGroup,
    no_args_is_help=True,
    help="Put an agent or a model on a suite's tasks, and report how well it recovered.",
)


@app.callback()
def _run() -> None:
    """Put an agent or a model on a suite's tasks, and report how well it recovered."""


def command_of(suite: Suite[Any]) -> Any:
    """Make the command of a suite from the model of its options."""

    def run(out: Path | None, json: str, **given: Any) -> None:
        options = options_from(suite.options, given)
        if given.get("world"):
            from sealegs.generate.world_tasks import on_own_world

            with show_progress("tasks") as progress, interruptible("task"):
                options = on_own_world(options, progress)
        _played(suite, options.checked(), out, json)

    parameters = [_parameter(name, found) for name, found in _fields(suite)]
    parameters += [_keyword("out", Path | None, None, OUT), _keyword("json", str, "", JSON)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    made = typer.Typer(add_completion=False, rich_markup_mode="rich")
    again = "The same command resumes a stopped run."
    made.command(suite.name, cls=SuiteCommand, help=f"{suite.summary}\n\n{again}")(run)
    return typer.main.get_command(made)


def _fields(suite: Suite[Any]) -> Iterator[tuple[str, FieldInfo]]:
    fields: dict[str, FieldInfo] = suite.options.model_fields
    yield from ((name, found) for name, found in fields.items() if found.json_schema_extra != HIDDEN)


def _parameter(name: str, found: FieldInfo) -> inspect.Parameter:
    """An option of the command line: names separated by commas are one text; a switch has no opposite."""
    extra = found.json_schema_extra
    if isinstance(extra, dict) and FLAGS in extra:
        flags = [str(flag) for flag in cast("list[str]", extra[FLAGS])]
        return _keyword(
            name, list[str], [], typer.Option(*flags, f"--{name.replace('_', '-')}", help=found.description)
        )
    default = ",".join(found.default) if isinstance(found.default, tuple) else found.default
    kind = str if isinstance(default, str) else found.annotation
    least = next((limit.ge for limit in found.metadata if hasattr(limit, "ge")), None)
    most = next((limit.le for limit in found.metadata if hasattr(limit, "le")), None)
    words = [f"--{name.replace('_', '-')}"] if isinstance(default, bool) else []
    return _keyword(name, kind, default, typer.Option(*words, min=least, max=most, help=found.description))


def _keyword(name: str, kind: Any, default: Any, option: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


class TerminalView:
    """What a suite shows while it plays, on standard error."""

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """Show progress; Ctrl-C ends the command with a word on what is kept."""
        with show_progress(label) as progress, interruptible():
            yield progress

    def note(self, message: str) -> None:
        """Print a note that is not a result."""
        errors.print(f"note: {message}")


def _played(suite: Suite[Any], options: Any, out: Path | None, json: str) -> None:
    folder = out or Path("sealegs-logs") / options.name
    suite.play(options, folder, TerminalView())
    with errors.status("judging"):
        found = suite.report(folder)
    write_report(found, json)
    if json != "-":
        console.print(f"Records in {folder}. `sealegs report {folder}` makes a page of them.", highlight=False)
        if options.agent:
            console.print(NEXT, highlight=False)
