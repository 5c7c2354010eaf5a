"""A shard of making tasks by rules: every n-th chunk of attempts, until they hold the shard's share of tasks.

Which tasks stay is decided in the order of all attempts, when the shards are merged: some fall there as near duplicates
of another shard's, and attempts are made then in their place.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

from sealegs.engines.journal import KeyedJournal
from sealegs.engines.merging import MergeResult, ShardFolder, merge_result
from sealegs.engines.shards import Shard, describe_shard, open_shard_folder
from sealegs.engines.work_ahead import AHEAD, check_whole_folder, merge_work_ahead
from sealegs.engines.workers import WorkerPool, WorkerTask
from sealegs.generate.rules.engine import (
    CHUNK,
    JOURNAL,
    Attempt,
    AttemptSorting,
    chunk_data,
    chunk_key,
    generate_by_rules,
    known_chunk,
    make_attempts,
    rules_settings,
    world_file,
)
from sealegs.generate.task_dataset import CARD
from sealegs.traces.folder_lock import locks_folder

KIND = "tasks"  # of a shard
FINISHED = "finished"
Progress = Callable[[int, int], None]


@locks_folder("out")
def make_task_shard(
    levels: Sequence[str],
    per_level: int,
    seed: int,
    out: Path,
    shard: Shard,
    progress: Progress,
    jobs: int | None = None,
    world: Path | None = None,
) -> int:
    """Make what is missing of a shard's attempts.

    Args:
        levels, per_level, seed, world: of the whole; see `generate_by_rules`.
        out: the shard's folder.
        shard: which part it is.
        progress: called with how many tasks are found, and of how many.
        jobs: processes; all cores by default.

    Returns:
        how many tasks the shard's attempts hold.

    Raises:
        UserError: the folder holds something else.
    """
    keys = _places(levels, per_level)
    settings = rules_settings(levels, per_level, seed, world)
    request = {"settings": settings, "world": world_file(world)}
    open_shard_folder(out, describe_shard(shard, KIND, keys, request))
    journal = KeyedJournal(out / AHEAD, settings)
    share = Counter(key.partition("/")[0] for key in shard.among(keys, str))
    found = 0
    for level in levels:
        if not share[level]:
            continue
        sorting = AttemptSorting(share[level])
        for start, made in _own_chunks(level, seed, shard, sorting, journal, world_file(world), jobs):
            if chunk_key(level, start) not in journal.keys:
                journal.append(chunk_data(level, start, made))
            sorting.add(sorting.sorted(level, made))
            progress(found + len(sorting.tasks), share.total())
        found += len(sorting.tasks)
    if _finished(shard) not in journal.keys:
        journal.append({"key": _finished(shard)})
    return found


def _places(levels: Sequence[str], per_level: int) -> list[str]:
    """The places that tasks are wanted for, which are divided; no task has its place beforehand."""
    return [f"{level}/{number}" for level in levels for number in range(1, per_level + 1)]


def _finished(shard: Shard) -> str:
    """The key of the entry that ends a shard's work."""
    return f"{FINISHED} {shard}"


def _own_chunks(
    level: str, seed: int, shard: Shard, sorting: AttemptSorting, journal: KeyedJournal, world: str, jobs: int | None
) -> Iterator[tuple[int, list[Attempt]]]:
    """The shard's chunks in their order, a few under way at a time, until it has its tasks.

    No worker passes over near duplicates: what is near another task of the shard may be the one that stays.
    """
    jobs = jobs or os.cpu_count() or 1
    waiting: list[tuple[int, Future[list[Attempt]] | WorkerTask[list[Attempt]]]] = []
    start = (shard.number - 1) * CHUNK
    with WorkerPool(jobs) as pool:
        try:
            while not sorting.full(level) and not (world and sorting.exhausted(level)):
                while len(waiting) <= jobs:
                    key = chunk_key(level, start)
                    if key in journal.keys:
                        known: Future[list[Attempt]] = Future()
                        known.set_result(known_chunk(journal, key))
                        waiting.append((start, known))
                    else:
                        waiting.append((start, pool.submit(make_attempts, level, start, seed, (), world)))
                    # Chunks are dealt out in turn, so that all shards together make those of one process.
                    start += shard.of * CHUNK
                begun, made = waiting.pop(0)
                yield begun, made.result()
        finally:
            pool.shutdown()


@locks_folder("out")
def merge_task_sets(parts: Sequence[ShardFolder], out: Path, progress: Progress) -> MergeResult:
    """Join the shards of a set of tasks: where all are finished, the set is made as one process makes it.

    Raises:
        UserError: the shards contradict each other, or no task could be made.
    """
    request = parts[0].note.asked
    settings = request["settings"]
    world = Path(request["world"]) if request["world"] else None
    keys = _places(settings["levels"], settings["per_level"])
    again = f"the same `sealegs maze generate` without --shard, with --out {out}, makes them"
    check_whole_folder(out, JOURNAL, "set of tasks")
    open_shard_folder(out, None)
    made = (out / CARD).exists()
    there = set() if made else merge_work_ahead(parts, out, settings)
    of = parts[0].note.place.of
    if made or all(_finished(Shard(number, of)) in there for number in range(1, of + 1)):
        generate_by_rules(settings["levels"], settings["per_level"], settings["seed"], out, progress, world=world)
        return merge_result(parts, "tasks", keys, set(keys), again)
    shards = [Shard(number, of) for number in range(1, of + 1)]
    own = {key for shard in shards if _finished(shard) in there for key in shard.among(keys, str)}
    return merge_result(parts, "tasks", keys, own, again)
