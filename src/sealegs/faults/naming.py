"""Python objects that a user names as `module:name`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError


def import_object(name: str) -> Any:
    """What `module:name` names; the current folder is looked into first.

    Raises:
        UserError: there is no such module or name.
    """
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise UserError(f"{name!r} names no function; write it as module:function, such as my_agent:run")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A module that the user's own lacks is not the one that was named.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise UserError(
            f"there is no module {error.name!r} (of {name!r}) in {here} or installed; check its name"
        ) from None
    for part in path.split("."):
        if not hasattr(found, part):
            near = get_close_matches(part, dir(found), n=1)
            hint = f"did you mean {near[0]}?" if near else f"name something that stands in {module}"
            raise UserError(f"module {module} has no {path!r}; {hint}")
        found = getattr(found, part)
    return found


def import_callable(name: str) -> Callable[..., Any]:
    """The callable that `module:name` names.

    Raises:
        UserError: there is no such module or name, or what it names cannot be called.
    """
    found = import_object(name)
    if not callable(found):
        raise UserError(f"{name!r} is a {type(found).__name__}, no function: it cannot be called; name one")
    return found  # type: ignore[no-any-return]
