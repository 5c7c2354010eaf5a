"""The similarity of two tasks: the Jaccard index of their tool sets, over all tools of all branches.

J(A, B) = |A and B| / |A or B|.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from statistics import mean
from typing import TypeVar

from sealegs.tasks.graph import Task

T = TypeVar("T")


def jaccard(one: frozenset[T], other: frozenset[T]) -> float:
    """The Jaccard index of two sets; 0 for two empty ones."""
    return len(one & other) / max(1, len(one | other))


def tools_of(task: Task) -> frozenset[str]:
    """Every tool of every branch."""
    return frozenset(task.graph.step_of)


def mean_similarity(tasks: Sequence[Task]) -> float:
    """The mean index over all pairs of tasks; 0 for fewer than two."""
    sets = [tools_of(task) for task in tasks]
    return mean([jaccard(one, other) for one, other in combinations(sets, 2)] or [0.0])


class SeenToolSets:
    """The tool sets so far, found by the tools that they hold."""

    def __init__(self, sets: Iterable[tuple[str, frozenset[str]]] = ()) -> None:
        self._sets: dict[str, frozenset[str]] = {}
        self._holders: dict[str, list[str]] = defaultdict(list)
        for name, tools in sets:
            self.add(name, tools)

    def __contains__(self, name: object) -> bool:
        return name in self._sets

    def add(self, name: str, tools: frozenset[str]) -> None:
        """One more set."""
        self._sets[name] = tools
        for tool in tools:
            self._holders[tool].append(name)

    def nearest(self, tools: frozenset[str]) -> tuple[float, str]:
        """The highest index with any set so far, and that set's name; 0 and nothing where none shares a tool."""
        return max(((index, name) for name, index in self._indices(tools)), default=(0.0, ""))

    def alike(self, tools: frozenset[str], above: float) -> list[str]:
        """The names of the sets so far whose index with this one is above a bound."""
        return [name for name, index in self._indices(tools) if index > above]

    def _indices(self, tools: frozenset[str]) -> Iterator[tuple[str, float]]:
        """The index with each set so far that shares a tool."""
        shared = Counter(name for tool in tools for name in self._holders.get(tool, ()))
        size = len(tools)
        return ((name, both / (size + len(self._sets[name]) - both)) for name, both in shared.items())
