"""Checks of an episode's ledger of effects: done too often, done without a request, and a right end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from sealegs.faults.call import Effect
from sealegs.scoring.case import Case
from sealegs.scoring.matching import same_effect, same_effects
from sealegs.scoring.task_progress import finished_branches
from sealegs.tasks.graph import Group
from sealegs.traces.record import Record


@dataclass(frozen=True, slots=True)
class ExcessEffects:
    """The effects in the ledger that no solution has room for.

    Attributes:
        doubled: those beyond the most of their kind that any solution has.
        unwanted: those that no step of the task has.
    """

    doubled: tuple[Effect, ...] = ()
    unwanted: tuple[Effect, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.doubled or self.unwanted)


def excess_effects(record: Record, case: Case) -> ExcessEffects:
    """Find the effects in the ledger that no solution has room for."""
    seen: list[Effect] = []
    doubled: list[Effect] = []
    unwanted: list[Effect] = []
    for effect in record.effects:
        most = _most(effect, case)
        if sum(same_effect(effect, other) for other in seen) >= most:
            (doubled if most else unwanted).append(effect)
        seen.append(effect)
    return ExcessEffects(tuple(doubled), tuple(unwanted))


def _most(effect: Effect, case: Case) -> int:
    """The most effects like this one that a solution has."""
    steps = case.reference.steps

    def like(ids: Iterable[str]) -> int:
        return sum(same_effect(effect, other) for id in ids for other in steps[id].effects)

    return sum(
        max(like(step.id for step in branch.steps) for branch in node.branches)
        if isinstance(node, Group)
        else like([node.id])
        for node in case.task.graph.nodes
    )


def ledger_right(record: Record, case: Case, done: frozenset[str]) -> bool:
    """Return whether the ledger holds the effects of one valid solution; `done`: steps that tell the branches taken."""
    graph = case.task.graph
    fixed = [id for id in graph.by_id if id in graph.steps]
    # Where no branch was finished by right calls, the effects of any branch may be those in the ledger.
    whole = [finished_branches(group, done) or group.branches for group in graph.groups]
    # Several branches of a group may have been finished; the ledger must be that of one valid choice, whichever it is.
    for choice in itertools.product(*whole):
        steps = fixed + [step.id for branch in choice for step in branch.steps]
        wanted = [effect for id in steps for effect in case.reference.steps[id].effects]
        if same_effects(list(record.effects), wanted):
            return True
    return False
