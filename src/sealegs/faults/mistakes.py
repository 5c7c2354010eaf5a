"""What is wrong with a plan, in words for the person who wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that is wrong.

    Attributes:
        path: where: `rules[2].when.probability`, or a line and column.
        value: what stands there, as JSON in short; empty where nothing does.
        problem: what is wrong, to be read after the value.
        remedy: what to do.
    """

    path: str
    value: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        told = f"{self.value} {self.problem}" if self.value else self.problem
        return f"{self.path}: {told}. {self.remedy}".rstrip()


class PlanError(ValueError):
    """All mistakes of a plan.

    Attributes:
        mistakes: what is wrong, first in the file's form, then in single fields, then between rules.
        source: the file's name, or `plan`.
    """

    def __init__(self, mistakes: Iterable[Mistake], source: str = "plan") -> None:
        self.mistakes = tuple(mistakes)
        self.source = source
        count = "1 mistake" if len(self.mistakes) == 1 else f"{len(self.mistakes)} mistakes"
        super().__init__("\n".join([f"{source} has {count}:", *(f"  {mistake}" for mistake in self.mistakes)]))

    def __reduce__(self) -> tuple[type[PlanError], tuple[tuple[Mistake, ...], str]]:
        return PlanError, (self.mistakes, self.source)


def in_short(value: Any, limit: int = 60) -> str:
    """A value as it reads in a message."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):  # a key that is no text, a list that holds itself
        text = str(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
