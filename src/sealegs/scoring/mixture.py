"""Branches of an alternative group that an agent mixed.

Branches of more than one call may share a middle: a price from one tool and the exchange rate from another's branch
come to the same amount. An agent that mixes them so that everything is delivered has what the group is for; whether the
world is then as a branch would leave it is the ledger's to say. A right result on input that nothing delivered is luck.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealegs.faults import paths
from sealegs.scoring.matching import close
from sealegs.tasks import Reference
from sealegs.tasks.graph import Field, Group


def is_sound_mixture(group: Group, done: frozenset[str], reference: Reference) -> bool:
    """Return whether the steps done deliver every export of a group, each on inputs that were delivered."""
    steps = {step.id: step for branch in group.branches for step in branch.steps}

    def delivered(field: Field, path: frozenset[str] = frozenset()) -> bool:
        return any(own.node in done and sound(own.node, path) for own in [field, *_twins(field, group, reference)])

    def sound(id: str, path: frozenset[str]) -> bool:
        needs = (need for need in steps[id].needs if need.node in steps)
        # A value that would come from itself by way of twins has come from nowhere.
        return id not in path and all(delivered(need, path | {id}) for need in needs)

    exports = group.branches[0].exports
    return bool(exports) and all(any(delivered(branch.exports[name]) for branch in group.branches) for name in exports)


def _twins(field: Field, group: Group, reference: Reference) -> Iterator[Field]:
    """Fields of other branches that say the same: of the same export, or of the same name with the same value."""
    own = next(branch for branch in group.branches if field.node in {step.id for step in branch.steps})
    names = [name for name, exported in own.exports.items() if exported == field]
    value, leaf = paths.values_at(reference.steps[field.node].output, field.path), field.path.split(".")[-1]
    for branch in group.branches:
        if branch is own:
            continue
        yield from (branch.exports[name] for name in names)
        for step in branch.steps:
            for path, held in paths.leaves(reference.steps[step.id].output):
                # Equal values alone would make twins of any two counts of 1.
                if path.split(".")[-1] == leaf and any(close(held, other) for other in value):
                    yield Field(step.id, path)
