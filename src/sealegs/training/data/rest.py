"""The parts of an impossible task that can still be done: those that need nothing of what is lost.

A node is lost if its tool is broken, if it is a group with no branch left, or if it waits for a lost node, unless it
already has what it needs of that one.
"""

from __future__ import annotations

from collections.abc import Set

from sealegs.scoring.task_progress import field_available, finished_branches
from sealegs.tasks.graph import Graph, Group, Node, Step
from sealegs.tasks.precedence import precedence


def still_possible(graph: Graph, done: Set[str], broken: Set[str]) -> tuple[str, ...]:
    """The ids of the steps that may be called next for the parts of the task that are not lost.

    Args:
        graph: the task's.
        done: the ids of the steps that are done.
        broken: the tools that will never work.
    """
    here = _Standing(graph, frozenset(done), frozenset(broken))
    order = precedence(graph)
    ready = {order.ids[place] for place in order.ready(order.mask(done))}
    lost = here.lost()
    shortest = [min(here.ways(node, lost), key=len) for node in graph.nodes if node.id not in lost]
    return tuple(step.id for way in shortest for step in way if step.id in ready)


class _Standing:
    """The state of a task."""

    def __init__(self, graph: Graph, done: frozenset[str], broken: frozenset[str]) -> None:
        self.graph, self.done, self.broken = graph, done, broken

    def lost(self) -> set[str]:
        """The ids of the nodes that cannot be done any more."""
        lost: set[str] = set()
        while more := {node.id for node in self.graph.nodes if node.id not in lost and not self.ways(node, lost)}:
            lost |= more
        return lost

    def ways(self, node: Node, lost: Set[str]) -> list[tuple[Step, ...]]:
        """The ways to do a node, without the steps that are done; none where all are closed."""
        ways = [branch.steps for branch in node.branches] if isinstance(node, Group) else [(node,)]
        left = [tuple(step for step in way if step.id not in self.done) for way in ways]
        return [way for way in left if not any(self._closed(step, lost) for step in way)]

    def _closed(self, step: Step, lost: Set[str]) -> bool:
        if step.tool in self.broken:
            return True
        # A lost node may have delivered some of its values before it was lost.
        wants = any(n.node in lost and not field_available(n.node, n.path, self.graph, self.done) for n in step.needs)
        return wants or any(id in lost and not self._finished(id) for id in step.after)

    def _finished(self, id: str) -> bool:
        node = self.graph.by_id[id]
        return bool(finished_branches(node, self.done)) if isinstance(node, Group) else id in self.done
