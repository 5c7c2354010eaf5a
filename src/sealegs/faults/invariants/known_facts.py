# ruff: noqa: D102 - the methods are documented in the base class
"""The invariant of general knowledge: a capital, a time zone, a currency's country."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import Data, Invariant, describe_path, look_up, roughly_equal


@dataclass(frozen=True, slots=True)
class Known(Invariant):
    """The field's value is `table[key]`, where `key` is a path in the answer or `argument:NAME`.

    A key that the table does not hold says nothing.
    """

    family: ClassVar[str] = "fact_contradiction"
    field: str
    key: str
    table: Mapping[str, Any] = dataclasses.field(hash=False)

    def fields(self) -> tuple[str, ...]:
        return (self.field,)

    def holds(self, arguments: Data, output: Data) -> bool:
        answered = paths.values_at(output, self.field)
        right = self._right(arguments, output)
        return right is None or not answered or roughly_equal(answered[0], right)

    def says(self) -> str:
        return f"{self.field} is the known one for {describe_path(self.key)}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        right = self._right(arguments, output)
        others = sorted({v for v in self.table.values() if not roughly_equal(v, right)}, key=str)
        if right is None or not others:
            return output
        wrong = draw.choice(others)
        return self.first_false(arguments, output, [paths.replace_values(output, self.field, lambda _: wrong)])

    def _right(self, arguments: Data, output: Data) -> Any:
        keys = look_up(self.key, arguments, output)
        if not keys or not isinstance(keys[0], str):
            return None
        wanted = keys[0].strip().casefold()
        return next((value for key, value in self.table.items() if key.casefold() == wanted), None)
