"""The form of an invariant."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from sealegs.faults import paths

Data = Mapping[str, Any]
MOST_PATHS = 1024  # whose keys are kept


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken invariant: its family, the fields it is about, and a sentence for people."""

    family: str
    fields: tuple[str, ...]
    reason: str


class Invariant(ABC):
    """A statement about a call's arguments and its answer.

    `family` is the implicit corruption that breaks it.
    """

    __slots__ = ()
    family: ClassVar[str]

    @abstractmethod
    def fields(self) -> tuple[str, ...]:
        """Paths in the answer that the statement is about."""

    @abstractmethod
    def holds(self, arguments: Data, output: Data) -> bool:
        """Return whether the statement is true of this answer. A field that is absent makes no statement false."""

    @abstractmethod
    def says(self) -> str:
        """The statement as a short sentence."""

    @abstractmethod
    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        """A new answer with the same keys in which the statement is false; the same answer where that cannot be.

        Fields in `focus` are changed in preference to others.
        """

    def first_false(self, arguments: Data, output: Data, candidates: Iterable[Data]) -> Data:
        """The first candidate with the answer's keys of which the statement is false; else the answer itself."""
        false = (wrong for wrong in candidates if not self.holds(arguments, wrong))
        return next((wrong for wrong in false if same_shape(output, wrong)), output)


def same_shape(output: Any, wrong: Any) -> bool:
    """Return whether both have the same keys at every level."""
    return _same_shape(output, wrong) or frozenset(_key_paths(output)) == frozenset(_key_paths(wrong))


def _same_shape(output: Any, wrong: Any) -> bool:
    """Return whether both have the same keys place by place: quick to check, and nearly always true."""
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(output, dict):
        if not isinstance(wrong, dict) or output.keys() != wrong.keys():
            return False
        pairs = [(value, wrong[key]) for key, value in output.items()]
    elif isinstance(output, list):
        if not isinstance(wrong, list) or len(output) != len(wrong):
            return False
        pairs = zip(output, wrong, strict=True)
    else:
        return not isinstance(wrong, (Mapping, list, tuple)) and not isinstance(output, (Mapping, tuple))
    for left, right in pairs:
        # Two scalars are alike without another call, and most of an answer are scalars.
        alike = type(left) in paths.SCALARS and type(right) in paths.SCALARS
        if not alike and not _same_shape(left, right):
            return False
    return True


def _key_paths(data: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield (*prefix, str(key))
            yield from _key_paths(value, (*prefix, str(key)))
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _key_paths(value, (*prefix, "*"))


@lru_cache(maxsize=MOST_PATHS)
def path_keys(path: str) -> tuple[str, ...]:
    """The keys of a path without list positions."""
    return tuple(key for key in path.split(".") if not key.isdigit())


def touches(path: str, focus: Iterable[str]) -> bool:
    """Return whether a change at `path` changes what one of the `focus` paths names."""
    keys = path_keys(path)
    for other in map(path_keys, focus):
        shared = min(len(keys), len(other))
        if keys[:shared] == other[:shared]:
            return True
    return False


def focused_fields(fields: Sequence[str], focus: Sequence[str]) -> list[str]:
    """The answer's own fields among these, those in focus first."""
    own = [field for field in fields if not field.startswith("argument:")]
    return sorted(own, key=lambda field: not touches(field, focus))


def number(value: Any) -> bool:
    """Return whether the value is a number (a truth value is not)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def roughly_equal(left: Any, right: Any, share: float = 0.01) -> bool:
    """Equality for people: numbers within a share or 0.011 (cents rounded twice), text without case and outer space."""
    if left == right:
        return True
    if number(left) and number(right):
        return bool(abs(left - right) <= max(0.011, share * max(abs(left), abs(right))))
    if isinstance(left, str) and isinstance(right, str):
        return left.strip().casefold() == right.strip().casefold()
    return False


def look_up(name: str, arguments: Data, output: Data) -> tuple[Any, ...]:
    """The values of `argument:NAME` from the call, of any other path from the answer."""
    if name[:9] == "argument:":
        return paths.values_at(arguments, name[9:])
    return paths.values_at(output, name)


def describe_path(name: str) -> str:
    """A path as it reads in a sentence."""
    return f"the argument {name.removeprefix('argument:')}" if name.startswith("argument:") else name
