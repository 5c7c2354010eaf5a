"""The course of an episode over its task's graph: which steps were done before each call, and where faults struck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sealegs.faults.call import Effect, Failure, Value
from sealegs.scoring.case import Case
from sealegs.scoring.matching import is_corrupted, right_turn, same_effects
from sealegs.scoring.mixture import is_sound_mixture
from sealegs.tasks import Reference
from sealegs.tasks.graph import Branch, Graph, Group, Step, Task
from sealegs.traces.reach import faults_reached
from sealegs.traces.record import Record, Turn


@dataclass(frozen=True, slots=True)
class Move:
    """One call on the graph.

    Attributes:
        turn: the call and what came of it.
        step: the step of its tool; None for a tool outside the graph.
        right: whether it did the step.
        ready: whether all that the step needs was there before.
        before: the steps done before it.
        failed: whether it came to nothing that an agent should use: an error, or a corrupt answer.
        felt: whether the agent was shown that in the end; never for a call that recovery had made.
        look: the tool whose deeds it looked at in a history; empty for other calls.
    """

    turn: Turn
    step: Step | None
    right: bool
    ready: bool
    before: frozenset[str]
    failed: bool
    felt: bool
    look: str = ""


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """An episode over its task's graph.

    Attributes:
        moves: every call.
        done: the steps done at the end.
        first: the position of the first faulted move; None where no fault was met.
        victims: the tool that was struck in each slot that was met.
        unseen: steps that had their effect although they failed, and that nothing showed the agent to be done.
    """

    moves: tuple[Move, ...]
    done: frozenset[str]
    first: int | None
    victims: Mapping[str, str]
    unseen: frozenset[str] = frozenset()


def progress_of(record: Record, case: Case) -> TaskProgress:
    """Lay an episode's calls over its task's graph."""
    graph, read = case.task.graph, read_fields(case.task)
    moves: list[Move] = []
    done: frozenset[str] = frozenset()
    victims: dict[str, str] = {}
    first: int | None = None
    met = faults_reached(record)
    left: dict[str, tuple[Effect, ...]] = {}  # what the calls of each step's tool left in the world
    for position, turn in enumerate(record.turns):
        step = graph.step_of.get(turn.call.tool)
        before = left.get(step.id, ()) if step is not None else ()
        right = step is not None and right_turn(turn, case.reference.steps[step.id], read.get(step.id, ()), before)
        ready = step is not None and ready_before(step, graph, done)
        failed = is_corrupted(turn) or turn.shown is None or isinstance(turn.shown, Failure)
        # The agent never saw a failure that the recovery layer repaired, so it did not recover from it.
        felt = not turn.by and (failed if turn.final is None else _felt(turn, met.get(position, False)))
        moves.append(Move(turn, step, right, ready, done, failed, felt, _looked_at(turn, case)))
        if step is not None and turn.faulted:
            first = position if first is None else first
            victims.setdefault(node_of(step, graph), step.tool)
        if step is not None:
            left[step.id] = (*before, *turn.effects)
        # If no later step reads anything of a step's answer, the message that it is done is enough.
        if step is not None and (right or (not read.get(step.id) and _refused_as_done(turn, step, case, before))):
            done |= {step.id}
        shown = graph.step_of.get(moves[-1].look)
        # A look at the world after a lost answer: the agent now knows that the step was done, and by which effects.
        if shown is not None and effects_complete(shown, case, left.get(shown.id, ())):
            done |= {shown.id}
    unseen = frozenset(
        id for id, effects in left.items() if id not in done and effects_complete(graph.steps[id], case, effects)
    )
    return TaskProgress(tuple(moves), done, first, victims, unseen)


def _looked_at(turn: Turn, case: Case) -> str:
    """The action whose deeds a call showed."""
    action = case.actions.get(str(turn.call.arguments.get("operation", "")))
    if "operation" not in turn.call.arguments:  # a look at one action's deeds alone
        action = next((one for one in case.actions.values() if one.shown_by == turn.call.tool), None)
    sound = isinstance(turn.shown, Value) and turn.said == turn.shown
    return action.name if action is not None and action.shown_by == turn.call.tool and sound else ""


def _refused_as_done(turn: Turn, step: Step, case: Case, before: tuple[Effect, ...]) -> bool:
    """Return whether a tool that takes no second identical call refused one, and so showed that the first was done."""
    risk = case.risks.get(step.id)
    refused = isinstance(turn.shown, Failure) and not turn.faulted and not turn.effects
    return risk is not None and risk.harmless and refused and effects_complete(step, case, before)


def effects_complete(step: Step, case: Case, effects: tuple[Effect, ...]) -> bool:
    """Return whether these are all the effects of a step that has some."""
    wanted = case.reference.steps[step.id].effects
    return bool(wanted) and same_effects(list(effects), list(wanted))


def _felt(turn: Turn, met: bool) -> bool:
    """Return whether a fault of a call that recovery acted on shows to the agent; `met`: one reached the agent."""
    return isinstance(turn.final, Failure) or (met and is_corrupted(turn))


def read_fields(task: Task) -> Mapping[str, tuple[str, ...]]:
    """The paths in each step's answer that other steps or the final answer read."""
    found: dict[str, dict[str, None]] = {}
    fields = [need for step in task.graph.walk() for need in step.needs]
    for field in (*fields, *(deliverable.source for deliverable in task.deliverables)):
        node = task.graph.by_id.get(field.node)
        # A need of a group is met by whichever branch is taken, so the matching field of each branch counts as read.
        sources = [branch.exports[field.path] for branch in node.branches] if isinstance(node, Group) else [field]
        for source in sources:
            found.setdefault(source.node, {})[source.path] = None
    return {step: tuple(read) for step, read in found.items()}


def node_of(step: Step, graph: Graph) -> str:
    """The node that a step belongs to: its group, or itself."""
    return graph.home[step.id][0].id if step.id in graph.home else step.id


def ready_before(step: Step, graph: Graph, done: frozenset[str]) -> bool:
    """Return whether every answer that the step takes its arguments from is there."""
    return all(field_available(need.node, need.path, graph, done) for need in step.needs)


def field_available(node: str, path: str, graph: Graph, done: frozenset[str]) -> bool:
    """Return whether a field of a node, or a group's export, is there."""
    found = graph.by_id.get(node)
    if isinstance(found, Group):
        return any(branch.exports[path].node in done for branch in found.branches)
    return node in done


def finished_branches(group: Group, done: frozenset[str]) -> tuple[Branch, ...]:
    """The branches of a group all of whose steps are done."""
    return tuple(branch for branch in group.branches if all(step.id in done for step in branch.steps))


def node_done(node: Step | Group, done: frozenset[str], reference: Reference) -> bool:
    """Return whether a step is done, or a group: a whole branch of it, or a sound mixture of branches."""
    if not isinstance(node, Group):
        return node.id in done
    return bool(finished_branches(node, done)) or is_sound_mixture(node, done, reference)


def completed(case: Case, done: frozenset[str]) -> bool:
    """Return whether every node is done."""
    return all(node_done(node, done, case.reference) for node in case.task.graph.nodes)
