"""The recovery layer on the suite's tasks: the alternatives of a task as an engineer would declare them.

An alternative is declared only where it follows from the call that failed: every argument of the tools in its place is
one of that call's, a constant, or found on the way. What only the request says is not known to a layer that sees calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealegs.faults.call import Layer
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.layer import RecoveryLayer, active
from sealegs.recovery.policies import Advise, Alternative, Fixed, Found, Given
from sealegs.recovery.policies import Step as AlternativeStep
from sealegs.recovery.policies.switch import Source
from sealegs.tasks.graph import Binding, Branch, Constant, Field, Group, Step, Task

RECOVERIES = ("off", "advise", "active")


def layers(recovery: str, task: Task, seed: int) -> list[Layer]:
    """The layers of an episode under this recovery."""
    if recovery == "advise":
        return [RecoveryLayer(Advise(shipped_bank()))]
    return [RecoveryLayer(active(alternatives(task), seed=seed))] if recovery == "active" else []


def alternatives(task: Task) -> tuple[Alternative, ...]:
    """What can stand in for the tools of the task's groups, the shortest way first."""
    return tuple(found for group in task.graph.groups for found in _of_group(group))


def _of_group(group: Group) -> Iterator[Alternative]:
    for branch in group.branches:
        if len(branch.steps) != 1:
            continue  # the calls before the one that failed are done, and would be done for nothing
        for other in sorted(group.branches, key=lambda one: len(one.steps)):
            found = None if other is branch else _instead(branch.steps[0], branch, other)
            if found is not None:
                yield found


def _instead(failed: Step, branch: Branch, other: Branch) -> Alternative | None:
    places = {step.id: place for place, step in enumerate(other.steps)}
    steps = []
    for step in other.steps:
        sources = {name: _source(binding, failed, places) for name, binding in step.arguments.items()}
        known = {name: source for name, source in sources.items() if source is not None}
        if len(known) < len(sources):
            return None
        steps.append(AlternativeStep(step.tool, known))
    answer = {
        field.path: Found(places[other.exports[export].node], other.exports[export].path)
        for export, field in branch.exports.items()
    }
    return Alternative(failed.tool, tuple(steps), answer)


def _source(binding: Binding, failed: Step, places: dict[str, int]) -> Source | None:
    if isinstance(binding, Constant):
        return Fixed(binding.value)
    same = (name for name, own in failed.arguments.items() if own == binding)
    name = next(same, None)
    if name is not None:
        return Given(name)
    if isinstance(binding, Field) and binding.node in places:
        return Found(places[binding.node], binding.path)
    return None
