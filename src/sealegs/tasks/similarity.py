"""How alike two tasks are: the Jaccard index of their tool sets, over all tools of all branches.

J(A, B) = |A and B| / |A or B|.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import mean

from sealegs.tasks.graph import Task


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of two sets; 0 for two empty ones."""
    return len(one & other) / max(1, len(one | other))


def tools_of(task: Task) -> frozenset[str]:
    """Every tool of every branch."""
    return frozenset(task.graph.step_of)


def mean_similarity(tasks: Sequence[Task]) -> float:
    """The mean index over all pairs of tasks; 0 for fewer than two."""
    sets = [tools_of(task) for task in tasks]
    return mean([jaccard(one, other) for one, other in combinations(sets, 2)] or [0.0])
