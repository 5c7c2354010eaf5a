"""Where base tasks come from: those that ship with the suite, or your own folder.

A folder holds `tasks.jsonl` (one task a line, as `sealegs.tasks.yaml_tasks` reads it) and, where its tools are answered
from records (see `exchange`), `tools.jsonl`; where they are your own domain, `world.json` names its file. Such a set
plays on its recorded tools or on that domain alone, any other on the corpus that ships.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS
from sealegs.tasks import Task
from sealegs.tasks.reference import Reference
from sealegs.tasks.yaml_tasks import read_tasks, tasks_from
from sealegs.world.corpus import Corpus, load_corpus, load_corpus_file
from sealegs.world.recorded_tools import read_recorded
from sealegs.world.reference_runs import reference
from sealegs.world.tool import GROUPS

SHIPPED = ""
TASKS = "tasks.jsonl"
TOOLS = "tools.jsonl"
WORLD = "world.json"


@dataclass(frozen=True)
class TaskSet:
    """Base tasks by id, and the tools that each is played on.

    Attributes:
        tasks: by id, in the order of the levels.
        recorded: the recorded tools of each task; where a task has none, it plays on the corpus.
        own: a domain of the user's that all tasks play on, in place of the corpus that ships.
    """

    tasks: Mapping[str, Task]
    recorded: Mapping[str, Corpus] = field(default_factory=dict)
    own: Corpus | None = None
    _runs: dict[str, Reference] = field(default_factory=dict, repr=False, compare=False)

    def corpus(self, task: str) -> Corpus:
        """The tools and groups that the named task is made of."""
        return self.recorded.get(task) or self.own or load_corpus()

    def right_run(self, task: str) -> Reference:
        """What right looks like in the named task."""
        if task not in self._runs:
            self._runs[task] = reference(self.tasks[task], self.corpus(task))
        return self._runs[task]


@cache
def task_set(folder: str = SHIPPED) -> TaskSet:
    """The tasks of a folder, or those that ship with the suite.

    Raises:
        UserError: the folder holds no tasks, or some that cannot be read; the message names every mistake.
    """
    return TaskSet(_shipped()) if folder == SHIPPED else _in_folder(Path(folder))


def base_tasks() -> Mapping[str, Task]:
    """The tasks that ship with the suite."""
    return task_set().tasks


def _shipped() -> dict[str, Task]:
    corpus = load_corpus()
    domains = {name: tool.domain for name, tool in corpus.tools.items()}
    found: dict[str, Task] = {}
    for level in map(str.lower, LEVELS):
        folder = resources.files("sealegs.scenarios.shipped_tasks") / level
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            text = file.read_text(encoding="utf-8")
            found |= {task.id: task for task in tasks_from(text, corpus.groups, domains, f"{level}/{file.name}")}
    return found


def _in_folder(folder: Path) -> TaskSet:
    file = folder / TASKS
    if not file.exists():
        raise UserError(
            f"{folder} holds no {TASKS}; `sealegs maze generate` and `sealegs maze import` make such folders"
        )
    recorded = read_recorded(folder / TOOLS) if (folder / TOOLS).exists() else {}
    own = _named_world(folder / WORLD) if (folder / WORLD).exists() else None
    corpus = own or load_corpus()
    domains = {name: tool.domain for name, tool in corpus.tools.items()}
    found = {task.id: task for task in read_tasks(file, corpus.groups, domains)}
    ordered = sorted(found.values(), key=lambda task: task.level)  # stable: the file's order within a level
    return TaskSet({task.id: task for task in ordered}, recorded, own)


def world_digest(file: Path) -> str:
    """What tells one version of a domain's file, and of the groups beside it, from another.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        beside = file.with_suffix(f".{GROUPS}")
        texts = [one.read_bytes() for one in (file, beside) if one == file or one.exists()]
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error}); name a Python file of tools") from error
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:12]


def world_pointer(file: Path) -> str:
    """What `world.json` holds for a domain's file."""
    return json.dumps({"file": str(file.resolve()), "digest": world_digest(file)}) + "\n"


def _named_world(pointer: Path) -> Corpus:
    try:
        named = json.loads(pointer.read_text(encoding="utf-8"))
        file, digest = Path(named["file"]), str(named["digest"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{pointer} is damaged ({error!r}); make the folder anew with --world") from error
    if world_digest(file) != digest:
        raise UserError(f"{file} has changed since {pointer.parent} was made for it; run with --world again")
    return load_corpus_file(file)
