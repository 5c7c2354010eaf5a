"""Runs of several models by one command: their names, a first question to each, and what is left of a budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from sealegs.engines.logs import SETTINGS
from sealegs.engines.run_usage import usage_of
from sealegs.faults.user_error import UserError
from sealegs.suites.run_options import RunOptions

O = TypeVar("O", bound=RunOptions)  # noqa: E741 - the options of a suite


def named_models(names: Sequence[str], file: Path | None) -> list[str]:
    """The models of the command line and of a file, each once.

    Raises:
        UserError: the file cannot be read, or names none.
    """
    if file is None:
        return list(dict.fromkeys(names))
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--models {file} cannot be read ({error}); name a text file with one model per line"
        ) from error
    listed = [one for line in lines if (one := line.partition("#")[0].strip())]
    if not listed:
        raise UserError(f"--models {file} names no model; write one per line, such as openai/gpt-5")
    return list(dict.fromkeys([*names, *listed]))


def with_first_calls(chosen: Sequence[O], folders: Sequence[Path]) -> list[O]:
    """Ask each model whose run is not begun one question, so that no run waits for a mistake in a later one's name.

    Returns:
        The options, which say what has answered.
    """
    checked = []
    for options, folder in zip(chosen, folders, strict=True):
        if options.engine == "inspect" and options.model and not (options.answered or (folder / SETTINGS).exists()):
            from sealegs.engines.inspect_first_call import ask_first

            ask_first(options.model, **options.model_setup.address)
            checked.append(options.model_copy(update={"answered": True}))
        else:
            checked.append(options)
    return checked


def budget_note(options: RunOptions, folder: Path) -> str:
    """Say that a run's budget is spent; nothing where it has none, or some is left."""
    if not options.model_setup.limited:
        return ""
    used = usage_of(folder)
    if not used.reaches(options.budget_tokens, options.budget_cost):
        return ""
    cost = f" and ${used.cost:,.4g}" if used.cost else ""
    return (
        f"the run's budget is spent ({used.tokens:,} tokens{cost} were used); the same command with a larger one plays "
        "what is left"
    )
