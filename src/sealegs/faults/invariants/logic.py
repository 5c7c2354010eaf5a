# ruff: noqa: D102 - the methods are documented in the base class
"""Business rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import Data, Invariant, roughly_equal


@dataclass(frozen=True, slots=True)
class Requires(Invariant):
    """The rule that `field` (the confirmation's id) has a value where `when` equals `equals` (`confirmed`)."""

    family: ClassVar[str] = "logic_violation"
    field: str
    when: str
    equals: Any

    def fields(self) -> tuple[str, ...]:
        return (self.field, self.when)

    def holds(self, arguments: Data, output: Data) -> bool:
        if not any(roughly_equal(v, self.equals) for v in paths.values_at(output, self.when)):
            return True
        return all(v not in (None, "", [], {}) for v in paths.values_at(output, self.field))

    def says(self) -> str:
        return f"{self.field} is given where {self.when} is {self.equals}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        empty: Data = paths.replace_values(output, self.field, lambda value: "" if isinstance(value, str) else None)
        claimed: Data = paths.replace_values(empty, self.when, lambda _: self.equals)
        return self.first_false(arguments, output, [empty, claimed])


@dataclass(frozen=True, slots=True)
class OneOf(Invariant):
    """The field's value is one of `allowed`; what a corruption puts there is one of `wrong`."""

    family: ClassVar[str] = "logic_violation"
    field: str
    allowed: tuple[Any, ...]
    wrong: tuple[Any, ...]

    def fields(self) -> tuple[str, ...]:
        return (self.field,)

    def holds(self, arguments: Data, output: Data) -> bool:
        return all(
            any(roughly_equal(v, a) for a in self.allowed) for v in paths.values_at(output, self.field) if v is not None
        )

    def says(self) -> str:
        return f"{self.field} is one of {', '.join(map(str, self.allowed))}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        wrong = draw.choice(self.wrong)
        return self.first_false(arguments, output, [paths.replace_values(output, self.field, lambda _: wrong)])
