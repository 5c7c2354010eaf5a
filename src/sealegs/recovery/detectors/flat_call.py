"""A call and its answer laid flat, as statements about answers read them.

Every scalar is kept under its path without list positions (`lines.amount`); an argument under `argument:NAME`. What is
in a list can be read by an aggregate: `sum of lines.amount`, `number of lines`. A text that holds JSON is parsed. The
order of items is lost, and with it which values of two lists belong to one item.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sealegs.faults.invariants.invariant import number

ARGUMENT = "argument:"
AGGREGATES: dict[str, Callable[[list[Any]], float]] = {
    "sum of ": sum,
    "mean of ": lambda values: sum(values) / len(values),
    "least of ": min,
    "greatest of ": max,
    "first of ": lambda values: float(values[0]),
}
NUMBER_OF = "number of "
LEVELS = 40  # of nesting that are looked at
HUGE = 10**300  # a whole number beyond it is not a number to calculate with


class FlatCall:
    """A call's arguments and its answer.

    Attributes:
        values: the scalars by path.
        sizes: the length of each list by path; of a list that lies in lists, of all of them together.
        listed: paths that lie in a list.
    """

    __slots__ = ("_numbers", "listed", "sizes", "values")

    def __init__(self, arguments: Mapping[str, Any], answer: Any) -> None:
        self.values: dict[str, list[Any]] = {}
        self.sizes: dict[str, int] = {}
        self.listed: set[str] = set()
        self._numbers: dict[str, float | None] = {}
        self._add(_read(answer), "", False, 0)
        for name, value in arguments.items():
            self._add(value, ARGUMENT + name, False, 0)

    def single(self, name: str) -> Any:
        """The one value of this path; None where there is none, or a list of them."""
        found = self.values.get(name)
        return found[0] if found is not None and len(found) == 1 else None

    def number(self, name: str) -> float | None:
        """The number of this path or aggregate; None where there is none."""
        found = self.values.get(name)
        if found is not None:
            return found[0] if len(found) == 1 and number(found[0]) else None
        if name not in self._numbers:
            self._numbers[name] = self._aggregate(name)
        return self._numbers[name]

    def numbers(self) -> Iterator[str]:
        """The names of all numbers, aggregates too, in the order of the answer."""
        for path, found in self.values.items():
            if path not in self.listed:
                if len(found) == 1 and number(found[0]):
                    yield path
            elif all(map(number, found)):
                yield from (aggregate + path for aggregate in AGGREGATES)
        yield from (NUMBER_OF + path for path in self.sizes)

    def _aggregate(self, name: str) -> float | None:
        if name.startswith(NUMBER_OF):
            return self.sizes.get(name[len(NUMBER_OF) :])
        for words, function in AGGREGATES.items():
            if name.startswith(words):
                found = self.values.get(name[len(words) :])
                return function(found) if found and all(map(number, found)) else None
        return None

    def _add(self, data: Any, path: str, listed: bool, level: int) -> None:
        if isinstance(data, dict) and level < LEVELS:
            for key, value in data.items():
                self._add(value, f"{path}.{key}" if path else str(key), listed, level + 1)
        elif isinstance(data, (list, tuple)) and level < LEVELS:
            self.sizes[path] = self.sizes.get(path, 0) + len(data)
            for value in data:
                self._add(value, path, True, level + 1)
        # Not with the dicts above: the check of an abstract class costs much more, and answers are nearly always plain
        # dicts.
        elif isinstance(data, Mapping) and level < LEVELS:
            self._add(dict(data), path, listed, level)
        else:
            if isinstance(data, int) and abs(data) > HUGE:
                data = math.copysign(math.inf, data)
            self.values.setdefault(path, []).append(data)
            if listed:
                self.listed.add(path)


def _read(answer: Any) -> Any:
    """The answer; where it is a text that holds an object or a list as JSON, that."""
    if isinstance(answer, str) and answer[:1] in ("{", "["):
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            return answer
    return answer


def last_key(name: str) -> str:
    """A path's last key: what a field is called, wherever it is."""
    return name.removeprefix(ARGUMENT).rpartition(".")[2]
