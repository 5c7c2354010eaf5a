"""Python objects that a user names as `module:name`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from sealegs.faults.user_error import UserError

# Parts of paths of files that are not the user's: Python's importer, libraries, and this package. Not by `Path`, which
# would write the last otherwise than code objects do where an entry of `sys.path` is as `./src`.
NOT_THEIRS = ("<frozen ", "/importlib/", "/site-packages/", __file__.rsplit(os.sep, 2)[0] + os.sep)
LONGEST = 300  # characters of an error that are shown


def import_object(name: str) -> Any:
    """The object that `module:name` names; the current folder is looked into first.

    Raises:
        UserError: there is no such module or name, or the module cannot be imported.
    """
    module, colon, path = name.partition(":")
    if not (module and colon and path):
        raise UserError(f"{name!r} names no function; write it as module:function, such as my_agent:run")
    found: Any = import_module(module, name)
    for part in path.split("."):
        if not hasattr(found, part):
            near = get_close_matches(part, dir(found), n=1)
            hint = f"did you mean {near[0]}?" if near else f"name something that is in {module}"
            raise UserError(f"module {module} has no {path!r}; {hint}")
        found = getattr(found, part)
    return found


def import_module(module: str, named: str = "") -> ModuleType:
    """The module of this name; the current folder is looked into first. `named`: the whole name that a user gave.

    Raises:
        UserError: there is no such module, or it cannot be imported.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A module that the user's own lacks is not the one that was named.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise UserError(describe_import_error(module, error)) from error
        whole = f" (of {named!r})" if named else ""
        raise UserError(f"there is no module {error.name!r}{whole} in {here} or installed; check its name") from None
    except (Exception, SystemExit) as error:  # whatever a user's module does when it is run
        raise UserError(describe_import_error(module, error)) from error


def describe_import_error(what: str, error: BaseException) -> str:
    """Say in one line why a user's module or file cannot be used, and at which of its lines."""
    text = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    # A syntax error names its line itself: it has no frame of the user's.
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not any(map(one.filename.count, NOT_THEIRS))]
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{what} cannot be used: {reason[:LONGEST]}{place}"


def import_callable(name: str) -> Callable[..., Any]:
    """The callable that `module:name` names.

    Raises:
        UserError: there is no such module or name, or what it names cannot be called.
    """
    found = import_object(name)
    if not callable(found):
        raise UserError(f"{name!r} is of type {type(found).__name__}, which cannot be called; name a function")
    return found  # type: ignore[no-any-return]
