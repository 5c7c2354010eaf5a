"""Update which implicit corruptions fit the steps of the shipped tasks, after a change of tools, tasks or kinds.

python -m sealegs.scenarios.implicit_table
"""

from __future__ import annotations

import json

from sealegs.scenarios.perturbation import IMPLICIT, implicit_kinds, victims
from sealegs.scenarios.step_use import used_fields
from sealegs.scenarios.task_sets import base_tasks
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.traces.atomic_files import write_atomically


def kinds_by_step(task: str) -> dict[str, list[str]]:
    """The kinds that fit each step of a shipped task that may become a victim."""
    base = base_tasks()[task]
    nodes = [group.id for group in base.graph.groups] or list(base.graph.by_id)
    steps = [step for node in nodes for step in victims(base.graph, node)]
    return {step.id: list(implicit_kinds(task, step.id)) for step in steps if used_fields(base.graph, step, base)}


def main() -> None:
    """Write the file."""
    lines = [f"{json.dumps(task)}: {json.dumps(kinds_by_step(task))}" for task in base_tasks()]
    lines.insert(0, f"{json.dumps(CANARY_FIELD)}: {json.dumps(CANARY)}")
    write_atomically(IMPLICIT, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
