"""Making a set: rows in blocks on all cores, committed in order, the same bytes at any number of workers and stops.

A row is the first of its attempts that gives a trajectory unlike those before it. What comes before is decided in the
order of rows, by the process that commits: a block's parts are written whole, then an entry in the journal says so. The
same command resumes after the last entry. The card comes last and only where no leak is found, so a folder without one
is not finished.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealegs.engines.journal import Journal, KeyedJournal
from sealegs.engines.shards import ELSEWHERE, Shard, describe_shard, open_shard_folder
from sealegs.engines.work_ahead import AHEAD, check_whole_folder, work_ahead
from sealegs.engines.workers import WorkerPool
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.traces.atomic_files import make_folder
from sealegs.training.data import SPLITS
from sealegs.training.data.attempts import SetDefinition, first_fit_row
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.files import Format, check_format, part, part_name, write
from sealegs.training.data.near_duplicates import TrajectorySet, text_digest, trajectory_features
from sealegs.training.data.task_sources import all_base_tasks
from sealegs.training.data.trajectory_player import Teacher

JOURNAL = "journal.jsonl"
KIND = "data"  # of a shard
VERSION = "3"
MOST, LEAST, PIECES = 1000, 25, 8  # rows of a block: as many as make so many blocks, within these bounds
CONCURRENT_REQUESTS = 16  # trajectories for which a teacher is called at the same time
Progress = Callable[[int, int], None]
MadeRow = tuple[int, Row | None, dict[str, int]]  # its attempt, the row itself, and why earlier attempts gave none
Made = list[MadeRow]


@dataclass
class RowTally:
    """Counts of the rows made so far.

    Attributes:
        rows: by split.
        cells: rows by split, mode, class, outcome.
        fell: attempts that gave no row, by reason.
        parts: SHA-256 and rows of each part.
        lost: rows for which no attempt gave a new trajectory.
    """

    rows: Counter[str] = field(default_factory=Counter)
    cells: Counter[tuple[str, ...]] = field(default_factory=Counter)
    fell: Counter[str] = field(default_factory=Counter)
    parts: dict[str, tuple[str, int]] = field(default_factory=dict)
    lost: int = 0

    @property
    def total(self) -> int:
        """All rows."""
        return sum(self.rows.values())

    def add(self, entry: dict[str, Any]) -> None:
        """Take in an entry of the journal."""
        self.rows.update(entry["rows"])
        self.cells.update({tuple(cell): count for cell, count in entry["cells"]})
        self.fell.update(entry["fell"])
        self.parts |= {name: (part[0], part[1]) for name, part in entry["parts"].items()}
        self.lost += entry["lost"]

    def digest(self) -> str:
        """SHA-256 over the parts' names and hashes: equal for equal data."""
        lines = [f"{name} {part[0]}\n" for name, part in sorted(self.parts.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def settings(making: SetDefinition, format: Format) -> dict[str, Any]:
    """The settings of a set, as JSON data: equal settings give equal bytes."""
    # The texts of the tasks, since an edited task gives other rows under the same name.
    requests = hashlib.sha256()
    for base in all_base_tasks(making.sources, making.recipe.leave_out).values():
        requests.update(f"{base.id}\x1f{base.task.request}\x1e".encode())
    settings = {"version": VERSION, "n": making.n, "seed": making.seed, "form": making.form, "format": format}
    origin = {"sources": making.sources.data(), "tasks_sha256": requests.hexdigest()}
    return {
        **settings,
        "teacher": making.teacher,
        **origin,
        "recipe": making.recipe.data(),
        "block": block_size(making.n),
    }


def block_size(n: int) -> int:
    """Rows that are made and written down together, a function of how many are wanted alone."""
    return max(LEAST, min(MOST, -(-n // PIECES)))


def make_missing_rows(
    making: SetDefinition,
    out: Path,
    progress: Progress,
    *,
    format: Format = "jsonl",
    jobs: int | None = None,
    teacher: Teacher | None = None,
) -> RowTally:
    """Make what is missing of a set; the card is not written here.

    Args:
        making: what it is.
        out: its folder.
        progress: called with how many rows are done, and of how many.
        format: of the parts.
        jobs: processes; all cores by default. A teacher is called from this one.
        teacher: who continues after a failure, where the recipe says so.

    Raises:
        UserError: the folder holds another set, or cannot be written, or a package is missing.
    """
    check_format(format)
    # Refuses a folder that holds a shard.
    open_shard_folder(out, None)
    check_whole_folder(out, JOURNAL, "set of trajectories")
    make_folder(out, ELSEWHERE)
    ahead = work_ahead(out, settings(making, format))
    journal = Journal(out / JOURNAL, settings(making, format))
    tally, known = RowTally(), TrajectorySet(making.recipe.similarity)
    for entry in journal.entries:
        tally.add(entry)
        for base, text, marked in entry["known"]:
            known.add(base, text, _unpacked(marked))
    size, done = block_size(making.n), len(journal.entries)
    ranges = [range(start, min(start + size, making.n)) for start in range(0, making.n, size)]
    # Numbers and not blocks: shards may have made some rows of a block ahead.
    left = [[one for one in numbers if ahead is None or str(one) not in ahead.keys] for numbers in ranges[done:]]
    progress(min(done * size, making.n), making.n)
    with closing(_blocks(making, left, jobs, teacher)) as blocks:
        for number, (numbers, fresh, made_now) in enumerate(zip(ranges[done:], left, blocks, strict=True), done):
            block_made = _whole_block(numbers, dict(zip(fresh, made_now, strict=True)), ahead)
            entry = _commit(making, out, number, numbers, block_made, known, format, teacher)
            # Last: the parts are written whole by then, and a killed run makes this block again.
            journal.append(entry)
            journal.entries.clear()  # what it holds is known already
            tally.add(entry)
            progress(numbers.stop, making.n)
    return tally


def make_shard_rows(
    making: SetDefinition,
    out: Path,
    progress: Progress,
    shard: Shard,
    request: Mapping[str, Any],
    *,
    jobs: int | None = None,
    teacher: Teacher | None = None,
) -> int:
    """Make what is missing of a shard: the first fit attempt at each of its rows, which the whole is made from.

    Args:
        making: what the whole set is.
        out: the shard's folder.
        progress: called with how many rows are done, and of how many.
        shard: which part it is.
        request: the settings of the set and whatever else is noted.
        jobs: processes; all cores by default. A teacher is called from this one.
        teacher: who continues after a failure, where the recipe says so.

    Returns:
        how many rows the shard has.

    Raises:
        UserError: the folder holds something else, or cannot be written.
    """
    keys = [str(number) for number in range(making.n)]
    open_shard_folder(out, describe_shard(shard, KIND, keys, request))
    journal = KeyedJournal(out / AHEAD, request["settings"])
    own = shard.among(range(making.n), str)
    left = [number for number in own if str(number) not in journal.keys]
    # Small pieces, since each row of a shard is kept by itself.
    size = min(LEAST, block_size(making.n))
    ranges = [left[start : start + size] for start in range(0, len(left), size)]
    progress(len(own) - len(left), len(own))
    with closing(_blocks(making, ranges, jobs, teacher)) as blocks:
        for numbers, block_made in zip(ranges, blocks, strict=True):
            for number, (trial, row, why) in zip(numbers, block_made, strict=True):
                journal.append({"key": str(number), "trial": trial, "row": row, "fell": why})
            progress(len(journal.keys), len(own))
    return len(own)


def _whole_block(numbers: Sequence[int], made_now: Mapping[int, MadeRow], ahead: KeyedJournal | None) -> Made:
    """The rows of a block in their order: those that were made now, and those that shards made ahead."""
    found: Made = []
    for number in numbers:
        if ahead is None or number in made_now:
            found.append(made_now[number])
            continue
        entry = ahead.entry(str(number))
        found.append((entry["trial"], entry["row"], entry["fell"]))
    return found


def _blocks(
    making: SetDefinition, ranges: Sequence[Sequence[int]], jobs: int | None, teacher: Teacher | None
) -> Generator[Made, None, None]:
    """The blocks in their order, a few of them under way at a time."""
    if teacher is not None:
        # Threads: a teacher is waited for, and its connections cannot go to other processes.
        with ThreadPoolExecutor(CONCURRENT_REQUESTS) as threads:
            for numbers in ranges:
                yield list(threads.map(lambda number: first_fit_row(making, number, 0, teacher), numbers))
        return
    jobs = min(jobs or os.cpu_count() or 1, sum(map(bool, ranges)))
    if jobs <= 1:
        yield from (_block(making, numbers) for numbers in ranges)
        return
    with WorkerPool(jobs) as pool:
        try:
            yield from pool.stream(_block, ((making, numbers) for numbers in ranges))
        finally:
            pool.shutdown()


def _block(making: SetDefinition, numbers: Sequence[int]) -> Made:
    return [first_fit_row(making, number) for number in numbers]


def _commit(
    making: SetDefinition,
    out: Path,
    number: int,
    numbers: Sequence[int],
    block_made: Made,
    known: TrajectorySet,
    format: Format,
    teacher: Teacher | None,
) -> dict[str, Any]:
    """Keep the rows of a block that are unlike all before, write its parts, and return an entry for the journal."""
    kept: list[Row] = []
    remembered: list[tuple[str, int, str]] = []
    fell: Counter[str] = Counter()
    lost = 0
    for row_number, (trial, row, why) in zip(numbers, block_made, strict=True):
        fell.update(why)
        # A duplicate is replaced by the row's next attempt, so that the number of rows stays.
        while row is not None:
            text, marked = text_digest(row), trajectory_features(row)
            alike = known.like(row["base_task"], text, marked)
            if not alike:
                known.add(row["base_task"], text, marked)
                # What a resumed run needs in order to find the same duplicates, without reading all rows again.
                remembered.append((row["base_task"], text, _packed(marked)))
                kept.append(row)
                break
            fell[f"{alike} duplicate"] += 1
            trial, row, why = first_fit_row(making, row_number, trial + 1, teacher)
            fell.update(why)
        lost += row is None
    parts: dict[str, list[Any]] = {}
    for split in SPLITS:
        of_split = [row for row in kept if row["split"] == split]
        if of_split:
            name = part_name(split, number, format)
            parts[name] = [write(out / name, part(of_split, format)), len(of_split)]
    cells = Counter((row["split"], row["mode"], row["failure_class"] or "", row["outcome"]) for row in kept)
    return {
        "rows": dict(Counter(row["split"] for row in kept)),
        "cells": sorted([list(cell), count] for cell, count in cells.items()),
        "fell": dict(sorted(fell.items())),
        "lost": lost,
        "parts": parts,
        "known": remembered,
    }


def _packed(marked: Sequence[int]) -> str:
    return base64.b64encode(array("Q", marked).tobytes()).decode()


def _unpacked(text: str) -> tuple[int, ...]:
    found_marks = array("Q")
    found_marks.frombytes(base64.b64decode(text))
    return tuple(found_marks)


def manifest(making: SetDefinition, format: Format, tally: RowTally) -> str:
    """The manifest of a set as JSON: its settings, its rows and its parts."""
    manifest = {
        CANARY_FIELD: CANARY,
        "settings": settings(making, format),
        "sha256": tally.digest(),
        "rows": {split: tally.rows[split] for split in SPLITS if tally.rows[split]},
        "not_found": tally.lost,
        "fell": dict(sorted(tally.fell.items())),
        "parts": {name: {"sha256": manifest[0], "rows": manifest[1]} for name, manifest in sorted(tally.parts.items())},
    }
    return json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
