# ruff: noqa: D102 - the methods are documented in the base class
"""The answer is about the entity that was asked for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import Data, Invariant, roughly_equal


@dataclass(frozen=True, slots=True)
class Echo(Invariant):
    """The field repeats the argument (which, where it is absent from the call, says nothing)."""

    family: ClassVar[str] = "irrelevant_response"
    argument: str
    field: str

    def fields(self) -> tuple[str, ...]:
        return (self.field,)

    def holds(self, arguments: Data, output: Data) -> bool:
        wanted = paths.values_at(arguments, self.argument)
        answered = paths.values_at(output, self.field)
        return not wanted or not answered or None in (wanted[0], answered[0]) or roughly_equal(wanted[0], answered[0])

    def says(self) -> str:
        return f"{self.field} repeats the argument {self.argument}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        return output  # broken by an answer about another entity, which only the tool can give
