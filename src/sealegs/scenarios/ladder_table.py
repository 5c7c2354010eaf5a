"""Update which faults each step of the shipped tasks offers on each rung, after a change of tools, tasks or kinds.

python -m sealegs.scenarios.ladder_table
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from sealegs.scenarios.ladder import TABLE, proven_ladder
from sealegs.scenarios.perturbation import victims
from sealegs.scenarios.step_use import used_fields
from sealegs.scenarios.task_sets import base_tasks
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.traces.atomic_files import write_atomically


def ladders_by_step(task: str) -> dict[str, dict[str, Any]]:
    """The faults that can strike each step of a shipped task that may become a victim, by rung."""
    base = base_tasks()[task]
    nodes = [group.id for group in base.graph.groups] or list(base.graph.by_id)
    steps = [step.id for node in nodes for step in victims(base.graph, node) if used_fields(base.graph, step, base)]
    proven = {step: proven_ladder(task, step) for step in steps}
    return {
        step: {way: list(one) for way, one in (*p.families.items(), *p.values.items())} for step, p in proven.items()
    }


def write_ladder_table() -> None:
    """Write the file."""
    tasks = list(base_tasks())
    with ProcessPoolExecutor() as pool:
        found = pool.map(ladders_by_step, tasks, chunksize=10)
    lines = [f"{json.dumps(task)}: {json.dumps(ladders)}" for task, ladders in zip(tasks, found, strict=True)]
    lines.insert(0, f"{json.dumps(CANARY_FIELD)}: {json.dumps(CANARY)}")
    write_atomically(TABLE, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    write_ladder_table()
