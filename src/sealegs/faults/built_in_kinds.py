"""The kinds of this package by name: each module in `kinds` is one, and has the class that bears its name.

A kind is imported when it is looked up, so that a plan pays only for those that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sealegs.faults.fault import Fault

PACKAGE = f"{__package__}.kinds"


def _class_name(kind: str) -> str:
    """The class of a kind: `RateLimit` of `rate_limit`."""
    return "".join(word.capitalize() for word in kind.split("_"))


# The folder is listed and nothing in it imported. `iter_modules` reads it also where the package is in a zip file.
CLASSES = {found.name: _class_name(found.name) for found in iter_modules([str(Path(__file__).with_name("kinds"))])}


class BuiltInKinds(Mapping[str, "type[Fault]"]):
    """The class of each kind, in the order of the alphabet. Only what is looked up is imported."""

    def __getitem__(self, kind: str) -> type[Fault]:
        name = CLASSES[kind]
        found: type[Fault] = getattr(import_module(f"{PACKAGE}.{kind}"), name)
        return found

    def __contains__(self, kind: object) -> bool:
        return kind in CLASSES

    def __iter__(self) -> Iterator[str]:
        return iter(CLASSES)

    def __len__(self) -> int:
        return len(CLASSES)


KINDS: Mapping[str, type[Fault]] = BuiltInKinds()


def is_built_in(fault: Fault) -> bool:
    """Whether a fault is of a kind of this package, and not of a class of others."""
    return type(fault).__module__.startswith(f"{PACKAGE}.")
