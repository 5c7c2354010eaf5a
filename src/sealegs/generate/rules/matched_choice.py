"""The choice of a candidate for each place so that the set has given figures: the nearest set that exchanges lead to.

Places are gone through in turn, each taking the candidate with which the set's figures are nearest to the wanted ones,
until no exchange brings it nearer. The distance is the sum of squares over figures, each in units of what chance would
make it differ in another set of as many tasks. The same candidates give the same set.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from sealegs.generate.rules.engine import NEAREST
from sealegs.scenarios.task_figures import SIMILARITY, SetFigures, task_figures
from sealegs.tasks import Task
from sealegs.tasks.similarity import jaccard, tools_of
from sealegs.world.corpus import Corpus

ROUNDS = 20  # through all places
LEAST_ERROR = 0.01  # of a figure that is equal in all tasks, as a share of it
ALIKE = 0.1  # of the similarity, in place of its error
TWINS = 100.0  # what a pair of near duplicates adds to the distance


class MatchedChoice:
    """A set under choice.

    Args:
        places: the candidates for each place of the set; one at least.
        corpus: what they are made of.
        wanted: the figures that the set should have.
    """

    def __init__(self, places: Sequence[Sequence[Task]], corpus: Corpus, wanted: SetFigures) -> None:
        self._candidates = [task for place in places for task in place]
        ends = [sum(len(place) for place in places[: nth + 1]) for nth in range(len(places))]
        self._places = [range(end - len(place), end) for end, place in zip(ends, places, strict=True)]
        own = [task_figures(task, corpus) for task in self._candidates]
        self._names = list(own[0])
        self._values = [[one[name] for name in self._names] for one in own]
        self._targets = [(wanted.means[name], _scale(wanted, name, len(places))) for name in self._names]
        self._similarity = wanted.means[SIMILARITY]
        # Worked out once for all pairs: the search looks at them again with every exchange that it tries.
        tools = [tools_of(task) for task in self._candidates]
        self._index = [[jaccard(one, other) for other in tools] for one in tools]
        self._chosen = [place[0] for place in self._places]

    def chosen(self) -> list[Task]:
        """The task of each place."""
        for _ in range(ROUNDS):
            moved = [self._improve(place) for place in range(len(self._places))]
            if not any(moved):
                break
        return [self._candidates[one] for one in self._chosen]

    def _improve(self, place: int) -> bool:
        others = [one for nth, one in enumerate(self._chosen) if nth != place]
        sums = [sum(column) for column in zip(*(self._values[one] for one in others), strict=True)]
        sums = sums or [0.0] * len(self._names)
        pairs = sum(self._index[one][other] for nth, one in enumerate(others) for other in others[:nth])
        best = min(self._places[place], key=lambda one: (self._distance(one, others, sums, pairs), one))
        moved = best != self._chosen[place]
        self._chosen[place] = best
        return moved

    def _distance(self, one: int, others: Sequence[int], sums: Sequence[float], pairs: float) -> float:
        """The distance of the set's figures from the wanted ones with this candidate in the open place."""
        count = len(others) + 1
        found = sum(
            (((total + value) / count - target) / scale) ** 2
            for total, value, (target, scale) in zip(sums, self._values[one], self._targets, strict=True)
        )
        own = [self._index[one][other] for other in others]
        if own and self._similarity:
            similarity = (pairs + sum(own)) / (count * (count - 1) / 2)
            found += ((similarity / self._similarity - 1) / ALIKE) ** 2
        return found + TWINS * sum(index > NEAREST for index in own)


def _scale(wanted: SetFigures, name: str, count: int) -> float:
    """The difference that chance would make in a figure of a set of so many tasks."""
    error = wanted.errors[name] * sqrt(wanted.tasks / count)
    return max(error, LEAST_ERROR * abs(wanted.means[name]), 1e-9)
