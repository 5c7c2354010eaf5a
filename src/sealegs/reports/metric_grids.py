"""The long table as grids of cells, levels by modes, with what may be said of each.

A rate of recovery is shown only where a fault was delivered: a cell without one is `not exposed`, a run without one is
`inconclusive`. RC is treated alike, because its 0 would otherwise read as perfect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sealegs.scoring.maze_metrics import CLEAN, OVER_FAULTS, MazeResult
from sealegs.scoring.metric import ALL, Row

MAIN = ("tsr", "prr", "rc", "doubled", "wrong_effects")  # the columns of the main table
ABOUT_FAULTS = ("prr", "prr_as_published", "rc")
NOT_EXPOSED = "not exposed"
INCONCLUSIVE = "inconclusive"
NOTHING = "–"


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One estimate.

    Attributes:
        value: in %; None where it cannot be estimated.
        low, high: its interval at 95 %.
        n: what it is a share of, or how many episodes it is a mean of.
        note: what is shown in its place where there is no value.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    note: str = NOTHING

    @property
    def interval(self) -> str:
        """The interval, as `60.1, 82.3`; empty where there is none."""
        return "" if self.low is None or self.high is None else f"{figure(self.low)}, {figure(self.high)}"

    def __str__(self) -> str:
        """`72.5 [60.1, 82.3]`, or the note."""
        if self.value is None:
            return self.note
        return f"{figure(self.value)} [{self.interval}]" if self.interval else figure(self.value)


class MazeResults(tuple[MazeResult, ...]):
    """The judged episodes of a run. They are counted once for all of its tables, however many episodes there are."""

    @cached_property
    def exposures(self) -> Mapping[tuple[str, str], int]:
        """The number of episodes that met a fault, for each level and mode that there is."""
        found: dict[tuple[str, str], int] = {}
        for result in self:
            cell = result.level, result.mode
            found[cell] = found.get(cell, 0) + result.verdict.exposed
        return found


@dataclass(frozen=True, slots=True)
class Grid:
    """One metric's cells by level and mode; the last of each is `all`."""

    metric: str
    levels: tuple[str, ...]
    modes: tuple[str, ...]
    cells: Mapping[tuple[str, str], MetricCell]

    def at(self, level: str, mode: str) -> MetricCell:
        """The cell; an empty one where the run has no such episodes."""
        return self.cells.get((level, mode), MetricCell())


def figure(value: float) -> str:
    """A rate with one decimal; 0 and 100 without, because they are exact."""
    return f"{value:.0f}" if value in (0, 100) else f"{value:.1f}"


def grid(rows: Sequence[Row], results: Sequence[MazeResult], metric: str) -> Grid:
    """A metric's grid.

    Args:
        rows: the long table of one run.
        results: the run's judged episodes.
        metric: `tsr`, `prr`, `rc` or another of `scoring.maze_metrics.METRICS`.
    """
    results = results if isinstance(results, MazeResults) else MazeResults(results)
    levels = (*sorted({level for level, _ in results.exposures}), ALL)
    faulty = metric in (*ABOUT_FAULTS, *OVER_FAULTS)
    modes = (*sorted({mode for _, mode in results.exposures if not faulty or mode != CLEAN}), ALL)
    cells = {(row["level"], row["mode"]): _cell(row) for row in rows if row["metric"] == metric}
    if metric in ABOUT_FAULTS:
        cells |= {
            (level, mode): MetricCell(note=INCONCLUSIVE if level == mode == ALL else NOT_EXPOSED)
            for level in levels
            for mode in modes
            if not _exposed(results, level, mode)
        }
    return Grid(metric, levels, modes, cells)


def main_table(rows: Sequence[Row], results: Sequence[MazeResult]) -> dict[str, list[MetricCell]]:
    """Each mode's cells of the `MAIN` metrics over all levels, and those of all modes."""
    grids = [grid(rows, results, metric) for metric in MAIN]
    return {mode: [found.at(ALL, mode) for found in grids] for mode in grids[0].modes}


def overall(rows: Sequence[Row], results: Sequence[MazeResult], metric: str) -> MetricCell:
    """A metric's one cell for the whole run."""
    return grid(rows, results, metric).at(ALL, ALL)


def _exposed(results: MazeResults, level: str, mode: str) -> bool:
    """Return whether an episode of a cell met a fault."""
    return any(
        count and level in (ALL, its_level) and mode in (ALL, its_mode)
        for (its_level, its_mode), count in results.exposures.items()
    )


def _cell(row: Row) -> MetricCell:
    return MetricCell(row["value"], row["low"], row["high"], row["n"])
