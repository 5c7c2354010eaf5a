# ruff: noqa: D102 - the methods are documented in the base class
"""Numbers: physical bounds, aggregates and what follows from other fields."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import (
    Data,
    Invariant,
    describe_path,
    focused_fields,
    look_up,
    number,
    roughly_equal,
)

ADDED = 0.0005  # a share: how far a sum of rounded numbers may be off


@dataclass(frozen=True, slots=True)
class Bounds(Invariant):
    """Every number at `field` lies between `minimum` and `maximum` (None: no bound)."""

    family: ClassVar[str] = "physics_violation"
    field: str
    minimum: float | None = None
    maximum: float | None = None

    def fields(self) -> tuple[str, ...]:
        return (self.field,)

    def holds(self, arguments: Data, output: Data) -> bool:
        for value in paths.values_at(output, self.field):  # noqa: SIM110  # a generator takes longer
            if number(value) and not self._inside(value):
                return False
        return True

    def says(self) -> str:
        low = "" if self.minimum is None else f"at least {self.minimum:g}"
        high = "" if self.maximum is None else f"at most {self.maximum:g}"
        return f"{self.field} is {' and '.join(part for part in (low, high) if part)}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        sides = [side for side, bound in (("below", self.minimum), ("above", self.maximum)) if bound is not None]
        if not sides:
            return output
        side = draw.choice(sides)

        def outside(value: Any) -> Any:
            if not number(value):
                return value
            # Well beyond the bound: what is just outside could pass for rounding.
            if side == "above":
                wrong = (self.maximum or 0.0) + max(1.0, abs(self.maximum or 0.0)) * (1 + draw.randrange(1, 9) / 4)
            else:
                wrong = min(self.minimum or 0.0, 0.0) - max(1.0, abs(value)) * (1 + draw.randrange(1, 9) / 8)
            return round(wrong) if isinstance(value, int) else round(wrong, 2)

        return self.first_false(arguments, output, [paths.replace_values(output, self.field, outside)])

    def _inside(self, value: float) -> bool:
        return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)


@dataclass(frozen=True, slots=True)
class Sums(Invariant):
    """The number at `field` is the sum of the numbers at `parts` (paths of numbers or of lists of numbers)."""

    family: ClassVar[str] = "statistical_inconsistency"
    field: str
    parts: tuple[str, ...]

    def fields(self) -> tuple[str, ...]:
        return (self.field, *self.parts)

    def holds(self, arguments: Data, output: Data) -> bool:
        total = [v for v in paths.values_at(output, self.field) if number(v)]
        numbers = [v for part in self.parts for v in _listed(look_up(part, arguments, output))]
        return not total or not all(map(number, numbers)) or roughly_equal(total[0], sum(numbers), ADDED)

    def says(self) -> str:
        return f"{self.field} is the sum of {' and '.join(map(describe_path, self.parts))}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        return self.first_false(
            arguments, output, (move_numbers_off(output, field, draw) for field in focused_fields(self.fields(), focus))
        )


@dataclass(frozen=True, slots=True)
class Mean(Invariant):
    """The number at `field` is the mean of the numbers at `parts` (a path of numbers or of a list of numbers)."""

    family: ClassVar[str] = "statistical_inconsistency"
    field: str
    parts: str

    def fields(self) -> tuple[str, ...]:
        return (self.field, self.parts)

    def holds(self, arguments: Data, output: Data) -> bool:
        mean = [v for v in paths.values_at(output, self.field) if number(v)]
        numbers = _listed(look_up(self.parts, arguments, output))
        return (
            not mean
            or not numbers
            or not all(map(number, numbers))
            or roughly_equal(mean[0], sum(numbers) / len(numbers), ADDED)
        )

    def says(self) -> str:
        return f"{self.field} is the mean of {describe_path(self.parts)}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        return self.first_false(
            arguments, output, (move_numbers_off(output, field, draw) for field in focused_fields(self.fields(), focus))
        )


@dataclass(frozen=True, slots=True)
class Counts(Invariant):
    """The number at `field` is the length of the list at `items`."""

    family: ClassVar[str] = "statistical_inconsistency"
    field: str
    items: str

    def fields(self) -> tuple[str, ...]:
        return (self.field,)

    def holds(self, arguments: Data, output: Data) -> bool:
        count = paths.values_at(output, self.field)
        lists = [v for v in look_up(self.items, arguments, output) if isinstance(v, (list, tuple))]
        return not count or not number(count[0]) or not lists or count[0] == len(lists[0])

    def says(self) -> str:
        return f"{self.field} is the number of {describe_path(self.items)}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        return self.first_false(arguments, output, [move_numbers_off(output, self.field, draw)])


@dataclass(frozen=True, slots=True)
class Formula(Invariant):
    """The value at `field` is `function` of the values at `inputs` (paths, or `argument:NAME`).

    Each input contributes its first value; where one is absent or the function fails, nothing is stated.
    """

    family: ClassVar[str] = "internal_contradiction"
    field: str
    inputs: tuple[str, ...]
    function: Callable[..., Any]
    text: str

    def fields(self) -> tuple[str, ...]:
        return (self.field, *(i for i in self.inputs if not i.startswith("argument:")))

    def holds(self, arguments: Data, output: Data) -> bool:
        result = paths.values_at(output, self.field)
        found = [look_up(name, arguments, output) for name in self.inputs]
        # What cannot be worked out is not broken.
        if not result or result[0] is None or not all(found):
            return True
        try:
            return roughly_equal(result[0], self.function(*(values[0] for values in found)))
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
            return True

    def says(self) -> str:
        return self.text

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        return self.first_false(
            arguments, output, (move_numbers_off(output, field, draw) for field in focused_fields(self.fields(), focus))
        )


def _listed(found: tuple[Any, ...]) -> list[Any]:
    """The values, those of a list of scalars one by one."""
    return [item for value in found for item in (value if isinstance(value, (list, tuple)) else (value,))]


def move_numbers_off(output: Data, path: str, draw: random.Random) -> Data:
    """The answer with each number at the path well off, of the same sign and kind; other values stay."""
    factor = draw.choice([0.35, 0.55, 1.6, 1.85, 2.4])

    def wrong(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [wrong(item) for item in value]
        if not number(value):
            return value
        sign = -1 if value < 0 else 1
        # A share of a small number would hardly move it, so some is added.
        moved = value * factor + (3 * sign if factor > 1 or abs(value) < 1 else 0)
        if isinstance(value, int):
            return round(moved) if round(moved) != value else value + 3 * sign
        return round(moved, 2)

    changed: Data = paths.replace_values(output, path, wrong)
    return changed
