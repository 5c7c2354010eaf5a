"""A folder of tasks beside the public ones, figure by figure: whether a fresh set is like them.

The public ones are those that ship; for a private set with requests by the rules that worded it, too.

A figure of one set differs from the other's by chance, too. So each difference has its size in standard errors, by the
spread of the shipped tasks; beyond 2 it is more than chance explains. Of the similarity, which is of pairs of tasks,
there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.reports.metric_grids import NOTHING
from sealegs.scenarios import LEVELS
from sealegs.scenarios.task_figures import SetFigures, set_figures
from sealegs.scenarios.task_sets import PUBLIC, task_set
from sealegs.scoring.metric import ALL, Row
from sealegs.world.corpus import load_corpus


@dataclass(frozen=True)
class SetComparison:
    """The figures of two sets by level.

    Attributes:
        own, public: by level; of those levels that both have.
        editions: of both.
    """

    own: Mapping[str, SetFigures]
    public: Mapping[str, SetFigures]
    editions: tuple[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the figures."""
        return tuple(next(iter(self.own.values())).means)

    def errors_apart(self, level: str, name: str) -> float | None:
        """The difference of the sets in a figure, in standard errors; None where the figure has no error."""
        mine, theirs = self.own[level], self.public[level]
        if name not in mine.errors:
            return None
        change = mine.means[name] - theirs.means[name]
        error = theirs.errors[name] * sqrt(1 + theirs.tasks / mine.tasks)
        return change / error if error else None if change else 0.0

    def lines(self) -> Iterator[tuple[str, str, str, str]]:
        """What, this set, the public one, and the standard errors between them, by level with slashes."""
        for name in self.names:
            mine, theirs = (
                " / ".join(f"{found[level].means[name]:.3g}" for level in self.own) for found in (self.own, self.public)
            )
            yield name, mine, theirs, " / ".join(_signed(self.errors_apart(level, name)) for level in self.own)

    def notes(self) -> str:
        """The facts that the table cannot show."""
        counts = (" / ".join(str(one.tasks) for one in found.values()) for found in (self.own, self.public))
        mine, theirs = counts
        return (
            f"Figures with slashes are of {' / '.join(self.own)}: {mine} tasks of {self.editions[0]}, {theirs} of "
            f"{self.editions[1]}.\nBy chance alone two sets differ by up to 2 standard errors in 19 of 20 figures."
        )

    def rows(self) -> list[Row]:
        """Both sets' figures in the long table; the standard errors between them are the set's own."""
        rows: list[Row] = []
        for edition, found in zip(self.editions, (self.own, self.public), strict=True):
            for level, one in found.items():
                rows += [_row(edition, level, name, value, one.tasks) for name, value in one.means.items()]
        for level, one in self.own.items():
            apart = ((name, self.errors_apart(level, name)) for name in self.names)
            rows += [
                _row(self.editions[0], level, f"{name}: standard errors from the public tasks", value, one.tasks)
                for name, value in apart
                if value is not None
            ]
        return rows

    def about(self) -> dict[str, Any]:
        """The task sets that are compared."""
        return {"task_sets": list(self.editions)}


def compare_with_public(folder: Path) -> SetComparison:
    """The figures of a folder's tasks and of the public ones.

    Raises:
        UserError: there are no tasks, or they are played on other tools.
    """
    own = task_set(str(folder.resolve()))
    if own.recorded or own.own is not None:
        raise UserError("--tasks: these tasks are made of other tools than those that ship, and cannot be compared")
    other = task_set(str(folder.resolve() / PUBLIC)) if own.private else task_set()
    found = [
        {
            level: set_figures(tasks, load_corpus())
            for level in LEVELS
            if (tasks := [task for task in each.tasks.values() if task.level == level])
        }
        for each in (own, other)
    ]
    mine, theirs = found
    return SetComparison(mine, {level: theirs[level] for level in mine}, (own.edition, other.edition))


def _signed(value: float | None) -> str:
    return NOTHING if value is None else f"{value:+.1f}".replace("-", "−")


def _row(edition: str, level: str, name: str, value: float, tasks: int) -> Row:
    row: Row = {"suite": "maze", "agent": "tasks", "task_set": edition, "level": level, "mode": ALL, "metric": name}
    return {**row, "value": round(value, 4), "low": None, "high": None, "n": tasks}
