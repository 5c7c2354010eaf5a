"""Options that would do nothing beside others: refused, since who gives one believes that it does something.

Only what is typed counts. A default in the project's `pyproject.toml` is there for other calls, too.
"""

from __future__ import annotations

from typing import Any

import typer

from sealegs.faults.user_error import UserError


def refuse_idle(context: typer.Context, where: str, *names: str) -> None:
    """Refuse what was typed and would do nothing.

    Args:
        context: of the command.
        where: where it would do nothing, as `beside --verify, which only checks records`.
        names: of the options and arguments.

    Raises:
        UserError: at least one of them was typed.
    """
    command: Any = context.command
    idle = [
        _as_typed(param, context.params[param.name])
        for param in command.params
        if param.name in names and getattr(context.get_parameter_source(param.name), "name", "") == "COMMANDLINE"
    ]
    if idle:
        several = len(idle) > 1
        raise UserError(
            f"{', '.join(idle)} {'do' if several else 'does'} nothing {where}; leave {'them' if several else 'it'} out"
        )


def _as_typed(param: Any, value: Any) -> str:
    """An option with its value; of a switch the word alone, and of an argument the value."""
    if param.param_type_name == "argument":
        return str(value)
    if isinstance(value, bool):
        words = param.opts if value or not param.secondary_opts else param.secondary_opts
        return str(words[0])
    return f"{param.opts[0]} {value}"
