"""Checks of a task against the promises of its level.

| level | logical steps | alternative groups |
|---|---|---|
| C1 | 5-7 | none; every step waits for the one before it, so there is one order |
| C2 | 5-7 | at least one 1-to-1 or 1-to-n, no n-to-n |
| C3 | 5-7 | at least one n-to-n |
| C4 | 8-12 | at least two in parallel: neither waits for the other |

A logical step is a node of the graph. At every level a group is never first (each branch waits for something outside)
nor last (something waits for the group). Levels after ToolMaze (arXiv 2606.05806).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from sealegs.tasks.counting import count_solutions
from sealegs.tasks.graph import Graph, Group, Node, Step, Task
from sealegs.tasks.validation import validate_task

SIZES: Mapping[str, tuple[int, int]] = {"C1": (5, 7), "C2": (5, 7), "C3": (5, 7), "C4": (8, 12)}


def level_problems(task: Task) -> list[str]:
    """The problems that keep a task from its level, as sentences; if `validate_task` finds any, only those."""
    if task.level not in SIZES:
        return [f"level {task.level!r} is unknown; the levels are {', '.join(SIZES)}"]
    return validate_task(task) or [*_size(task), *_kinds(task), *_ends(task.graph)]


def kind_problems(task: Task) -> list[str]:
    """The problems that keep a task from its level, except size and ends, for which a small domain may lack room."""
    if task.level not in SIZES:
        return [f"level {task.level!r} is unknown; the levels are {', '.join(SIZES)}"]
    return validate_task(task) or [*_kinds(task)]


def _size(task: Task) -> Iterator[str]:
    least, most = SIZES[task.level]
    if not least <= len(task.graph.nodes) <= most:
        yield f"{task.level} has {least} to {most} logical steps; this task has {len(task.graph.nodes)}"


def _kinds(task: Task) -> Iterator[str]:
    graph = task.graph
    if task.level == "C1":
        if graph.groups:
            yield f"C1 has no alternative groups; this task has {_named(graph.groups)}"
        elif not _is_line(graph):
            yield "C1 is a line: one order of its steps; bind each step to the one before it"
    if task.level == "C2":
        large = [group for group in graph.groups if group.kind == "n-to-n"]
        # Also where there is no group at all.
        if len(large) == len(graph.groups):
            yield "C2 has at least one 1-to-1 or 1-to-n group; this task has none"
        if large:
            yield f"C2 has no n-to-n group; this task has {_named(large)}"
    if task.level == "C3" and all(group.kind != "n-to-n" for group in graph.groups):
        yield "C3 has at least one n-to-n group; this task has none"
    if task.level == "C4" and not _parallel(graph):
        yield "C4 has at least two groups of which neither waits for the other; this task has none"


def _ends(graph: Graph) -> Iterator[str]:
    before = {node.id: _before(graph, node) for node in graph.nodes}
    for group in graph.groups:
        for branch in group.branches:
            if not any(_named_by(step) - {other.id for other in branch.steps} for step in branch.steps):
                yield f"group {group.id!r} can be first: branch {branch.id!r} waits for nothing; bind it to a step"
        if not any(group.id in found for found in before.values()):
            yield f"group {group.id!r} is last: nothing waits for it; let a step read one of its exports"


def _is_line(graph: Graph) -> bool:
    return count_solutions(graph) == 1


def _parallel(graph: Graph) -> bool:
    """Return whether two groups are beside each other."""
    return any(
        one.id not in _all_before(graph, other) and other.id not in _all_before(graph, one)
        for one, other in combinations(graph.groups, 2)
    )


def _all_before(graph: Graph, node: Node) -> set[str]:
    """The nodes that a node waits for, directly or not, in some choice of branches."""
    found: set[str] = set()
    edge = [node]
    while edge:
        new = _before(graph, edge.pop()) - found
        found |= new
        edge += [graph.by_id[id] for id in new]
    return found


def _before(graph: Graph, node: Node) -> set[str]:
    """The nodes that a node waits for directly."""
    steps = [node] if isinstance(node, Step) else [step for branch in node.branches for step in branch.steps]
    return {id for step in steps for id in _named_by(step) if id in graph.by_id}


def _named_by(step: Step) -> set[str]:
    return {need.node for need in step.needs} | set(step.after)


def _named(groups: tuple[Group, ...] | list[Group]) -> str:
    return ", ".join(f"{group.id} ({group.kind})" for group in groups)
