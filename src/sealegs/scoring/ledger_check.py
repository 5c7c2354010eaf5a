"""What the ledger of effects says of an episode: deeds done too often, deeds that nobody asked for, a right end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from sealegs.faults.call import Effect
from sealegs.scoring.case import Case
from sealegs.scoring.matching import same_effect, same_effects
from sealegs.scoring.task_progress import finished_branches
from sealegs.tasks.graph import Group
from sealegs.traces.record import Record


def duplicate_effects(record: Record, case: Case) -> list[Effect]:
    """The deeds of the ledger beyond as many of their like as any solution does, where one does any."""
    return [effect for effect, wanted in _beyond(record, case) if wanted]


def unwanted_effects(record: Record, case: Case) -> list[Effect]:
    """The deeds of the ledger that no step of the task does."""
    return [effect for effect, wanted in _beyond(record, case) if not wanted]


def _beyond(record: Record, case: Case) -> Iterator[tuple[Effect, int]]:
    """Every deed for which no place is left, with how many of its like a solution may do."""
    seen: list[Effect] = []
    for effect in record.effects:
        wanted = _most(effect, case)
        if sum(same_effect(effect, other) for other in seen) >= wanted:
            yield effect, wanted
        seen.append(effect)


def _most(effect: Effect, case: Case) -> int:
    """How many deeds like this one a solution may do."""
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
    """Whether the ledger holds the effects of one valid solution; `done`: steps that say which branches were taken."""
    graph = case.task.graph
    fixed = [id for id in graph.by_id if id in graph.steps]
    whole = [finished_branches(group, done) or group.branches for group in graph.groups]
    for choice in itertools.product(*whole):
        steps = fixed + [step.id for branch in choice for step in branch.steps]
        wanted = [effect for id in steps for effect in case.reference.steps[id].effects]
        if same_effects(list(record.effects), wanted):
            return True
    return False
