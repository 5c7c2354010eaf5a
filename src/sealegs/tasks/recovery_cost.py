"""c*: the fewest further calls that finish a task from any state.

Costs of nodes add up: every node must be done, and whatever branches are chosen, their calls can be put in an order. So
a node costs what its own calls cost, and a group costs its cheapest branch of which no step left is broken.

A *pending* fault is known to the judge and not to the agent. On a group: nobody touched the group yet, and the first
tool called in it will be the victim. That call yields nothing; after a transient fault the tool is well, after a
permanent one it is broken. Either way the group costs one call more: where the fault is permanent, the call that
takes it can always be spent on a branch that is not wanted. (It can be made in time: let every pending group stand at
a branch that is not wanted. That choice has no cycle either, so of all the steps in those branches one comes first, and
everything before it lies outside the pending groups.) A broken tool can take the fault as well as any other. So with a
pending fault c* is what foresight could reach; take the state after the call that met the fault to judge an agent
without it.

Not covered: costs other than the number of calls, and faults that strike a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sealegs.tasks.graph import Graph, Node, Step
from sealegs.tasks.precedence import precedence

Persistence = Literal["transient", "permanent"]


@dataclass(frozen=True, slots=True)
class State:
    """Where an episode stands.

    Attributes:
        done: the ids of the steps done, in branches given up as well.
        broken: the names of the tools that will never work; tools that the graph lacks are ignored.
        pending: for a group that nobody touched, the fault that its first call meets; for a step not called, the fault
            that its first call meets. A step inside a group with a pending fault cannot have one of its own.
    """

    done: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    pending: Mapping[str, Persistence] = field(default_factory=dict)


def recovery_cost(graph: Graph, state: State) -> int | None:
    """c*: the fewest further calls that finish the task, calls that fail included; None where nothing finishes it.

    Raises:
        ValueError: the state does not fit the graph; the message names everything that does not.
    """
    _check(graph, state)
    total = 0
    for node in graph.nodes:
        cost = _node_cost(node, state)
        if cost is None:
            return None
        total += cost
    return total


def next_calls(graph: Graph, state: State) -> tuple[str, ...]:
    """The ids of the steps that an optimal continuation may call next, in the order of the graph.

    Each lowers c* by exactly one, also where it takes a pending fault. Empty where the task is finished or cannot be.

    Raises:
        ValueError: the state does not fit the graph.
    """
    _check(graph, state)
    costs = {node.id: _node_cost(node, state) for node in graph.nodes}
    if None in costs.values():
        return ()
    return tuple(step.id for step in _ready(graph, state) if _lowers(graph, state, step, costs))


def callable_tools(graph: Graph, state: State) -> frozenset[str]:
    """The tools that may still be called, in an optimal continuation or a longer one.

    A tool is among them where its step is not done, it is not broken, its inputs are there, its branch (if it has one)
    can still be completed while the group is not, and after the call the task can still be finished. In a group with a
    pending fault, any such first call may take the fault. What an agent cannot know counts here; leave `pending` empty
    for the tools that may be called as far as an agent can tell.

    Raises:
        ValueError: the state does not fit the graph.
    """
    if recovery_cost(graph, state) is None:
        return frozenset()
    return frozenset(step.tool for step in _ready(graph, state) if _may_call(graph, state, step))


def after_call(graph: Graph, state: State, step: str) -> State:
    """The state after a call of a step, by the rules of this module: done, failed, or struck by a pending fault.

    Raises:
        ValueError: the state does not fit the graph, or the step is unknown, is done, or lacks inputs.
    """
    _check(graph, state)
    if step not in graph.steps:
        raise ValueError(f"there is no step {step!r}")
    called = graph.steps[step]
    if called not in _ready(graph, state):
        raise ValueError(f"step {step!r} cannot be called: " + ("it is done" if step in state.done else "inputs lack"))
    return _called(graph, state, called)


def _called(graph: Graph, state: State, step: Step) -> State:
    struck = _node_of(graph, step).id
    if struck not in state.pending:
        struck = step.id
    if struck in state.pending:
        pending = {id: fault for id, fault in state.pending.items() if id != struck}
        broken = {step.tool} if state.pending[struck] == "permanent" else set()
        return replace(state, pending=pending, broken=state.broken | broken)
    if step.tool in state.broken:
        return state
    return replace(state, done=state.done | {step.id})


def _lowers(graph: Graph, state: State, step: Step, costs: Mapping[str, int | None]) -> bool:
    """Whether calling a step makes its node one call cheaper than it is by `costs`."""
    node = _node_of(graph, step)
    before = costs[node.id]
    if not before:
        return False
    if node.id in state.pending or step.id in state.pending:
        return _node_cost(node, _called(graph, state, step)) == before - 1
    if step.tool in state.broken:
        return False
    return isinstance(node, Step) or _steps_cost(graph.home[step.id][1].steps, state) == before


def _may_call(graph: Graph, state: State, step: Step) -> bool:
    node = _node_of(graph, step)
    if step.tool in state.broken or _node_cost(node, state) == 0:
        return False
    after = _called(graph, state, step)
    if isinstance(node, Step) or node.id in state.pending:
        return _node_cost(node, after) is not None
    return _steps_cost(graph.home[step.id][1].steps, after) is not None


def _node_cost(node: Node, state: State) -> int | None:
    if isinstance(node, Step):
        return _steps_cost((node,), state)
    costs = [_steps_cost(branch.steps, state) for branch in node.branches]
    cheapest = min((cost for cost in costs if cost is not None), default=None)
    if cheapest is None or node.id not in state.pending:
        return cheapest
    if state.pending[node.id] == "permanent" and len(node.branches) < 2:
        return None
    return cheapest + 1


def _steps_cost(steps: Iterable[Step], state: State) -> int | None:
    """The calls that complete these steps; None where one of them is broken or will be."""
    cost = 0
    for step in steps:
        if step.id in state.done:
            continue
        fault = state.pending.get(step.id)
        if step.tool in state.broken or fault == "permanent":
            return None
        cost += 1 if fault is None else 2
    return cost


def _ready(graph: Graph, state: State) -> tuple[Step, ...]:
    order = precedence(graph)
    return tuple(graph.steps[order.ids[step]] for step in order.ready(order.mask(state.done)))


def _node_of(graph: Graph, step: Step) -> Node:
    home = graph.home.get(step.id)
    return step if home is None else home[0]


def _check(graph: Graph, state: State) -> None:
    problems = [f"done: there is no step {id!r}" for id in sorted(state.done - graph.steps.keys())]
    for id in state.pending:
        node = graph.by_id.get(id)
        if node is None and id not in graph.steps:
            problems.append(f"pending: there is no group and no step {id!r}")
        elif id in state.done:
            problems.append(f"pending: step {id!r} is done, so it cannot meet its first fault any more")
        elif id in graph.home and graph.home[id][0].id in state.pending:
            problems.append(f"pending: step {id!r} and its group {graph.home[id][0].id!r} both; keep one")
        elif node is not None and not isinstance(node, Step):
            touched = sorted(step.id for branch in node.branches for step in branch.steps if step.id in state.done)
            if touched:
                problems.append(f"pending: group {id!r} was touched: {', '.join(touched)} is done")
    if problems:
        raise ValueError("; ".join(problems))
