"""Kinds of fault that are not of this package: classes of other packages and of a user's own modules.

A plan names one as `kind: module:Class`, which is looked for in the current folder first, or by the name under which an
installed package registers it in the entry point group `sealegs.kinds`. The kind of such a fault is always a name by
which it can be found again, so that what is recorded can be replayed. A kind of this package keeps its name whatever is
installed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from sealegs.faults.fault import Fault
from sealegs.faults.naming import describe_import_error, import_object
from sealegs.faults.user_error import UserError

GROUP = "sealegs.kinds"


@cache
def registered_kinds() -> Mapping[str, EntryPoint]:
    """The entry points of other packages' kinds, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def is_own_kind(name: str) -> bool:
    """Return whether a kind's name, if it is none of this package's, can be that of a class."""
    return ":" in name or name in registered_kinds()


def own_kind(name: str) -> type[Fault]:
    """The class that `module:Class`, or the name of an entry point, stands for.

    Raises:
        UserError: there is none, it cannot be imported, or it is not a kind of fault. The message is one line.
    """
    point = registered_kinds().get(name)
    if point is None:
        if not all(name.partition(":")):
            raise UserError(f"{name!r} names no class; write it as module:Class, such as my_faults:Flip")
        found = import_object(name)
    else:
        try:
            found = point.load()
        except Exception as error:  # whatever a package does when it is imported
            raise UserError(describe_import_error(f"{point.value} (entry point of {GROUP})", error)) from error
    wrong = _unfitness(found)
    if wrong:
        raise UserError(f"{name} {wrong}")
    kind: type[Fault] = found
    return kind


def own_fault(name: str, settings: Mapping[str, Any]) -> Fault:
    """The fault of that kind with these settings, its kind being the name that was given.

    Raises:
        UserError: see `own_kind`.
        ValidationError: the settings are not the kind's.
    """
    kind = own_kind(name)
    default = kind.model_fields["kind"].default
    given = {**settings, "kind": name if default is PydanticUndefined else default}
    try:
        return kind.model_validate(given).model_copy(update={"kind": name})
    except ValidationError:
        raise
    except Exception as error:  # whatever a class of others does when one is made
        raise UserError(describe_import_error(name, error)) from error


def findable(fault: Fault) -> Fault:
    """A fault of a class of others, under a kind by which its class can be found again."""
    kind = type(fault)
    point = registered_kinds().get(fault.kind)
    if (point is not None and point.value == f"{kind.__module__}:{kind.__qualname__}") or ":" in fault.kind:
        return fault
    wrong = _unfitness(kind)
    if wrong:
        raise UserError(f"{kind.__module__}:{kind.__qualname__} {wrong}")
    return fault.model_copy(update={"kind": f"{kind.__module__}:{kind.__qualname__}"})


def _unfitness(found: Any) -> str:
    """The reason why an object is not a kind of fault, in a clause; empty where it is one."""
    if not (isinstance(found, type) and issubclass(found, Fault)):
        what = found.__name__ if isinstance(found, type) else f"of type {type(found).__name__}"
        return f"is {what}, and no class of faults; name a subclass of sealegs.faults.Fault"
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        return f"does not define {missing}; see docs/own-kinds.md"
    if not inspect.isgeneratorfunction(found.act):
        return "has an act that is not a generator; yield the call in it, and return what is shown"
    if not isinstance(getattr(found, "implicit", None), bool):
        return "does not say whether what it shows looks like data; give it `implicit: ClassVar[bool] = True` or False"
    return ""
