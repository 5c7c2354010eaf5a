"""c* where the outcome of an action may be in doubt, by trying every course that is safe.

Written from the meaning: what was done stays done, a look tells what was, and nothing is called while it could do again
what was done: no repetition that is not harmless, and no other branch, before a look.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sealegs.tasks.graph import Graph, Group, Step
from sealegs.tasks.recovery_cost import State
from tests.tasks.brute_force import ready


@dataclass(frozen=True)
class Standing:
    """Where an episode stands: `kept` are steps whose effect is there, so that their branch must be the one."""

    done: frozenset[str]
    broken: frozenset[str]
    pending: frozenset[tuple[str, str]]
    doubtful: frozenset[str]
    kept: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()


def cheapest(graph: Graph, state: State) -> int | None:
    """The fewest further calls and looks of a safe course, by breadth-first search."""
    start = Standing(state.done, state.broken, frozenset(state.pending.items()), state.doubtful)
    edge, seen, spent = {start}, {start}, 0
    while edge:
        if any(_finished(graph, standing) for standing in edge):
            return spent
        edge = {after for standing in edge for after in _after(graph, state, standing)} - seen
        seen |= edge
        spent += 1
    return None


def _after(graph: Graph, state: State, standing: Standing) -> Iterator[Standing]:
    for id in standing.doubtful:
        yield _known(state, standing, id)
    for step in graph.steps.values():
        if step.id in standing.done or not ready(graph, standing.done, step) or not _safe(graph, state, standing, step):
            continue
        yield _called(graph, state, standing, step)


def _known(state: State, standing: Standing, id: str) -> Standing:
    """After a look at a faulted step."""
    found = replace(standing, doubtful=standing.doubtful - {id})
    if state.risks[id].moment == "after":
        return replace(found, done=found.done | {id}, kept=found.kept | {id})
    return replace(found, begun=found.begun | {id}) if state.risks[id].moment == "during" else found


def _safe(graph: Graph, state: State, standing: Standing, step: Step) -> bool:
    """Whether a call can do nothing twice, whatever was done."""
    doubts = {other.id for other in _mates(graph, step)} & standing.doubtful
    if doubts:
        return doubts == {step.id} and state.risks[step.id].harmless
    own = _branch(graph, step)
    return all(id in own for id in (standing.kept | standing.begun) & {other.id for other in _mates(graph, step)})


def _called(graph: Graph, state: State, standing: Standing, step: Step) -> Standing:
    owner = _owner(graph, step)
    pending = dict(standing.pending)
    faulted = next((id for id in (owner.id if owner else "", step.id) if id in pending), None)
    if faulted is not None:
        lost = {step.tool} if pending.pop(faulted) == "permanent" else set()
        risky = step.id in state.risks and step.tool not in standing.broken
        doubtful = standing.doubtful | ({step.id} if risky else set())
        return replace(standing, broken=standing.broken | lost, pending=frozenset(pending.items()), doubtful=doubtful)
    if step.tool in standing.broken:
        return standing
    kept = standing.kept | ({step.id} & standing.doubtful)
    return replace(standing, done=standing.done | {step.id}, doubtful=standing.doubtful - {step.id}, kept=kept)


def _finished(graph: Graph, standing: Standing) -> bool:
    for node in graph.nodes:
        if isinstance(node, Step):
            if node.id not in standing.done:
                return False
            continue
        steps = {step.id for branch in node.branches for step in branch.steps}
        bound = (standing.kept | standing.begun | standing.doubtful) & steps
        if not any(
            all(step.id in standing.done for step in branch.steps) and bound <= {step.id for step in branch.steps}
            for branch in node.branches
        ):
            return False
    return True


def _owner(graph: Graph, step: Step) -> Group | None:
    return next((g for g in graph.groups if any(step in branch.steps for branch in g.branches)), None)


def _mates(graph: Graph, step: Step) -> tuple[Step, ...]:
    owner = _owner(graph, step)
    return (step,) if owner is None else tuple(other for branch in owner.branches for other in branch.steps)


def _branch(graph: Graph, step: Step) -> set[str]:
    owner = _owner(graph, step)
    branches = () if owner is None else owner.branches
    return next(({other.id for other in branch.steps} for branch in branches if step in branch.steps), {step.id})
