"""Names of a package that are loaded when they are first used, so that importing one module does not import its kin."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Args:
        package: its name.
        homes: the module of each public name. Type checkers read the same from imports under `TYPE_CHECKING`.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(homes[name]), name)
        except ModuleNotFoundError as error:
            _explain(error, f"{package}.{name}")
            raise
        setattr(sys.modules[package], name, value)
        return value

    return load


def _explain(error: ModuleNotFoundError, what: str) -> None:
    """Say how to install what is missing, where that is a package of the extra `cli`."""
    from sealegs.cli_extra import PACKAGES, why_unusable
    from sealegs.faults.user_error import UserError

    if (error.name or "").partition(".")[0] in PACKAGES and (message := why_unusable(what)):
        raise UserError(message) from error
