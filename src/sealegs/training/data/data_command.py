"""Sets from typed commands: every mistake is reported at once; then a set is made, checked, and given its card."""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sealegs.engines.journal import Journal
from sealegs.engines.merging import MergeResult, ShardFolder, merge_result
from sealegs.engines.shards import Shard, open_shard_folder
from sealegs.engines.work_ahead import AHEAD, check_whole_folder, merge_work_ahead
from sealegs.faults.user_error import UserError
from sealegs.scoring.metric import Row as Figure
from sealegs.traces.folder_lock import locks_folder
from sealegs.training.data.attempts import SetDefinition
from sealegs.training.data.card import CARD, write_card
from sealegs.training.data.data_recipe import DataRecipe, read_data_recipe
from sealegs.training.data.exporters import FORMS
from sealegs.training.data.files import FORMATS, Format, check_format
from sealegs.training.data.row_blocks import (
    JOURNAL,
    Progress,
    RowTally,
    make_missing_rows,
    make_shard_rows,
    settings,
)
from sealegs.training.data.set_checks import RowContents, check_leaks, judged_again, lapses, making_of, read_manifest
from sealegs.training.data.task_sources import DataSources, all_base_tasks
from sealegs.training.data.trajectory_player import Teacher


@dataclass(frozen=True)
class DataSetRequest:
    """A set to be made, the format of its files, and the command that makes it."""

    making: SetDefinition
    format: Format
    command: str


def data_set_request(
    recipe: str,
    n: int,
    seed: int,
    row_format: str,
    file_format: str,
    tasks: Sequence[Path],
    toolbench: Sequence[Path],
    shipped: bool,
    teacher: str,
    out: Path,
) -> DataSetRequest:
    """The set that the user asks for, as a request.

    Raises:
        UserError: the message holds every mistake.
    """
    problems: list[str] = []
    read: DataRecipe | None = None
    sources = DataSources(shipped, tuple(map(str, tasks)), tuple(map(str, toolbench)))
    try:
        read = read_data_recipe(recipe)
    except UserError as error:
        problems.append(str(error))
    # By its own value, so that the type checker sees a format and not any text.
    found_format = next((known for known in FORMATS if known == file_format), None)
    if row_format not in FORMS:
        problems.append(f"unknown row format {row_format!r}: choose from {', '.join(FORMS)}")
    if found_format is None:
        problems.append(f"unknown file format {file_format!r}: choose from {', '.join(FORMATS)}")
    else:
        problems += _mistake_of(lambda: check_format(found_format))
    # For its mistakes alone; the tasks that it reads are cached, and the making takes them from there.
    problems += _mistake_of(lambda: all_base_tasks(sources, read.leave_out if read else ()))
    problems += _teacher_problems(read, teacher)
    if problems or read is None or found_format is None:
        raise UserError("\n".join(problems))
    making = SetDefinition(read, sources, n, seed, row_format, teacher)
    # With the defaults that were not typed: they may change, and the card's command must still make this set.
    words = ["sealegs", "data", "make", recipe, "--n", str(n), "--seed", str(seed)]
    words += ["--row-format", row_format, "--file-format", file_format]
    words += [word for folder in tasks for word in ("--tasks", str(folder))]
    words += [word for file in toolbench for word in ("--toolbench", str(file))]
    words += ([] if shipped else ["--no-shipped"]) + (["--teacher", teacher] if teacher else [])
    return DataSetRequest(making, found_format, shlex.join([*words, "--out", "OUT"]))


def _mistake_of(read: object) -> list[str]:
    try:
        read()  # type: ignore[operator]
    except UserError as error:
        return [str(error)]
    return []


def _teacher_problems(recipe: DataRecipe | None, teacher: str) -> list[str]:
    wanted = recipe is not None and recipe.continuation == "teacher"
    if wanted and not teacher:
        return ["the recipe says `continuation: teacher`: name the model with --teacher, as openai/gpt-5"]
    if teacher and recipe is not None and not wanted:
        return [f"--teacher {teacher} is of no use: the recipe says `continuation: {recipe.continuation}`"]
    if teacher and find_spec("inspect_ai") is None:
        return ['models run through Inspect, which is not installed: pip install "sealegs[bench]"']
    return []


@locks_folder("out")
def make_data_set(
    request: DataSetRequest, out: Path, progress: Progress, jobs: int | None = None, teacher: Teacher | None = None
) -> tuple[RowTally, RowContents]:
    """Make what is missing, check the whole for leaks, and write the card.

    Raises:
        UserError: the set cannot be made.
        Leak: it is not fit to be used; there is no card then.
    """
    making = request.making
    teacher = teacher or _teacher_of(making)
    tally = make_missing_rows(making, out, progress, format=request.format, jobs=jobs, teacher=teacher)
    # A card of an earlier run must not stay: it would vouch for rows that it never saw. So below, where rows leak.
    if not tally.total:
        (out / CARD).unlink(missing_ok=True)
        why = "; ".join(f"{reason} ({count})" for reason, count in tally.fell.most_common(3))
        raise UserError(f"not one trajectory could be made: {why}")
    try:
        seen = check_leaks(out, making.recipe.similarity)
    except UserError:
        (out / CARD).unlink(missing_ok=True)
        raise
    write_card(making, out, request.format, tally, seen, request.command)
    (out / AHEAD).unlink(missing_ok=True)
    return tally, seen


def _teacher_of(making: SetDefinition) -> Teacher | None:
    """The model that continues after a failure; None where the recipe has none."""
    if not making.teacher:
        return None
    from sealegs.training.data.teacher import teacher

    return teacher(making.teacher)


@locks_folder("out")
def make_data_shard(
    request: DataSetRequest, out: Path, shard: Shard, progress: Progress, jobs: int | None = None
) -> int:
    """Make what is missing of a shard of a set, for `merge_data_sets`; returns how many rows it has.

    Raises:
        UserError: the folder holds something else, or cannot be written.
    """
    check_format(request.format)
    wanted = {"settings": settings(request.making, request.format), "command": request.command}
    return make_shard_rows(request.making, out, progress, shard, wanted, jobs=jobs, teacher=_teacher_of(request.making))


@locks_folder("out")
def merge_data_sets(parts: Sequence[ShardFolder], out: Path, progress: Progress) -> MergeResult:
    """Join the shards of a set: where all rows are there, the set is made from them as one process makes it.

    Raises:
        UserError: the shards contradict each other, or the set cannot be made.
        Leak: it is not fit to be used.
    """
    request = parts[0].note.asked
    making, written = making_of(request["settings"]), request["settings"]["format"]
    again = f"`{request['command']}` with --out {out} makes them and finishes the set"
    keys = [str(number) for number in range(making.n)]
    check_whole_folder(out, JOURNAL, "set of trajectories")
    open_shard_folder(out, None)
    if (out / CARD).exists():
        Journal(out / JOURNAL, request["settings"])  # which refuses another set
        (out / AHEAD).unlink(missing_ok=True)  # of a command that was killed when the set was finished
        return merge_result(parts, "rows", keys, set(keys), again)
    there = merge_work_ahead(parts, out, request["settings"], keys)
    if len(there) == len(keys):
        make_data_set(DataSetRequest(making, written, request["command"]), out, progress)
    return merge_result(parts, "rows", keys, there, again)


def row_figures(tally: RowTally) -> list[Figure]:
    """The number of rows of each split and mode, as the long table."""
    counts: Counter[tuple[str, str]] = Counter()
    for cell, count in tally.cells.items():
        counts[cell[0], cell[1]] += count
    return [
        {
            "suite": "data",
            "agent": split,
            "level": "all",
            "mode": mode,
            "metric": "trajectories",
            "value": count,
            "low": None,
            "high": None,
            "n": tally.total,
        }
        for (split, mode), count in sorted(counts.items())
    ]


def check_data_set(folder: Path, sample: int) -> tuple[str, list[str]]:
    """The findings of a check in a few lines, and every problem.

    Raises:
        UserError: the folder holds no finished set.
    """
    making, manifest = read_manifest(folder)
    problems = [
        f"{name} is not the file that was made (its SHA-256 differs); make the set again"
        for name, about in manifest["parts"].items()
        if not (folder / name).exists() or hashlib.sha256((folder / name).read_bytes()).hexdigest() != about["sha256"]
    ]
    rows = 0
    try:
        rows = check_leaks(folder, making.recipe.similarity).rows.total()
    except UserError as error:
        problems.append(str(error))
    problems += judged_again(folder, making, sample)
    found = lapses(folder, making)
    problems += found.problems()
    played = min(sample, rows) if rows else sample
    head = f"{rows} rows checked for leaks, {played} played and judged again, {len(problems)} problems."
    return f"{head}\n{found.report_text()}", problems
