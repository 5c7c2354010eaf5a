"""The published judge's rules (ToolMaze, arXiv 2606.05806): by tool names only, looser than the truth.

Kept beside the strict verdict so that figures can be compared. A call counts as a success where no error was shown;
corrupt values are not looked at, nor arguments, nor the answer (but for the statement of an abort).
"""

from __future__ import annotations

from sealegs.faults.call import Value
from sealegs.scoring.case import Case, Slot
from sealegs.scoring.task_progress import TaskProgress
from sealegs.tasks.graph import Branch, Graph, Group
from sealegs.traces.record import Record


def succeeds_as_published(record: Record, case: Case, way: TaskProgress, stopped: bool) -> bool:
    """Return whether the published judge would call the episode a success."""
    called = [turn.call.tool for turn in record.turns]
    succeeded = {turn.call.tool for turn in record.turns if isinstance(turn.shown, Value)}
    met = [slot for slot in case.slots if slot.node in way.victims]
    if not met:
        return _any_path(case.task.graph, succeeded)
    return all(_slot(slot, way.victims[slot.node], case.task.graph, called, succeeded, stopped) for slot in met)


def _any_path(graph: Graph, succeeded: set[str]) -> bool:
    """Return whether the tools of some valid path were all called without error."""
    return all(
        any(_all(branch, succeeded) for branch in node.branches) if isinstance(node, Group) else node.tool in succeeded
        for node in graph.nodes
    )


def _slot(slot: Slot, victim: str, graph: Graph, called: list[str], succeeded: set[str], stopped: bool) -> bool:
    node = graph.by_id[slot.node]
    others = [b for b in node.branches if all(s.tool != victim for s in b.steps)] if isinstance(node, Group) else []
    other = any(_all(branch, succeeded) for branch in others)
    # A second call is taken for a retry, whatever the first one returned.
    if slot.persistence == "transient":
        return (called.count(victim) >= 2 and victim in succeeded) or other
    # The published rule: where another branch is left, only that counts, and the tools that every path has.
    if others:
        shared = [n.tool for n in graph.nodes if not isinstance(n, Group)]
        return other and all(tool in succeeded for tool in shared)
    return _right_abort(victim, graph, called, stopped)


def _right_abort(victim: str, graph: Graph, called: list[str], stopped: bool) -> bool:
    order = [step.tool for step in graph.walk()]
    before = order[: order.index(victim)]
    first = called.index(victim)
    last = order[-1] == victim
    return (
        all(tool in called for tool in before)
        and all(tool == victim for tool in called[first:])
        and (stopped or not last)
    )


def _all(branch: Branch, succeeded: set[str]) -> bool:
    return all(step.tool in succeeded for step in branch.steps)
