"""The tools of a check as a user gives them: a list, the name of one, or a function that makes fresh ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sealegs.adapters.python import DECLARED
from sealegs.experiments.reference_check.checked_tools import CheckedTool, read_tools
from sealegs.faults.naming import import_object
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError


def tool_maker(
    tools: str | Iterable[Any] | Callable[[], Iterable[Any]], specs: list[ToolSpec], effects: Sequence[str] | None
) -> Callable[[], list[CheckedTool]]:
    """Return what gives the tools of a run: always the same ones, or those that a function makes afresh.

    Raises:
        UserError: one tool was given in place of several.
    """
    given: Any = import_object(tools) if isinstance(tools, str) else tools
    if isinstance(effects, str):
        raise UserError(f"effects is the text {effects!r}; give a list of names, such as [{effects!r}]")
    if makes_fresh(given):
        make = given

        def fresh() -> list[CheckedTool]:
            try:
                found = make()
            except TypeError as error:
                raise UserError(
                    f"tools is a function that cannot be called without arguments ({error}); give a list"
                ) from error
            return read_tools(found, specs, effects)

        return fresh
    same = read_tools(given, specs, effects)
    return lambda: same


def makes_fresh(tools: Any) -> bool:
    """Return whether tools are given by a function that makes them, which a single tool is not."""
    found = import_object(tools) if isinstance(tools, str) else tools
    single = hasattr(found, DECLARED) or hasattr(found, "invoke")
    return callable(found) and not hasattr(found, "__iter__") and not single


def acts_unreset(tools: Sequence[CheckedTool], afresh: bool) -> str:
    """The warning where tools change something and nothing puts it back; empty for none."""
    acting = [tool.spec.name for tool in tools if tool.spec.effects]
    if not acting or afresh:
        return ""
    return (
        f"{', '.join(acting)} really changes something in each run, and nothing puts it back: give reset=..., or a "
        "function that makes fresh tools"
    )
