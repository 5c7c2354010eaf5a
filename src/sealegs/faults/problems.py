"""Problems of a plan, in words for the person who wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sealegs.faults.user_error import UserError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        path: where: `rules[2].when.probability`, or a line and column.
        value: what is there, as shortened JSON; empty where there is nothing.
        wrong: what is wrong, to be read after the value.
        remedy: what to do.
    """

    path: str
    value: str
    wrong: str
    remedy: str

    def __str__(self) -> str:
        text = f"{self.value} {self.wrong}" if self.value else self.wrong
        return f"{self.path}: {text}. {self.remedy}".rstrip()


class PlanError(UserError):
    """Everything that is wrong with a plan.

    Attributes:
        problems: what is wrong, first in the file's form, then in single fields, then between rules.
        source: the file's name, or `plan`.
    """

    def __init__(self, problems: Iterable[Problem], source: str = "plan") -> None:
        self.problems = tuple(problems)
        self.source = source
        count = "1 mistake" if len(self.problems) == 1 else f"{len(self.problems)} mistakes"
        super().__init__("\n".join([f"{source} has {count}:", *(f"  {problem}" for problem in self.problems)]))

    def __reduce__(self) -> tuple[type[PlanError], tuple[tuple[Problem, ...], str]]:
        return PlanError, (self.problems, self.source)


def abbreviate(value: Any, limit: int = 60) -> str:
    """A value as it reads in a message."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):  # a key that is not text, a list that holds itself
        text = str(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
