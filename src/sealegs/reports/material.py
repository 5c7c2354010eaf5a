"""Material of a page: one run with its rows, judged episodes and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sealegs.reports.card_selection import Played
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.scoring.metric import Row


@dataclass(frozen=True)
class Material:
    """The material of which a page is made.

    Attributes:
        who: `suite`, and `agent` or `model`.
        rows: the long table of the run.
        results: every episode judged.
        episodes: record, case and verdict of the episodes among which cards and examples are chosen.
        prompts: names of the run's prompts.
        warnings: what reading had to leave out, in sentences.
        notes: further facts for the header (versions, seed), by name.
        differences: rows of `scoring.maze_metrics.paired_difference` against another run; empty where there is none.
        ceilings: rows of the highest TSR that active recovery could reach with the tools' declarations, by level and
            mode; empty where it had no part.
    """

    who: Row
    rows: list[Row]
    results: Sequence[MazeResult]
    episodes: list[Played]
    prompts: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    differences: list[Row] = field(default_factory=list)
    ceilings: list[Row] = field(default_factory=list)
