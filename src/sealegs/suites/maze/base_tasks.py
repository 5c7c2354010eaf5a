"""The base tasks that ship with the suite, and what right looks like in each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from sealegs.suites.maze import LEVELS
from sealegs.tasks import Task
from sealegs.tasks.reading import tasks_from
from sealegs.tasks.reference import Reference
from sealegs.world.corpus import Corpus, load
from sealegs.world.reference import reference


@cache
def base_tasks() -> Mapping[str, Task]:
    """Every base task by id, in the order of the levels."""
    corpus = load()
    domains = {name: tool.domain for name, tool in corpus.tools.items()}
    found: dict[str, Task] = {}
    for level in LEVELS:
        folder = resources.files("sealegs.suites.maze.tasks") / level.lower()
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            text = file.read_text(encoding="utf-8")
            found |= {task.id: task for task in tasks_from(text, corpus.groups, domains, f"{level.lower()}/{file.name}")}
    return found


@cache
def right_run(task: str) -> Reference:
    """What right looks like in the named base task."""
    return reference(base_tasks()[task], corpus())


def corpus() -> Corpus:
    """The tools and groups that the tasks are made of."""
    return load()
