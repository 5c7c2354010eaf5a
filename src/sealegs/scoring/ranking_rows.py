"""A ranking as rows of the long table, and what a table for readers shows of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sealegs.scoring.entrants import Entrant
from sealegs.scoring.invalid import NAME as INVALID
from sealegs.scoring.invalid import InvalidCount
from sealegs.scoring.metric import ALL, Figure, Row, estimate, figure_row, player_row
from sealegs.scoring.ranking import (
    Comparison,
    Ranking,
    Standing,
    cell_comparisons,
    cell_figures,
    corrected,
)
from sealegs.scoring.recovery_funnels import funnel_figures, term_figures
from sealegs.scoring.scaling import Scaling
from sealegs.scoring.set_difference import PrivateComparison, SetDifference

SHOWN = 3  # metrics beside the one that ranks


def invalid_of(entrant: Entrant) -> InvalidCount:
    """The number of an entrant's invalid episodes."""
    found = entrant.use.get(INVALID)
    return InvalidCount() if found is None else InvalidCount(round((found.value or 0.0) * found.n / 100), found.n)


def why_unranked(entrant: Entrant, metric: str) -> str:
    """The reason why an entrant without a figure is in no ranking, to follow its name."""
    if entrant.episodes:
        return f"has no {metric}"
    count = invalid_of(entrant)
    return f"has no valid episode ({count.invalid:,} of {count.played:,} are invalid)"


class RankRow(Row, total=False):
    """A row of a ranking's long table.

    Attributes:
        played: version and digest of the tasks under the faults that were played.
        source: `run`, or `published` for figures of other tasks, which have no rank.
        against: with which model a difference is.
        p, p_holm: of a difference, and corrected.
    """

    played: str
    source: Literal["run", "published"]
    against: str
    p: float | None
    p_holm: float | None


@dataclass(frozen=True)
class PublishedFigure:
    """A published model's figure, of other tasks.

    Attributes:
        name: of the model.
        suite: the publication's name.
        figure: with the interval that its number of cases allows.
        note: where it is from, and of what the interval is.
    """

    name: str
    suite: str
    figure: Figure
    note: str


@dataclass(frozen=True)
class RankTable:
    """A ranking with what is shown beside it.

    Attributes:
        ranking: the models.
        published: figures of other tasks, by the same metric.
        scaling: how success and recovery grow with the size of the models, where sizes are known.
        private: the models on a private set beside this one, where they played it.
    """

    ranking: Ranking
    published: tuple[PublishedFigure, ...] = ()
    scaling: Scaling | None = None
    private: PrivateComparison | None = None

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """The models, in the order in which they came."""
        return tuple(self.ranking.entrants)

    @property
    def metric(self) -> str:
        """The metric that the ranking is by."""
        return self.ranking.metric.name

    @property
    def suite(self) -> str:
        """The suite's name."""
        return self.entrants[0].suite

    @property
    def played(self) -> str:
        """Version and digest of the tasks under the faults that were played."""
        mark = self.entrants[0].tasks
        return f"{mark.version}:{mark.digest}"

    @property
    def options(self) -> dict[str, str]:
        """The options in which all models agree."""
        first, *others = (entrant.facts for entrant in self.entrants)
        return {name: value for name, value in first.items() if value and all(one.get(name) == value for one in others)}

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Every model with a figure, the best first."""
        return self.ranking.standings

    @property
    def left_out(self) -> tuple[Entrant, ...]:
        """The models without a figure."""
        known = {one.entrant for one in self.standings}
        return tuple(one for place, one in enumerate(self.entrants) if place not in known)

    @property
    def cell_metric(self) -> str:
        """The name of the metric that is shown by level and by mode."""
        return self.entrants[0].metric(self.entrants[0].scores.in_cells).name

    @property
    def beside(self) -> tuple[str, ...]:
        """The metrics that a table shows beside the one that ranks."""
        names = [metric.name for metric in self.entrants[0].scores.reduced if metric.name != self.metric]
        return tuple(names[:SHOWN])

    @cached_property
    def figures(self) -> tuple[dict[str, Figure], ...]:
        """Every metric of every model."""
        return tuple(
            {metric.name: estimate(metric, entrant.table) for metric in entrant.scores.reduced}
            for entrant in self.entrants
        )

    @cached_property
    def cells(self) -> tuple[dict[tuple[str, str], Figure], ...]:
        """The cell metric of every model by axis (`level` or `mode`) and name."""
        return tuple(
            {(axis, name): figure for axis, name, figure in cell_figures(entrant)} for entrant in self.entrants
        )

    @cached_property
    def funnels(self) -> tuple[dict[str, Figure], ...]:
        """The share of planned faults that passed each stage, of every model; empty where the suite asks for none."""
        return tuple(map(funnel_figures, self.entrants))

    @cached_property
    def terms(self) -> tuple[dict[str, Figure], ...]:
        """The share of episodes by what went wrong in them, of every model, for all terms that occur in any."""
        return term_figures(self.entrants)

    @cached_property
    def effects(self) -> dict[tuple[str, str], tuple[Comparison, ...]]:
        """The differences of each model's cell metric from the best's, by axis and name, corrected together."""
        if not self.standings:
            return {}
        best = self.standings[0].entrant
        found = [
            ((axis, name), Comparison(best, place, figure, p))
            for place in (one.entrant for one in self.standings[1:])
            for axis, name, figure, p in cell_comparisons(self.entrants[best], self.entrants[place])
        ]
        effects: dict[tuple[str, str], tuple[Comparison, ...]] = {}
        # All cells at once: corrected table by table, enough tables would find a difference by chance.
        for (key, _), one in zip(found, corrected([one for _, one in found]), strict=True):
            effects[key] = (*effects.get(key, ()), one)
        return effects

    def to_best(self, place: int) -> Comparison | None:
        """The comparison of the best model with this one."""
        best = self.standings[0].entrant
        return None if place == best else self.ranking.between(best, place)

    def rows(self) -> Iterator[RankRow]:
        """The long table: figures, ranks, all paired differences, effects by level and mode, and what was used."""
        for standing in self.standings:
            rank = Figure(float(standing.rank), float(standing.low), float(standing.high), len(self.standings))
            yield self._row(standing.entrant, ALL, ALL, "rank", rank)
        for place, entrant in enumerate(self.entrants):
            for name, figure in (*self.figures[place].items(), *entrant.use.items()):
                yield self._row(place, ALL, ALL, name, figure)
            for (axis, name), figure in self.cells[place].items():
                level, mode = (name, ALL) if axis == "level" else (ALL, name)
                # A suite without levels calls its only one `all`: the row would repeat the figure of the whole.
                if name != ALL:
                    yield self._row(place, level, mode, self.cell_metric, figure)
            for sort, own in (("stage", self.funnels[place]), ("term", self.terms[place])):
                for name, figure in own.items():
                    yield self._row(place, ALL, ALL, f"{sort}_{name.replace(' ', '_')}", figure)
        for one in self.ranking.comparisons:
            yield self._difference(one, ALL, ALL, self.metric)
        for (axis, name), ones in self.effects.items():
            for one in ones:
                level, mode = (name, ALL) if axis == "level" else (ALL, name)
                yield self._difference(one, level, mode, self.cell_metric)
        for name, figure in self.scaling.figures if self.scaling else ():
            row = figure_row({"suite": self.suite, "model": ALL}, ALL, ALL, name, figure)
            yield {**row, "played": self.played, "source": "run"}  # type: ignore[typeddict-item]
        yield from self._private_rows()
        for other in self.published:
            who: Row = {"suite": other.suite, "model": other.name}
            yield {**figure_row(who, ALL, ALL, self.metric, other.figure), "source": "published"}  # type: ignore[typeddict-item]

    def _row(self, place: int, level: str, mode: str, metric: str, figure: Figure) -> RankRow:
        entrant = self.entrants[place]
        who = player_row(self.suite, entrant.name, entrant.task_set, scripted=entrant.scripted)
        own = figure_row(who, level, mode, metric, figure)
        return {**own, "played": self.played, "source": "run"}  # type: ignore[typeddict-item]

    def _private_rows(self) -> Iterator[RankRow]:
        if self.private is None:
            return
        for one in self.private.models:
            yield from self._on_both(self.private, one, ALL, ALL, self.private.metric)
        for (axis, name), ones in self.private.cells.items():
            level, mode = (name, ALL) if axis == "level" else (ALL, name)
            for one in ones:
                yield from self._on_both(self.private, one, level, mode, self.private.cell_metric)

    def _on_both(
        self, found: PrivateComparison, one: SetDifference, level: str, mode: str, metric: str
    ) -> Iterator[RankRow]:
        place = next(place for place, entrant in enumerate(self.entrants) if entrant.name == one.model)
        own = self._row(place, level, mode, f"{metric}_private", one.private)
        yield {**own, "task_set": found.editions[1]}
        yield {
            **self._row(place, level, mode, f"{metric}_private_difference", one.figure),
            "task_set": found.editions[1],
            "against": found.editions[0],
            "p": one.p,
            "p_holm": one.p_holm,
        }

    def _difference(self, one: Comparison, level: str, mode: str, metric: str) -> RankRow:
        row = self._row(one.other, level, mode, f"{metric}_difference", one.figure)
        row["against"], row["p"], row["p_holm"] = self.entrants[one.one].name, one.p, one.p_holm
        return row
