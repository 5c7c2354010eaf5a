"""Counts of a run's invalid episodes and of its models' usage, in rows beside the figures.

A provider that could not be called, a sandbox or a judge that failed says nothing of an agent. Such an episode is in no
denominator of any figure. They are found where records are read, and counted here: `invalid` is their share of all that
were played, in %. `tokens`, `cost` (in dollars) and `seconds` are those of all models of a valid episode, on average,
where they are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sealegs.scoring.metric import ALL, Design, EpisodeTable, Metric, Row, estimate, figure_row
from sealegs.traces.record import USAGE, Record

NAME = "invalid"


@dataclass(frozen=True, slots=True)
class InvalidCount:
    """The number of invalid episodes among those that were played."""

    invalid: int = 0
    played: int = 0

    @property
    def share(self) -> float:
        """The share of all that were played, in %."""
        return 100 * self.invalid / self.played if self.played else 0.0


class PlayedCell(NamedTuple):
    """The cell of an episode, the reason why it is not counted (empty for a valid one), and its models' usage."""

    level: str
    mode: str
    task: str
    cause: str = ""
    tokens: float | None = None
    cost: float | None = None
    seconds: float | None = None


def played_cell(level: str, mode: str, task: str, one: Record | str) -> PlayedCell:
    """The cell in which an episode is counted.

    Args:
        level, mode, task: the episode's.
        one: its record, or the reason why it is invalid.
    """
    if isinstance(one, str):
        return PlayedCell(level, mode, task, one)
    used = one.about.get(USAGE) or {}
    return PlayedCell(level, mode, task, "", used.get("tokens"), used.get("cost"), used.get("seconds"))


INVALID = Metric[PlayedCell](NAME, lambda one: bool(one.cause))
PLAYED = (
    INVALID,
    Metric[PlayedCell]("tokens", lambda one: one.tokens or 0, lambda one: one.tokens is not None, kind="amount"),
    Metric[PlayedCell]("cost", lambda one: one.cost or 0, lambda one: one.cost is not None, kind="amount", digits=6),
    Metric[PlayedCell]("seconds", lambda one: one.seconds or 0, lambda one: one.seconds is not None, kind="amount"),
)
DESIGN = Design[PlayedCell](stratum=lambda _: "", cluster=lambda one: one.task)


def invalid_count(played: Sequence[PlayedCell]) -> InvalidCount:
    """The number of invalid episodes among these."""
    return InvalidCount(sum(bool(one.cause) for one in played), len(played))


def playing_rows(played: Iterable[PlayedCell], who: Row, *, of_all: bool = True) -> Iterator[Row]:
    """The share of invalid episodes by level and mode, of a model always, else where there are any; and what was used.

    Args:
        played: every episode, valid or not.
        who: `suite` and `agent` or `model`, copied into each row.
        of_all: whether the table has cells of all levels and modes together.
    """
    table = EpisodeTable(list(played), DESIGN)
    in_doubt = "model" in who or any(one.cause for one in table)
    metrics = [metric for metric in PLAYED if (in_doubt if metric is INVALID else table.counted(metric))]
    for level, mode, cell in table.cells(lambda one: one.level, lambda one: one.mode, ordered=True):
        if of_all or ALL not in (level, mode):
            yield from (figure_row(who, level, mode, metric.name, estimate(metric, cell)) for metric in metrics)
