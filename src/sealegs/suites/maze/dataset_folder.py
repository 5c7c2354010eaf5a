"""A set of tasks as a dataset folder: JSON lines by level, a card, Croissant metadata, a licence.

`datasets.load_dataset(FOLDER)` reads it, with a split for each level. What has no fixed form (the graph, the inputs) is
JSON text in a column, so that every row has the same columns. Each row holds the edition and the canary.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.reports.croissant import DataFile, croissant
from sealegs.scenarios import LEVELS
from sealegs.scenarios.task_sets import VERSION, TaskSet
from sealegs.tasks import Task
from sealegs.tasks.editions import CANARY, CANARY_FIELD, TASK_SET
from sealegs.tasks.yaml_tasks import task_data

LICENCE = "https://www.apache.org/licenses/LICENSE-2.0"
ABOUT = "Tasks for tool-calling agents on simulated tools, to be played with and without faults by Sealegs."
CITE = (
    "The Sealegs maintainers. Sealegs: fault injection, ground truth and recovery scores for tool-calling LLM agents."
)


def dataset_files(chosen: TaskSet, name: str) -> dict[str, str]:
    """The files of the folder, by path.

    Args:
        chosen: the tasks.
        name: of the dataset.

    Raises:
        UserError: there are no tasks.
    """
    rows = [dataset_row(task, chosen) for task in chosen.tasks.values()]
    if not rows:
        raise UserError("there are no tasks to write")
    files: dict[str, str] = {}
    for level in LEVELS:
        own = [row for row in rows if row["level"] == level]
        if own:
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in own)
            files[f"data/{level.lower()}.jsonl"] = text
    parts = [DataFile(path, hashlib.sha256(text.encode()).hexdigest()) for path, text in files.items()]
    words = f"{ABOUT} Edition {chosen.edition}. {CANARY}"
    about = croissant(
        name, _number(), words, f"{CITE} Tasks of maze, edition {chosen.edition}.", LICENCE, parts, rows[0]
    )
    files["croissant.json"] = json.dumps(about, indent=1) + "\n"
    files["README.md"] = _card(chosen, name, files)
    files["LICENSE"] = f"Apache License 2.0: {LICENCE}\n\n{CANARY}\n"
    return files


def dataset_row(task: Task, chosen: TaskSet) -> dict[str, Any]:
    """A task as a row: text and lists of text alone."""
    groups = chosen.corpus(task.id).groups
    data = task_data(task, {} if task.id in chosen.recorded else groups)
    tools = list(dict.fromkeys(step.tool for step in task.graph.walk()))
    return {
        "id": task.id,
        "level": task.level,
        "request": task.request,
        "domains": list(task.domains),
        "tools": tools,
        "deliverables": [one.label for one in task.deliverables],
        "inputs": json.dumps(dict(task.inputs), ensure_ascii=False),
        "task": json.dumps(data, ensure_ascii=False),
        TASK_SET: chosen.edition,
        CANARY_FIELD: CANARY,
    }


def _number() -> str:
    """The version of the tasks as Croissant writes one."""
    return f"{VERSION.partition('-')[0]}.0.0"


def _card(chosen: TaskSet, name: str, files: Mapping[str, str]) -> str:
    splits = [path for path in files if path.startswith("data/")]
    listed = "\n".join(f"  - split: {path[5:7]}\n    path: {path}" for path in splits)
    counts = "\n".join(f"| {path[5:7]} | {files[path].count(chr(10))} |" for path in splits)
    return f"""---
pretty_name: {name}
license: apache-2.0
language: [en]
task_categories: [other]
tags: [agents, tool-calling, benchmark, fault-injection]
size_categories: [{"n<1K" if len(chosen.tasks) < 1000 else "1K<n<10K"}]
configs:
- config_name: default
  data_files:
{listed}
---

# {name}

{ABOUT} Edition `{chosen.edition}` (version and digest).

| split | tasks |
|---|---|
{counts}

A row holds the request, the tools of every solution, what the answer must deliver, and in `task` the whole task as JSON
text, as Sealegs reads it. This is test material: please leave out of training text whatever holds the canary.

<!-- {CANARY} -->
"""
