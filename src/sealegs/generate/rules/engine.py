"""Many tasks by rules, on all cores, the same for the same seed however often the run is stopped.

Attempt number n of a level is a function of seed, level and n alone. Attempts are judged in their order, so that which
of two near duplicates stays does not depend on the machine.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sealegs.engines.journal import Journal, KeyedJournal
from sealegs.engines.shards import open_shard_folder
from sealegs.engines.work_ahead import AHEAD, work_ahead
from sealegs.engines.workers import WorkerPool, WorkerTask
from sealegs.faults import seeds
from sealegs.faults.user_error import UserError
from sealegs.generate.rules.graph_outlines import draw_graph_outline
from sealegs.generate.rules.graph_search import DeadEnd, Search
from sealegs.generate.rules.phrasing import deliverables, phrase_request
from sealegs.generate.rules.vocabulary import CorpusVocabulary
from sealegs.generate.task_checks import rejection
from sealegs.generate.task_dataset import GenerationYield, write_dataset
from sealegs.scenarios.task_sets import WORLD, world_pointer
from sealegs.tasks import Task
from sealegs.tasks.similarity import SeenToolSets
from sealegs.tasks.yaml_tasks import task_data
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.folder_lock import locks_folder
from sealegs.world.corpus import load_corpus, load_corpus_file

JOURNAL = "journal.jsonl"
CHUNK = 100  # attempts of one level that are made and written down together
MOST_TRIED = 1000  # attempts of a level of a user's own domain
MOST_IN_VAIN = 300  # of which none made a task
NEAREST = 0.5  # no two tasks' tool sets are more similar than this
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: a task as plain data, or the name of what it failed; with its tools, where it got that far."""

    task: Mapping[str, Any] | None
    tools: tuple[str, ...] = ()
    fell_at: str = ""
    reason: str = ""


def attempt_task(level: str, number: int, seed: int, seen: SeenToolSets | None = None, world: str = "") -> Attempt:
    """One attempt at a task of this level; near duplicates of what was seen are not looked at further.

    `world`: the file of the user's own domain; its tasks may be smaller than their level.
    """
    vocabulary = _vocabulary(world)
    draw = seeds.stream("rules", seed, level, number)
    try:
        sketch = Search(vocabulary, draw).sketch(draw_graph_outline(level, draw, small=bool(world)))
    except DeadEnd as error:
        return Attempt(None, fell_at="search", reason=str(error))
    tools = tuple(sorted(sketch.graph.step_of))
    # Before the words and the checks, which cost most, since many attempts end here.
    if seen is not None and seen.nearest(frozenset(tools))[0] > NEAREST:
        return Attempt(None, tools, "duplicate")
    wanted = deliverables(sketch, vocabulary, draw)
    if wanted is None:
        return Attempt(None, tools, "deliverables", "too little or too much to tell")
    words = phrase_request(sketch, wanted, vocabulary.corpus, draw)
    domains = dict.fromkeys(vocabulary.corpus.tools[step.tool].domain for step in sketch.graph.walk())
    task = Task(f"{level}-{number}", level, words, sketch.inputs, sketch.graph, wanted, tuple(domains))
    fell = rejection(task, vocabulary.corpus, small=bool(world))
    if fell is not None:
        return Attempt(None, tools, *fell)
    return Attempt(task_data(task, vocabulary.corpus.groups), tools)


@locks_folder("out")
def generate_by_rules(
    levels: Sequence[str],
    per_level: int,
    seed: int,
    out: Path,
    progress: Progress,
    jobs: int | None = None,
    world: Path | None = None,
) -> GenerationYield:
    """Make tasks until each level has its number, and write them as a folder of tasks with a card.

    The same command resumes where a stopped one left off, and a finished run is only read. A domain of the user's may
    have too few tools for a level: then it has as many tasks as `MOST_TRIED` attempts make.

    Raises:
        UserError: the folder holds another run, or no task could be made.
    """
    settings = rules_settings(levels, per_level, seed, world)
    open_shard_folder(out, None)
    ahead = work_ahead(out, settings)
    journal = Journal(out / JOURNAL, settings)
    found = AttemptSorting(per_level)
    for entry in journal.entries:
        found.add(entry)
    progress(len(found.tasks), per_level * len(levels))
    jobs = jobs or os.cpu_count() or 1
    with WorkerPool(jobs) as pool:
        try:
            for level in levels:
                for made in _chunks(pool, jobs, level, seed, found, world_file(world), ahead):
                    entry = found.sorted(level, made)
                    journal.append(entry)
                    found.add(entry)
                    progress(len(found.tasks), per_level * len(levels))
        finally:
            pool.shutdown()
    if world is not None:
        if not found.tasks:
            raise UserError(
                f"no task could be made of {world} in {MOST_IN_VAIN} attempts a level; write tasks (docs/tasks.md) and "
                "give them with --tasks"
            )
        write_atomically(out / WORLD, world_pointer(world))
    result = GenerationYield("rules", found.tasks, found.tried, found.fell)
    write_dataset(out, result, settings)
    # Only now: until the set is written, a stopped run takes the attempts made ahead from here.
    (out / AHEAD).unlink(missing_ok=True)
    return result


def rules_settings(levels: Sequence[str], per_level: int, seed: int, world: Path | None) -> dict[str, Any]:
    """The settings of a set: equal settings give equal tasks."""
    settings = {"engine": "rules", "levels": list(levels), "per_level": per_level, "seed": seed, "chunk": CHUNK}
    return settings | ({"world": world_pointer(world)} if world is not None else {})


def world_file(world: Path | None) -> str:
    """The file of a user's domain, for workers; empty for the shipped ones."""
    return "" if world is None else str(world.resolve())


def chunk_key(level: str, start: int) -> str:
    """The name of the chunk that begins with this attempt."""
    return f"{level}/{start}"


def chunk_data(level: str, start: int, made: Sequence[Attempt]) -> dict[str, Any]:
    """A chunk as an entry of work that is done ahead."""
    return {"key": chunk_key(level, start), "attempts": [asdict(one) for one in made]}


def known_chunk(ahead: KeyedJournal, key: str) -> list[Attempt]:
    """A chunk that was made ahead."""
    return [Attempt(**{**one, "tools": tuple(one["tools"])}) for one in ahead.entry(key)["attempts"]]


def _chunks(
    pool: WorkerPool,
    jobs: int,
    level: str,
    seed: int,
    found: AttemptSorting,
    world: str,
    ahead: KeyedJournal | None,
) -> Iterator[list[Attempt]]:
    """Chunks of attempts in their order, a few of them under way at a time, until the level is full."""
    waiting: list[Future[list[Attempt]] | WorkerTask[list[Attempt]]] = []
    start = found.tried.get(level, 0)
    while not found.full(level) and not (world and found.exhausted(level)):
        while len(waiting) <= jobs:
            key = chunk_key(level, start)
            if ahead is not None and key in ahead.keys:
                known: Future[list[Attempt]] = Future()
                known.set_result(known_chunk(ahead, key))
                waiting.append(known)
            else:
                # What is known now saves work only: duplicates of later tasks are found again when the chunk is sorted
                # in its order.
                waiting.append(pool.submit(make_attempts, level, start, seed, found.known, world))
            start += CHUNK
        yield waiting.pop(0).result()
    for future in waiting:
        future.cancel()


def make_attempts(level: str, start: int, seed: int, known: Sequence[tuple[str, ...]], world: str) -> list[Attempt]:
    """A chunk of attempts; near duplicates of the known tools are not looked at further."""
    seen = SeenToolSets((str(number), frozenset(tools)) for number, tools in enumerate(known))
    return [attempt_task(level, number, seed, seen, world) for number in range(start, start + CHUNK)]


@cache
def _vocabulary(world: str) -> CorpusVocabulary:
    return CorpusVocabulary(load_corpus_file(Path(world)), own=True) if world else CorpusVocabulary(load_corpus())


class AttemptSorting:
    """Sorts attempts, in their order, into tasks and what the others fell at.

    A near duplicate is counted as such whatever else is wrong with it, so what a worker knew of others does not matter.
    """

    def __init__(self, per_level: int) -> None:
        self.per_level = per_level
        self.tasks: list[dict[str, Any]] = []
        self.tried: Counter[str] = Counter()
        self.fell: Counter[tuple[str, str]] = Counter()
        self.known: list[tuple[str, ...]] = []
        self._seen = SeenToolSets()

    def exhausted(self, level: str) -> bool:
        """Return whether a small domain was tried long enough."""
        made = any(task["level"] == level for task in self.tasks)
        return self.tried.get(level, 0) >= (MOST_TRIED if made else MOST_IN_VAIN)

    def full(self, level: str) -> bool:
        """Return whether a level has all its tasks."""
        return bool(sum(task["level"] == level for task in self.tasks) >= self.per_level)

    def sorted(self, level: str, attempts: Sequence[Attempt]) -> dict[str, Any]:
        """An entry for the journal: how many were tried, what they fell at, the tasks with their tools."""
        count = sum(task["level"] == level for task in self.tasks)
        tasks: list[Any] = []
        fell: Counter[str] = Counter()
        tried = 0
        for made in attempts:
            tried += 1
            if made.tools and self._seen.nearest(frozenset(made.tools))[0] > NEAREST:
                fell["duplicate"] += 1
            elif made.task is None:
                fell[made.fell_at] += 1
            else:
                id = f"{level.lower()}-r{count + len(tasks) + 1:05d}"
                self._seen.add(id, frozenset(made.tools))
                tasks.append([{**made.task, "id": id}, made.tools])
            if count + len(tasks) == self.per_level:
                break
        return {"level": level, "tried": tried, "fell": fell, "tasks": tasks}

    def add(self, entry: Mapping[str, Any]) -> None:
        """Take in an entry of the journal."""
        self.tried[entry["level"]] += entry["tried"]
        self.fell.update({(entry["level"], name): count for name, count in entry["fell"].items()})
        for task, tools in entry["tasks"]:
            self.tasks.append(task)
            self.known.append(tuple(tools))
            if task["id"] not in self._seen:
                self._seen.add(task["id"], frozenset(tools))
