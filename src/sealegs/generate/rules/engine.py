"""Many tasks by rules, on all cores, the same for the same seed however often the run is stopped.

Attempt number n of a level is a function of seed, level and n alone. Attempts are judged in their order, so that which
of two near duplicates stays does not depend on the machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from sealegs.faults import seeds
from sealegs.generate.checks import rejection
from sealegs.generate.dataset import Yield, write_dataset
from sealegs.generate.duplicates import Seen, tools_of
from sealegs.generate.journal import Journal
from sealegs.generate.rules.phrasing import deliverables, request
from sealegs.generate.rules.plans import plan
from sealegs.generate.rules.search import DeadEnd, Search
from sealegs.generate.rules.vocabulary import Vocabulary
from sealegs.tasks import Task
from sealegs.tasks.reading import task_data
from sealegs.world.corpus import load

CHUNK = 400  # attempts of one level that are made and written down together
NEAREST = 0.5  # no two tasks' tool sets are more alike than this
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: a task as plain data with its tools, or the name of what it fell at."""

    task: Mapping[str, Any] | None
    tools: tuple[str, ...] = ()
    fell_at: str = ""
    reason: str = ""


def attempt(level: str, number: int, seed: int) -> Attempt:
    """One attempt at a task of this level."""
    vocabulary = _vocabulary()
    draw = seeds.stream("rules", seed, level, number)
    try:
        sketch = Search(vocabulary, draw).sketch(plan(level, draw))
    except DeadEnd as error:
        return Attempt(None, fell_at="search", reason=str(error))
    wanted = deliverables(sketch, vocabulary, draw)
    if wanted is None:
        return Attempt(None, fell_at="deliverables", reason="too little or too much to tell")
    words = request(sketch, wanted, vocabulary.corpus, draw)
    domains = dict.fromkeys(vocabulary.corpus.tools[step.tool].domain for step in sketch.graph.walk())
    task = Task(f"{level}-{number}", level, words, sketch.inputs, sketch.graph, wanted, tuple(domains))
    fell = rejection(task, vocabulary.corpus)
    if fell is not None:
        return Attempt(None, fell_at=fell[0], reason=fell[1])
    return Attempt(task_data(task, vocabulary.corpus.groups), tuple(sorted(tools_of(task))))


def generate(
    levels: Sequence[str], per_level: int, seed: int, out: Path, progress: Progress, jobs: int | None = None
) -> Yield:
    """Make tasks until each level has its number, and write them as a folder of tasks with a card.

    The same command goes on where a stopped one left off, and a finished one is only read.

    Raises:
        Mistake: the folder holds another run.
    """
    settings = {"engine": "rules", "levels": list(levels), "per_level": per_level, "seed": seed, "chunk": CHUNK}
    journal = Journal(out / "journal.jsonl", settings)
    found = _Sorting(per_level)
    for entry in journal.entries:
        found.take(entry["level"], entry["attempts"])
    progress(found.accepted, per_level * len(levels))
    context = get_context("forkserver")
    with ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=context) as pool:
        try:
            for level in levels:
                begun = sum(len(entry["attempts"]) for entry in journal.entries if entry["level"] == level)
                for made in _chunks(pool, level, begun, seed):
                    if found.full(level):
                        break
                    journal.append({"level": level, "attempts": made})
                    found.take(level, made)
                    progress(found.accepted, per_level * len(levels))
        finally:
            pool.shutdown(cancel_futures=True)
    result = Yield("rules", found.tasks, found.tried, found.fell)
    write_dataset(out, result, settings)
    return result


def _chunks(pool: ProcessPoolExecutor, level: str, begun: int, seed: int) -> Iterator[list[list[Any]]]:
    """Chunks of attempts in their order, a few of them under way at a time."""
    ahead = 2 * (os.cpu_count() or 1)
    waiting = [pool.submit(_chunk, level, begun + n * CHUNK, seed) for n in range(ahead)]
    for number in count(ahead):
        waiting.append(pool.submit(_chunk, level, begun + number * CHUNK, seed))
        yield waiting.pop(0).result()


def _chunk(level: str, start: int, seed: int) -> list[list[Any]]:
    """Attempts as the journal keeps them: what each fell at, and its task and tools."""
    made = [attempt(level, number, seed) for number in range(start, start + CHUNK)]
    return [[each.fell_at] if each.task is None else ["", each.task, each.tools] for each in made]


@cache
def _vocabulary() -> Vocabulary:
    return Vocabulary(load())


class _Sorting:
    """Sorts attempts, in their order, into tasks and what the others fell at."""

    def __init__(self, per_level: int) -> None:
        self.per_level = per_level
        self.tasks: list[dict[str, Any]] = []
        self.tried: dict[str, int] = {}
        self.fell: dict[tuple[str, str], int] = {}
        self._seen = Seen()
        self._count: dict[str, int] = {}

    @property
    def accepted(self) -> int:
        return len(self.tasks)

    def full(self, level: str) -> bool:
        return self._count.get(level, 0) >= self.per_level

    def take(self, level: str, attempts: Sequence[Sequence[Any]]) -> None:
        for fell_at, *made in attempts:
            if self.full(level):
                return
            self.tried[level] = self.tried.get(level, 0) + 1
            if made and self._seen.nearest(frozenset(made[1]))[0] > NEAREST:
                fell_at = "duplicate"
            if fell_at:
                self.fell[level, fell_at] = self.fell.get((level, fell_at), 0) + 1
                continue
            task, tools = made
            self._count[level] = self._count.get(level, 0) + 1
            id = f"{level.lower()}-r{self._count[level]:05d}"
            self._seen.add(id, frozenset(tools))
            self.tasks.append({**task, "id": id})
