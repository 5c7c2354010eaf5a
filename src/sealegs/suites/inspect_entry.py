"""A suite as Inspect finds it: `inspect eval PACKAGE/SUITE -T OPTION=VALUE`, with the options of `sealegs run`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.solver import Solver, solver

from sealegs.engines.inspect_runner import Display, run_left
from sealegs.engines.logs import LogSchema
from sealegs.faults.user_error import UserError
from sealegs.suites.run_options import HIDDEN, ModelOptions, RunOptions, options_from
from sealegs.suites.tool_suite import ToolSuite
from sealegs.suites.tool_suite_task import task_of

OF_THE_COMMAND = ("agent", "model", "engine", "jobs", "shard")  # what Inspect's own command line says
GIVEN = "inspect"  # in the options, it means the model that Inspect's command line names
O = TypeVar("O", bound=RunOptions)  # noqa: E741 - the options of a suite


def inspect_task(suite: ToolSuite) -> Callable[..., Task]:
    """Make the task of a suite of your own, whose parameters (`-T`) are the suite's options.

    A package puts what this returns into the module that its entry point `inspect_ai` names.
    """

    def build(options: Any, episodes: list[Any]) -> Task:
        return task_of(suite, episodes, options.max_steps, options.epochs)

    module = type(suite).__module__
    return option_task(suite.options, build, name=suite.name, summary=suite.summary, module=module)


def option_task(
    kind: type[O],
    build: Callable[[O, list[Any]], Task],
    *,
    name: str,
    summary: str,
    module: str,
) -> Callable[..., Task]:
    """Make a task whose parameters are a suite's options and `only`, the ids of the episodes to run (all by default).

    Args:
        kind: the options, which also give the episodes.
        build: makes the task from checked options and the episodes that are to be run.
        name: of the task.
        summary: what the task is, in a sentence.
        module: the task's home; Inspect puts the package's name in front of the task's.
    """

    def make(only: Sequence[str] | None = None, **given: Any) -> Task:
        try:
            options = options_from(kind, {**given, "model": GIVEN}).checked()
        except UserError as error:
            raise PrerequisiteError(str(error)) from error  # which Inspect's command prints without a traceback
        return build(options, [one for one in options.episodes() if only is None or one.id in only])

    fields = {name: kind.model_fields[name] for name in _parameters(kind)}
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=one.get_default(), annotation=one.annotation)
        for name, one in fields.items()
    ]
    only = inspect.Parameter("only", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Sequence[str] | None)
    make.__signature__ = inspect.Signature([*parameters, only])  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = name
    make.__module__ = module
    lines = [f"    {name}: {one.description}" for name, one in fields.items()]
    make.__doc__ = "\n".join([summary, "", "Args:", *lines, "    only: Ids of the episodes to run; all by default."])
    return task(make)


def setup_solver(kind: type[Any], make: Callable[[Any], Solver], *, name: str, module: str) -> Callable[..., Solver]:
    """Make a solver whose parameters are the fields of a setup, which Inspect then notes in its logs.

    Args:
        kind: the dataclass of the setup.
        make: makes the solver.
        name: of the solver.
        module: the solver's home; Inspect puts the package's name in front of the solver's.
    """

    def made(*given: Any, **named: Any) -> Solver:
        return make(kind(*given, **named))

    made.__signature__ = inspect.signature(kind, eval_str=True)  # type: ignore[attr-defined]
    made.__name__ = made.__qualname__ = name
    made.__module__ = module
    made.__doc__ = make.__doc__
    return solver(made)


def play_rest_in_inspect(
    made: Callable[..., Task],
    settings: RunOptions,
    folder: Path,
    form: LogSchema[Any],
    display: Display | None = None,
) -> None:
    """Run what is left of a run, as a task that `option_task` made; see `run_left`.

    Raises:
        LogError: the model is unknown or cannot be called, or Inspect itself ended with an error.
    """

    def make(left: list[Any]) -> Task:
        given = {name: getattr(settings, name) for name in _parameters(type(settings))}
        whole = len(left) == len(settings.episodes())
        return made(**given, only=None if whole else [episode.id for episode in left])

    name = f"sealegs/{settings.agent}" if settings.agent else settings.model
    options: dict[str, Any] = {"log_realtime": False, "max_samples": 8} if settings.agent else {}
    run_left(settings, folder, form, name, make, setup=settings.model_setup, display=display, **options)


def _parameters(kind: type[RunOptions]) -> list[str]:
    """Names of the options that are a task's parameters."""
    left = {*OF_THE_COMMAND, *ModelOptions.model_fields, *kind.of_the_command}
    return [name for name, one in kind.model_fields.items() if name not in left and one.json_schema_extra != HIDDEN]
