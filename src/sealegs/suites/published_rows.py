"""Published figures of the benchmark that a suite rebuilds, shown by `sealegs report --against` and `sealegs rank`.

The figures are read when they are asked for, so that a suite which names them costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sealegs.scoring.metric import Row
    from sealegs.scoring.ranking_rows import PublishedFigure

AS_PUBLISHED = "_as_published"  # ends the name of a metric by the published rules
Figures = Callable[[str, Mapping[str, str]], Iterable["PublishedFigure"]]


@dataclass(frozen=True)
class PublishedRows:
    """Published models beside a suite's runs.

    Attributes:
        name: what `--against` calls them; empty where only a ranking shows them.
        figures: gives what is published of a metric, by its name and the options of the runs; none where nothing is.
    """

    name: str
    figures: Figures

    def measured_as(self, metric: str, options: Mapping[str, str]) -> tuple[PublishedFigure, ...]:
        """The figures that are measured as this metric is.

        Args:
            metric: with or without `_as_published`.
            options: of the runs.
        """
        return tuple(self.figures(metric.removesuffix(AS_PUBLISHED), options))

    def rows(self, metrics: Iterable[str]) -> list[Row]:
        """Each model's figures of these metrics, as rows of the long table."""
        from sealegs.scoring.metric import ALL, figure_row, player_row

        return [
            figure_row(player_row(one.suite, one.name, "", scripted=False), ALL, ALL, metric, one.figure)
            for metric in metrics
            for one in self.measured_as(metric, {})
        ]
