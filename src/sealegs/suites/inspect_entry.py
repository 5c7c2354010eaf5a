"""Your own suite as Inspect finds it: `inspect eval PACKAGE/SUITE -T OPTION=VALUE`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task

from sealegs.suites.choices import ChoiceError
from sealegs.suites.run_options import HIDDEN, ModelOptions, options_from
from sealegs.suites.tool_suite import ToolSuite
from sealegs.suites.tool_suite_task import task_of

OF_THE_COMMAND = ("agent", "model", "engine", "jobs")  # what Inspect's own command line says


def inspect_task(suite: ToolSuite) -> Callable[..., Task]:
    """Make the suite's task of Inspect, whose parameters (`-T`) are the suite's options.

    A package puts what this returns into the module that its entry point `inspect_ai` names.
    """

    def make(**given: Any) -> Task:
        options = options_from(suite.options, given)
        if wrong := [problem for problem in options.problems() if "name an agent or a model" not in problem]:
            raise ChoiceError("; ".join(wrong))
        return task_of(suite, options.episodes(), options.max_steps, options.epochs)

    fields = {
        name: field
        for name, field in suite.options.model_fields.items()
        if name not in {*OF_THE_COMMAND, *ModelOptions.model_fields} and field.json_schema_extra != HIDDEN
    }
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=field.get_default(), annotation=field.annotation
            )
            for name, field in fields.items()
        ]
    )
    make.__name__ = make.__qualname__ = suite.name
    make.__module__ = type(suite).__module__  # Inspect prefixes a task's name with the package that it is from
    make.__doc__ = suite.summary
    return task(make)
