"""The same answers by trying everything, written straight from the meaning of a graph and of a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product

import networkx as nx

from sealegs.tasks.graph import Branch, Graph, Step
from sealegs.tasks.recovery_cost import State

Choice = Mapping[str, Branch]


def choices(graph: Graph) -> Iterator[Choice]:
    """Every choice of one branch in each group."""
    for branches in product(*(group.branches for group in graph.groups)):
        yield {group.id: branch for group, branch in zip(graph.groups, branches, strict=True)}


def waits(graph: Graph, choice: Choice) -> dict[str, set[str]]:
    """For each step of a choice the steps that it waits for."""
    steps = [node for node in graph.nodes if isinstance(node, Step)]
    steps += [step for branch in choice.values() for step in branch.steps]
    found: dict[str, set[str]] = {}
    for step in steps:
        found[step.id] = {
            choice[need.node].exports[need.path].node if need.node in choice else need.node for need in step.needs
        }
        for id in step.after:
            found[step.id] |= {other.id for other in choice[id].steps} if id in choice else {id}
    return found


def digraph(needed: Mapping[str, set[str]]) -> nx.DiGraph:
    """The same as edges."""
    edges = nx.DiGraph()
    edges.add_nodes_from(needed)
    edges.add_edges_from((before, step) for step, found in needed.items() for before in found)
    return edges


def acyclic(graph: Graph) -> bool:
    """Whether no choice has a cycle."""
    return all(nx.is_directed_acyclic_graph(digraph(waits(graph, choice))) for choice in choices(graph))


def listed(graph: Graph) -> list[tuple[str, ...]]:
    """Every solution, by calling whatever can be called."""
    return [order for choice in choices(graph) for order in _orders(waits(graph, choice), ())]


def _orders(needed: Mapping[str, set[str]], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if len(path) == len(needed):
        yield path
    for step, found in needed.items():
        if step not in path and found.issubset(path):
            yield from _orders(needed, (*path, step))


def sorted_by_networkx(graph: Graph) -> list[tuple[str, ...]]:
    """Every solution, with networkx."""
    return [
        tuple(order) for choice in choices(graph) for order in nx.all_topological_sorts(digraph(waits(graph, choice)))
    ]


def permuted(graph: Graph) -> set[tuple[str, ...]]:
    """Every solution, from all permutations of all choices."""
    return {
        order
        for choice in choices(graph)
        for needed in [waits(graph, choice)]
        for order in permutations(needed)
        if all(needed[step] <= set(order[:place]) for place, step in enumerate(order))
    }


def ready(graph: Graph, done: frozenset[str], step: Step) -> bool:
    """Whether a step's inputs are there: from the step named, or from any branch of the group named."""
    groups = {group.id: group for group in graph.groups}
    for need in step.needs:
        givers = (
            [branch.exports[need.path].node for branch in groups[need.node].branches]
            if need.node in groups
            else [need.node]
        )
        if not any(giver in done for giver in givers):
            return False
    for id in step.after:
        if id in groups:
            if not any(all(other.id in done for other in branch.steps) for branch in groups[id].branches):
                return False
        elif id not in done:
            return False
    return True


def called(graph: Graph, state: State, step: Step) -> State:
    """The state after a call whose inputs are there."""
    owner = {other.id: group.id for group in graph.groups for branch in group.branches for other in branch.steps}
    for faulted in (owner.get(step.id, ""), step.id):
        if faulted in state.pending:
            left = {id: fault for id, fault in state.pending.items() if id != faulted}
            lost = {step.tool} if state.pending[faulted] == "permanent" else set()
            return State(state.done, state.broken | lost, left)
    return state if step.tool in state.broken else State(state.done | {step.id}, state.broken, state.pending)


def finished(graph: Graph, done: frozenset[str]) -> bool:
    """Whether every node is done."""
    return all(
        node.id in done
        if isinstance(node, Step)
        else any(all(step.id in done for step in branch.steps) for branch in node.branches)
        for node in graph.nodes
    )


def cost(graph: Graph, state: State, useful: frozenset[str] | None = None) -> int | None:
    """c*, by breadth-first search over everything that can be called.

    With `useful`, only these steps may be called, and the first step of any group with a pending fault.
    """
    owner = {step.id: group.id for group in graph.groups for branch in group.branches for step in branch.steps}
    edge, seen, calls = [state], {_key(state)}, 0
    while edge:
        if any(finished(graph, found.done) for found in edge):
            return calls
        new = []
        for found in edge:
            for step in graph.steps.values():
                if step.id in found.done or not ready(graph, found.done, step):
                    continue
                if useful is not None and step.id not in useful and owner.get(step.id) not in found.pending:
                    continue
                after = called(graph, found, step)
                if _key(after) not in seen:
                    seen.add(_key(after))
                    new.append(after)
        edge, calls = new, calls + 1
    return None


def may_call(graph: Graph, state: State, step: Step) -> bool:
    """Whether a step that is not done and whose inputs are there belongs to a way to finish, however long."""
    owner = {other.id: group for group in graph.groups for branch in group.branches for other in branch.steps}
    group = owner.get(step.id)
    if step.tool in state.broken:
        return False
    if group is not None and any(all(s.id in state.done for s in branch.steps) for branch in group.branches):
        return False
    after = called(graph, state, step)
    for choice in choices(graph):
        useful = frozenset(waits(graph, choice))
        pending = group is not None and group.id in state.pending
        if (step.id in useful or pending) and cost(graph, after, useful) is not None:
            return True
    return False


def _key(state: State) -> tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str]]]:
    return state.done, state.broken, frozenset(state.pending.items())
