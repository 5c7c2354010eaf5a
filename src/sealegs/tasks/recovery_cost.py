"""c*: the fewest further calls that finish a task from any state.

Costs of nodes add up: every node must be done, and whatever branches are chosen, their calls can be put in an order. So
a node costs what its own calls cost, and a group costs its cheapest branch of which no step left is broken.

A *pending* fault is known to the judge and not to the agent. On a group: no tool of it has been called yet, and the
first one called will be the victim. That call yields nothing; after a transient fault the tool is well, after a
permanent one it is broken. Either way the group costs one call more: where the fault is permanent, the call that takes
it can always be spent on a branch that is not wanted. (It can be made in time: let every pending group choose a branch
that is not wanted. That choice has no cycle either, so of all the steps in those branches one comes first, and
everything before it lies outside the pending groups.) A broken tool can take the fault as well as any other. So with a
pending fault c* is what foresight could reach; take the state after the call that met the fault to judge an agent
without it.

A fault on an *action* may leave its effect there or not, and an agent cannot tell which from the failure. Then c* is
the cheapest course that is safe whatever was done: a look (one call of a read that shows it) and then a repetition or
the next step, or a repetition at once where the tool's own rule makes that harmless. What was done decides what the
course comes to: work that was done is one further call away, by a look or a harmless repetition; work that was not done
costs a repetition, after a look unless that is harmless; and where the tool is broken for good, a look and then another
branch. What was done stays done, so that its branch is kept. `State.risks` names the actions of which this holds;
without it a failed call is taken to have done nothing, as the published protocol has it.

Not covered: costs other than the number of calls, and faults that strike a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sealegs.faults.call import Moment
from sealegs.tasks.graph import Graph, Group, Node, Step
from sealegs.tasks.precedence import precedence

Persistence = Literal["transient", "permanent"]
NOTHING: frozenset[Any] = frozenset()
MOST_KEPT = 1024  # states of a graph of which it is kept what comes next


@dataclass(frozen=True, slots=True)
class Risk:
    """The moment of a fault on an action, and whether a repetition is harmless.

    Attributes:
        moment: before the work, during it or after it.
        harmless: whether a second identical call is refused, has no effect, or completes what was begun.
    """

    moment: Moment
    harmless: bool


@dataclass(frozen=True, slots=True)
class State:
    """The state of an episode.

    Attributes:
        done: the ids of the steps done, in branches given up as well.
        broken: the names of the tools that will never work; tools that the graph lacks are ignored.
        pending: for an untouched group, the fault that its first call meets; for a step not called, the fault
            that its first call meets. A step inside a group with a pending fault cannot have one of its own.
        risks: by step, the actions whose outcome is in doubt once a fault struck them.
        doubtful: the steps that were struck and of which nothing is known yet; each has a risk.
        kept: done steps that were struck and had their effect, so that no other branch of their group is right.
    """

    done: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    pending: Mapping[str, Persistence] = field(default_factory=dict)
    risks: Mapping[str, Risk] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()


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

    Each lowers c* by exactly one, also where it takes a pending fault. Empty where the task is finished or cannot be,
    and where only a look is left to do (`next_looks`). What is found out is kept with the graph, since the same states
    come again in every episode of a task.

    Raises:
        ValueError: the state does not fit the graph.
    """
    kept: dict[object, tuple[str, ...]] = vars(graph).setdefault("next_calls", {})
    key = (
        state.done,
        state.broken,
        state.doubtful,
        state.kept,
        frozenset(state.pending.items()) if state.pending else NOTHING,
        _risks_met(graph, state),
    )
    found = kept.get(key)
    if found is None:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        found = kept[key] = _next_calls(graph, state)
    return found


def _risks_met(graph: Graph, state: State) -> frozenset[tuple[str, Risk]]:
    """The risks of steps that are in doubt or that a pending fault may still strike; no other decides anything."""
    if not state.risks:
        return NOTHING
    struck = {*state.doubtful, *state.pending}
    return frozenset(
        (id, risk)
        for id, risk in state.risks.items()
        if id in struck or (id in graph.home and graph.home[id][0].id in struck)
    )


def _next_calls(graph: Graph, state: State) -> tuple[str, ...]:
    _check(graph, state)
    costs = {node.id: _node_cost(node, state) for node in graph.nodes}
    if None in costs.values():
        return ()
    return tuple(step.id for step in _ready(graph, state) if _lowers(graph, state, step, costs))


def next_looks(graph: Graph, state: State) -> tuple[str, ...]:
    """The ids of the faulted steps that an optimal continuation may look after next, in the order of the graph.

    A look is worth its call also where it can only show that nothing is left to do but stop.
    """
    return tuple(step.id for step in graph.walk() if step.id in state.doubtful and not _repeats(state, step))


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
    faulted = _node_of(graph, step).id
    # A group's fault is taken by whichever of its steps is called first.
    if faulted not in state.pending:
        faulted = step.id
    if faulted in state.pending:
        pending = {id: fault for id, fault in state.pending.items() if id != faulted}
        broken = {step.tool} if state.pending[faulted] == "permanent" else set()
        return replace(
            state, pending=pending, broken=state.broken | broken, doubtful=state.doubtful | _in_doubt(state, step)
        )
    if step.tool in state.broken:
        return state
    return replace(state, done=state.done | {step.id}, doubtful=state.doubtful - {step.id})


def _lowers(graph: Graph, state: State, step: Step, costs: Mapping[str, int | None]) -> bool:
    """Return whether calling a step makes its node one call cheaper than it is by `costs`."""
    node = _node_of(graph, step)
    before = costs[node.id]
    if not before:  # done, or it cannot be done
        return False
    if node.id in state.pending or step.id in state.pending:
        return _node_cost(node, _called(graph, state, step)) == before - 1
    doubt = _doubt(node, state)
    if doubt is not None:
        return step.id == doubt.id and _repeats(state, step)
    if step.tool in state.broken:
        return False
    if isinstance(node, Step):
        return True
    branch = graph.home[step.id][1]
    # The effect of a kept step cannot be undone, so only its own branch lowers the cost.
    bound = {other.id for other in _steps_of(node)} & state.kept if state.kept else frozenset[str]()
    return bound <= {other.id for other in branch.steps} and _steps_cost(branch.steps, state) == before


def _may_call(graph: Graph, state: State, step: Step) -> bool:
    node = _node_of(graph, step)
    # A group that is done needs no call on another branch.
    if step.tool in state.broken or _node_cost(node, state) == 0:
        return False
    after = _called(graph, state, step)
    # While the fault is pending, a call on any branch may take it.
    if isinstance(node, Step) or node.id in state.pending:
        return _node_cost(node, after) is not None
    return _steps_cost(graph.home[step.id][1].steps, after) is not None


def _node_cost(node: Node, state: State) -> int | None:
    doubt = _doubt(node, state)
    if doubt is not None:
        return _settled(node, doubt, state)
    if isinstance(node, Step):
        return _steps_cost((node,), state)
    # Which step takes the group's fault decides what is in doubt afterwards, so each possible first call is tried.
    if node.id in state.pending and any(step.id in state.risks for step in _steps_of(node)):
        return _cheapest(_faulted_cost(node, step, state) for step in _openers(node))
    # An effect that was made on one branch binds the group to it: another branch would do it again.
    bound = state.kept and {step.id for step in _steps_of(node)} & state.kept
    open_branches = [b for b in node.branches if not bound or bound <= {step.id for step in b.steps}]
    cheapest = _cheapest(_steps_cost(branch.steps, state) for branch in open_branches)
    if cheapest is None or node.id not in state.pending:
        return cheapest
    # The fault will break the only branch.
    if state.pending[node.id] == "permanent" and len(node.branches) < 2:
        return None
    # The first call fails, and one more call does its work: again, or on another branch as cheap.
    return cheapest + 1


def _faulted_cost(group: Group, step: Step, state: State) -> int | None:
    """The cost of a group whose pending fault this step takes."""
    broken = {step.tool} if state.pending[group.id] == "permanent" else set[str]()
    pending = {id: fault for id, fault in state.pending.items() if id != group.id}
    doubtful = state.doubtful | _in_doubt(state, step)
    after = _node_cost(group, replace(state, pending=pending, broken=state.broken | broken, doubtful=doubtful))
    return None if after is None else 1 + after


def _in_doubt(state: State, step: Step) -> set[str]:
    """The step, where a fault on it leaves its outcome in doubt; a tool that is broken already does nothing."""
    return {step.id} & state.risks.keys() if step.tool not in state.broken else set()


def _openers(group: Group) -> Iterator[Step]:
    """The steps of a group that need none of its others, so that its first call can be one of them."""
    for branch in group.branches:
        own = {step.id for step in branch.steps}
        yield from (step for step in branch.steps if not own & {*(need.node for need in step.needs), *step.after})


def _settled(node: Node, step: Step, state: State) -> int | None:
    """The cost of a node of which this step was struck, and nothing is known of what it did."""
    risk = state.risks[step.id]
    again = step.tool not in state.broken
    known = replace(state, doubtful=state.doubtful - {step.id})
    # After or during: the step counts as done, and what it costs to find out is added below.
    kept = known if risk.moment == "before" else replace(known, done=known.done | {step.id})
    own = (step,) if isinstance(node, Step) else next(b.steps for b in node.branches if step in b.steps)
    rest = _steps_cost(own, kept)
    # Done: a look shows it, and nothing is repeated.
    if risk.moment == "after":
        return None if rest is None else 1 + rest
    # Half done: only the same tool completes it, after a look unless repeating is harmless.
    if risk.moment == "during":
        # One call completes the work; the other is the look.
        return None if rest is None or not again else rest + (1 if risk.harmless else 2)
    # Not done: repeat at once where that is harmless, else look first, then take the cheapest way.
    anew = _node_cost(node, known)
    repeated = rest if again and risk.harmless else None
    return _cheapest((repeated, None if anew is None else 1 + anew))


def _doubt(node: Node, state: State) -> Step | None:
    """The step of a node whose outcome is in doubt."""
    return next((step for step in _steps_of(node) if step.id in state.doubtful), None) if state.doubtful else None


def _repeats(state: State, step: Step) -> bool:
    """Return whether a faulted step is best called again at once."""
    risk = state.risks[step.id]
    return step.tool not in state.broken and risk.harmless and risk.moment != "after"


def _steps_of(node: Node) -> Iterable[Step]:
    return (node,) if isinstance(node, Step) else (step for branch in node.branches for step in branch.steps)


def _cheapest(costs: Iterable[int | None]) -> int | None:
    return min((cost for cost in costs if cost is not None), default=None)


def _steps_cost(steps: Iterable[Step], state: State) -> int | None:
    """The calls that complete these steps; None where one of them is broken or will be."""
    cost = 0
    for step in steps:
        if step.id in state.done:
            continue
        fault = state.pending.get(step.id)
        if fault == "permanent" and _stays_done(state.risks.get(step.id)) and step.tool not in state.broken:
            cost += 2  # the call, and a look that shows it done
            continue
        if step.tool in state.broken or fault == "permanent":
            return None
        # A transient fault costs the call that fails.
        cost += 1 if fault is None else 2
        if fault is not None and _looks_first(state.risks.get(step.id)):
            cost += 1
    return cost


def _stays_done(risk: Risk | None) -> bool:
    """Return whether a step that a permanent fault will strike is done all the same."""
    return risk is not None and risk.moment == "after"


def _looks_first(risk: Risk | None) -> bool:
    """Return whether a step that a transient fault will strike takes a look before it is repeated."""
    return risk is not None and not risk.harmless and risk.moment != "after"


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
        # A step inside a group is not a node, and may have a fault all the same.
        if node is None and id not in graph.steps:
            problems.append(f"pending: there is no group and no step {id!r}")
        elif id in state.done:
            problems.append(f"pending: step {id!r} is done, so it cannot meet its first fault any more")
        elif id in graph.home and graph.home[id][0].id in state.pending:
            problems.append(f"pending: step {id!r} and its group {graph.home[id][0].id!r} both; keep one")
        elif node is not None and not isinstance(node, Step):
            touched = sorted(step.id for branch in node.branches for step in branch.steps if step.id in state.done)
            # A group's fault meets its first call, so with a step done it would have struck already.
            if touched:
                problems.append(f"pending: group {id!r} was touched: {', '.join(touched)} is done")
    problems += [f"doubtful: step {id!r} has no risk" for id in sorted(state.doubtful - state.risks.keys())]
    problems += [f"doubtful: step {id!r} is done" for id in sorted(state.doubtful & state.done)]
    if problems:
        raise ValueError("; ".join(problems))
