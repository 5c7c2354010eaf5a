"""The valid solutions of a graph: iterate them, recognise them, find a shortest one.

A solution chooses one branch in each group and calls the steps chosen, each once, in any order that the data allow.
Partial branches that were given up belong to no solution: a trajectory with a detour is not one, even if it ends well
(`recovery_cost` says what it still lacks). Graphs are taken to be valid; counting is in `counting`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Literal

from sealegs.tasks.graph import Graph
from sealegs.tasks.precedence import Precedence, precedence

Naming = Literal["step", "tool"]


def count_paths(graph: Graph) -> int:
    """The number of ways to choose a branch in every group."""
    return prod(len(group.branches) for group in graph.groups)


def path_lengths(graph: Graph) -> tuple[int, int]:
    """The calls of the shortest and of the longest solution."""
    outside = len(graph.nodes) - len(graph.groups)
    sizes = [[len(branch.steps) for branch in group.branches] for group in graph.groups]
    return outside + sum(map(min, sizes)), outside + sum(map(max, sizes))


def solutions(graph: Graph) -> Iterator[tuple[str, ...]]:
    """Every solution once, as step ids, lazily; in lexicographic order of the steps' places in the graph."""
    order = precedence(graph)
    path: list[int] = []
    stack = [(order.start, 0)]
    while stack:
        left, tried = stack.pop()
        if not left:
            yield tuple(order.ids[step] for step in path)
        step, after = _next(order, left, tried)
        if after < 0:
            if path:
                path.pop()
            continue
        stack.append((left, step + 1))
        path.append(step)
        stack.append((after, 0))


def shortest_solution(graph: Graph) -> tuple[str, ...]:
    """A solution with the fewest calls, as step ids: of equal branches the first, of equal orders the first.

    Raises:
        ValueError: the graph has a cycle.
    """
    order = precedence(graph)
    left = order.start
    for number, group in enumerate(graph.groups):
        sizes = [len(branch.steps) for branch in group.branches]
        left = left ^ order.flag(number) | order.branches[number][sizes.index(min(sizes))]
    path = []
    while left:
        step, left = _next(order, left, 0)
        if left < 0:
            raise ValueError("the graph has a cycle; validate(graph) names it")
        path.append(order.ids[step])
    return tuple(path)


def is_solution(graph: Graph, trajectory: Sequence[str], by: Naming = "step") -> bool:
    """Return whether a trajectory is a solution: nothing is missing, nothing occurs twice, every input came first.

    Args:
        graph: a valid graph.
        trajectory: step ids, or tool names with `by="tool"`; a name that the graph lacks makes it no solution.
        by: what the trajectory names.
    """
    return _left(graph, trajectory, by) == 0


def is_prefix(graph: Graph, trajectory: Sequence[str], by: Naming = "step") -> bool:
    """Return whether a trajectory is the beginning of a solution, or all of it; arguments as in `is_solution`."""
    return _left(graph, trajectory, by) >= 0


def _left(graph: Graph, trajectory: Sequence[str], by: Naming) -> int:
    """The steps left after a trajectory; -1 if one of its calls cannot be made in its place."""
    order = precedence(graph)
    left = order.start
    for name in trajectory:
        if by == "tool":
            called = graph.step_of.get(name)
            number = None if called is None else order.index[called.id]
        else:
            number = order.index.get(name)
        left = -1 if number is None else order.after(left, number)
        if left < 0:
            return -1
    return left


def _next(order: Precedence, left: int, tried: int) -> tuple[int, int]:
    """The first step from `tried` on that can be called, and what is left after it; (-1, -1) where there is none."""
    for step in range(tried, len(order.ids)):
        after = order.after(left, step)
        if after >= 0:
            return step, after
    return -1, -1
