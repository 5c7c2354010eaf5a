"""`[tool.sealegs]` of the folder's `pyproject.toml`, given to the command's parser as defaults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sealegs.experiments.project_settings import FILE, VerbOption, check_verbs, read_settings, verb_defaults
from sealegs.faults.user_error import UserError


def defaults_for(group: Any, context: Any, words: list[str]) -> dict[str, Any]:
    """The map of defaults for a command line; only the tables of the verb that is called are read in full.

    Args:
        group: the command of all verbs.
        context: its context.
        words: the command line.

    Raises:
        UserError: the settings cannot be used.
    """
    settings = read_settings(Path.cwd())
    if not settings:
        return {}
    check_verbs(settings, group.list_commands(context))
    shared = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    path, command, table = [], group, settings
    for word in words:
        if not hasattr(command, "list_commands") or word not in command.list_commands(context):
            break
        command, table = command.get_command(context, word), table.get(word, {})
        path.append(word)
        if hasattr(command, "list_commands"):
            check_verbs(table, command.list_commands(context), path)
    if not path or hasattr(command, "list_commands"):
        return {}
    found = verb_defaults(table, path, options_of(command), shared)
    for word in reversed(path):
        found = {word: found}
    return found


def options_of(command: Any) -> Iterator[VerbOption]:
    """The options and arguments of a verb."""
    for one in command.params:
        long = [word.removeprefix("--") for word in one.opts if word.startswith("--")]
        argument = one.param_type_name == "argument"
        if one.name != "help" and (argument or long):
            several = bool(getattr(one, "multiple", False)) or one.nargs == -1
            yield VerbOption(one.name, one.name if argument else long[0], several, bool(getattr(one, "is_flag", False)))


def blame_settings(error: Exception) -> None:
    """Name the file where a value of it, and not one of the command line, is refused.

    Raises:
        UserError: this is so.
    """
    param: Any = getattr(error, "param", None)
    context: Any = getattr(error, "ctx", None)
    if param is None or context is None:
        return
    source = context.get_parameter_source(param.name)
    if source is not None and source.name == "DEFAULT_MAP":
        reason = " ".join(str(getattr(error, "message", error)).split())
        raise UserError(f"{FILE}: {param.name} of `{context.command_path}` cannot be used: {reason}") from error
