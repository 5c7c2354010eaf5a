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
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from sealegs.engines.journal import Journal
from sealegs.engines.workers import workers
from sealegs.faults.user_error import UserError
from sealegs.training.data import SPLITS
from sealegs.training.data.attempts import Making, first_fit_row
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.files import Format, check_format, part, part_name, write
from sealegs.training.data.near_duplicates import TrajectorySet, text_digest, trajectory_features
from sealegs.training.data.task_sources import all_base_tasks
from sealegs.training.data.trajectory_player import Teacher

JOURNAL = "journal.jsonl"
VERSION = "3"
MOST, LEAST, PIECES = 1000, 25, 8  # rows of a block: as many as make so many blocks, within these bounds
ASKED_AT_ONCE = 16  # trajectories for which a teacher is asked at the same time
Progress = Callable[[int, int], None]
Made = list[tuple[int, Row | None, dict[str, int]]]


@dataclass
class MakingTally:
    """What was made so far.

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
        self.parts |= {name: (told[0], told[1]) for name, told in entry["parts"].items()}
        self.lost += entry["lost"]

    def digest(self) -> str:
        """SHA-256 over the parts' names and hashes: equal for equal data."""
        lines = [f"{name} {told[0]}\n" for name, told in sorted(self.parts.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def settings(making: Making, format: Format) -> dict[str, Any]:
    """What a set is, as JSON data: equal settings give equal bytes."""
    requests = hashlib.sha256()
    for base in all_base_tasks(making.sources, making.recipe.leave_out).values():
        requests.update(f"{base.id}\x1f{base.task.request}\x1e".encode())
    told = {"version": VERSION, "n": making.n, "seed": making.seed, "form": making.form, "format": format}
    origin = {"sources": making.sources.data(), "tasks_sha256": requests.hexdigest()}
    return {**told, "teacher": making.teacher, **origin, "recipe": making.recipe.data(), "block": block_size(making.n)}


def block_size(n: int) -> int:
    """Rows that are made and written down together, a function of how many are wanted alone."""
    return max(LEAST, min(MOST, -(-n // PIECES)))


def make_missing_rows(
    making: Making,
    out: Path,
    progress: Progress,
    *,
    format: Format = "jsonl",
    jobs: int | None = None,
    teacher: Teacher | None = None,
) -> MakingTally:
    """Make what is missing of a set; the card is not written here.

    Args:
        making: what it is.
        out: its folder.
        progress: called with how many rows are done, and of how many.
        format: of the parts.
        jobs: processes; all cores by default. A teacher is asked from this one.
        teacher: who continues after a failure, where the recipe says so.

    Raises:
        UserError: the folder holds another set, or cannot be written, or a package is missing.
    """
    check_format(format)
    _check_folder(out)
    journal = Journal(out / JOURNAL, settings(making, format))
    tally, known = MakingTally(), TrajectorySet(making.recipe.similarity)
    for entry in journal.entries:
        tally.add(entry)
        for base, text, marked in entry["known"]:
            known.add(base, text, _unpacked(marked))
    size, done = block_size(making.n), len(journal.entries)
    ranges = [range(start, min(start + size, making.n)) for start in range(0, making.n, size)]
    progress(min(done * size, making.n), making.n)
    with closing(_blocks(making, ranges[done:], jobs, teacher)) as blocks:
        for number, (numbers, block_made) in enumerate(zip(ranges[done:], blocks, strict=True), done):
            entry = _commit(making, out, number, numbers, block_made, known, format, teacher)
            journal.append(entry)
            journal.entries.clear()  # what it holds is known already
            tally.add(entry)
            progress(numbers.stop, making.n)
    return tally


def _check_folder(out: Path) -> None:
    """Check that a set can be made or resumed in a folder."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        foreign = not (out / JOURNAL).exists() and any(out.iterdir())
    except OSError as error:
        raise UserError(f"cannot make {out}: {error.strerror}; name another folder with --out") from error
    if foreign:
        raise UserError(f"{out} is not empty and holds no set of trajectories; name another folder with --out")


def _blocks(
    making: Making, ranges: Sequence[range], jobs: int | None, teacher: Teacher | None
) -> Generator[Made, None, None]:
    """The blocks in their order, a few of them under way at a time."""
    if teacher is not None:
        with ThreadPoolExecutor(ASKED_AT_ONCE) as threads:
            for numbers in ranges:
                yield list(threads.map(lambda number: first_fit_row(making, number, 0, teacher), numbers))
        return
    jobs = min(jobs or os.cpu_count() or 1, len(ranges))
    if jobs <= 1:
        yield from (_block(making, numbers) for numbers in ranges)
        return
    with workers(jobs) as pool:
        try:
            yield from _in_order(pool, making, ranges, jobs)
        finally:
            pool.shutdown(cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, making: Making, ranges: Sequence[range], jobs: int) -> Iterator[Made]:
    left = iter(ranges)
    waiting: list[Future[Made]] = [pool.submit(_block, making, numbers) for numbers in islice(left, jobs + 1)]
    while waiting:
        made = waiting.pop(0).result()
        waiting += [pool.submit(_block, making, numbers) for numbers in islice(left, 1)]
        yield made


def _block(making: Making, numbers: range) -> Made:
    return [first_fit_row(making, number) for number in numbers]


def _commit(
    making: Making,
    out: Path,
    number: int,
    numbers: range,
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
        while row is not None:
            text, marked = text_digest(row), trajectory_features(row)
            alike = known.like(row["base_task"], text, marked)
            if not alike:
                known.add(row["base_task"], text, marked)
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


def manifest(making: Making, format: Format, tally: MakingTally) -> str:
    """What the set is and what it came to, as JSON."""
    told = {
        "settings": settings(making, format),
        "sha256": tally.digest(),
        "rows": {split: tally.rows[split] for split in SPLITS if tally.rows[split]},
        "not_found": tally.lost,
        "fell": dict(sorted(tally.fell.items())),
        "parts": {name: {"sha256": told[0], "rows": told[1]} for name, told in sorted(tally.parts.items())},
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"
