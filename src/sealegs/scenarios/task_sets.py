"""Sources of base tasks: the set that ships with the suite, or your own folder.

A folder holds `tasks.jsonl` (one task a line, as `sealegs.tasks.yaml_tasks` reads it) and, where its tools are answered
from records (see `exchange`), `tools.jsonl`; where they are your own domain, `world.json` names its file. Such a set
plays on its recorded tools or on that domain alone, any other on the corpus that ships. `private.json` marks a private
set.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.scenarios import LEVELS
from sealegs.tasks import Task
from sealegs.tasks.editions import CANARY, CANARY_FIELD, contents_digest, edition
from sealegs.tasks.reference import Reference
from sealegs.tasks.yaml_tasks import read_tasks, tasks_from
from sealegs.world.corpus import Corpus, load_corpus, load_corpus_file
from sealegs.world.recorded_tools import read_recorded
from sealegs.world.reference_runs import reference
from sealegs.world.tool import GROUPS

SHIPPED = ""
VERSION = "5-A"  # of the shipped tasks, of what tasks are, and of the rules by which they are played
TASKS = "tasks.jsonl"
TOOLS = "tools.jsonl"
WORLD = "world.json"
PRIVATE = "private.json"
PUBLIC = "public"  # the folder in a private set's folder of the tasks that it was matched to
PRIVATE_VERSION = f"{VERSION}-private"  # of sets that are made to be kept secret; the digest tells them apart


@dataclass(frozen=True)
class TaskSet:
    """Base tasks by id, and the tools that each is played on.

    Attributes:
        tasks: by id, in the order of the levels.
        recorded: the recorded tools of each task; where a task has none, it plays on the corpus.
        own: a domain of the user's that all tasks play on, in place of the corpus that ships.
        digest: of the files that the tasks were read from, which tells one edition of a set from another.
        private: whether it is to be kept secret.
    """

    tasks: Mapping[str, Task]
    recorded: Mapping[str, Corpus] = field(default_factory=dict)
    own: Corpus | None = None
    digest: str = ""
    private: bool = False
    _runs: dict[str, Reference] = field(default_factory=dict, repr=False, compare=False)

    @property
    def edition(self) -> str:
        """Version and digest, as records and rows name the set."""
        return edition(PRIVATE_VERSION if self.private else VERSION, self.digest)

    def corpus(self, task: str) -> Corpus:
        """The tools and groups that the named task is made of."""
        return self.recorded.get(task) or self.own or load_corpus()

    def right_run(self, task: str) -> Reference:
        """The reference run of the named task."""
        if task not in self._runs:
            self._runs[task] = reference(self.tasks[task], self.corpus(task))
        return self._runs[task]


@cache
def task_set(folder: str = SHIPPED) -> TaskSet:
    """The tasks of a folder, or those that ship with the suite.

    Raises:
        UserError: the folder holds no tasks, or some that cannot be read; the message names every mistake.
    """
    return _shipped() if folder == SHIPPED else _in_folder(Path(folder))


def is_private(name: str) -> bool:
    """Return whether an edition is of a private set."""
    return name.startswith(f"{PRIVATE_VERSION}:")


def base_tasks() -> Mapping[str, Task]:
    """The tasks that ship with the suite."""
    return task_set().tasks


def _shipped() -> TaskSet:
    corpus = load_corpus()
    domains = {name: tool.domain for name, tool in corpus.tools.items()}
    found: dict[str, Task] = {}
    texts: list[bytes] = []
    for level in map(str.lower, LEVELS):
        folder = resources.files("sealegs.scenarios.shipped_tasks") / level
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            text = file.read_text(encoding="utf-8")
            texts.append(text.encode())
            found |= {task.id: task for task in tasks_from(text, corpus.groups, domains, f"{level}/{file.name}")}
    texts += [file.read_bytes() for file in wording_files()]  # an edition is of all requests, whichever is used
    return TaskSet(found, digest=contents_digest(texts))


def wording_files(name: str = "") -> Iterator[Traversable]:
    """The files of further requests that ship, in order; those of one wording or language, or all."""
    yield from _yaml_files(resources.files("sealegs.scenarios.shipped_wordings") / name)


def _yaml_files(folder: Traversable) -> Iterator[Traversable]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            yield from _yaml_files(each)
        elif each.name.endswith(".yaml"):
            yield each


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
    texts = [one.read_bytes() for one in (file, folder / TOOLS) if one.exists()]
    if own is not None:
        texts.append(json.loads((folder / WORLD).read_text(encoding="utf-8"))["digest"].encode())
    private = (folder / PRIVATE).exists()
    return TaskSet({task.id: task for task in ordered}, recorded, own, contents_digest(texts), private)


def world_digest(file: Path) -> str:
    """The digest that tells one version of a domain's file, and of the groups beside it, from another.

    Raises:
        UserError: the file cannot be read.
    """
    try:
        beside = file.with_suffix(f".{GROUPS}")
        texts = [one.read_bytes() for one in (file, beside) if one == file or one.exists()]
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error}); name a Python file of tools") from error
    return contents_digest(texts)


def world_pointer(file: Path) -> str:
    """The content of `world.json` for a domain's file."""
    return json.dumps({"file": str(file.resolve()), "digest": world_digest(file), CANARY_FIELD: CANARY}) + "\n"


def _named_world(pointer: Path) -> Corpus:
    try:
        named = json.loads(pointer.read_text(encoding="utf-8"))
        file, digest = Path(named["file"]), str(named["digest"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{pointer} is damaged ({error!r}); make the folder anew with --world") from error
    if world_digest(file) != digest:
        raise UserError(f"{file} has changed since {pointer.parent} was made for it; run with --world again")
    return load_corpus_file(file)
