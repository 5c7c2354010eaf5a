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
# The order in which kinds are listed and tried: from the simple to the elaborate, and those of models last. Draws of a
# hunt depend on it, so that a kind keeps its place; one that is not named here comes after these.
ORDER = (
    "error", "rate_limit", "connection", "timeout", "delay", "hang", "interrupted", "drip", "malformed", "empty",
    "partial", "schema_drift", "delta", "scramble", "stale", "wrong_entity", "unit_swap", "forged", "lost_ack",
    "silent_noop", "duplicate", "poisoned", "physics_violation", "tool_leakage", "irrelevant_response",
    "statistical_inconsistency", "internal_contradiction", "missing_required_fields", "logic_violation",
    "temporal_contradiction", "fact_contradiction", "model_error", "altered_reply",
)  # fmt: skip


def _class_name(kind: str) -> str:
    """The class of a kind: `RateLimit` of `rate_limit`."""
    return "".join(word.capitalize() for word in kind.split("_"))


def _kinds() -> list[str]:
    # The folder is listed and nothing in it imported. `iter_modules` reads it also where the package is in a zip file.
    found = sorted(module.name for module in iter_modules([str(Path(__file__).with_name("kinds"))]))
    return sorted(found, key=lambda kind: ORDER.index(kind) if kind in ORDER else len(ORDER))


CLASSES = {kind: _class_name(kind) for kind in _kinds()}


class BuiltInKinds(Mapping[str, "type[Fault]"]):
    """The class of each kind, by `ORDER`. Only what is looked up is imported."""

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
    """Return whether a fault is of a kind of this package, and not of a class of others."""
    return type(fault).__module__.startswith(f"{PACKAGE}.")
