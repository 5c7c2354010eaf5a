"""`sealegs detect measure maze`: the whole measurement, from what the user typed to the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.mistake import Mistake
from sealegs.scoring.metrics import CLEAN, Row
from sealegs.suites.maze.detecting import STRUCK, Half, Progress, asked, guarded, material, profiles_of
from sealegs.suites.maze.detection_rows import detection_rows, guarded_rows
from sealegs.suites.maze.task_sets import task_set

HALF = "half of the base tasks"
GUARDED = ("naive", "retrier")
SHARE = 0.01  # of false alarms per answer, with which recovery is measured


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured.

    Attributes:
        rows: the long table.
        levels: what was learned from, the least first.
        about: how much that is.
    """

    rows: tuple[Row, ...]
    levels: tuple[str, ...]
    about: dict[str, Any]


def measured(
    more: Path | None, limit: int | None, epochs: int, seed: int, recover: bool, progress: Progress = lambda *_: None
) -> Measured:
    """Measure detectors on the suite.

    Args:
        more: a folder of further tasks, whose clean episodes are also learned from.
        limit: at most this many base tasks of each level.
        epochs: how many times each faulty episode is run.
        seed: decides the halves, the victims and the faults.
        recover: whether what recovery comes to with them is measured too.
        progress: told how many episodes are done.

    Raises:
        Mistake: the folder holds no tasks.
    """
    if more is not None:
        task_set(str(more.resolve()))
    levels = {HALF: ()} | ({f"{HALF}, and {more.name}": (str(more.resolve()),)} if more is not None else {})
    rows: list[Row] = []
    about: dict[str, Any] = {"seed": seed, "epochs": epochs, "learned_from": {}}
    for level, folders in levels.items():
        both = material(limit, epochs, seed, folders, progress)
        if any(not half.asked or not any(trace.calls for trace in half.training) for half in both):
            raise Mistake("too few base tasks to cut into halves; give a greater --limit, or none")
        learned = [profiles_of(half) for half in both]
        found = [one for half, profiles in zip(both, learned, strict=True) for one in asked(half, profiles)]
        rows += detection_rows(level, found)
        about["learned_from"][level] = [_about(half) for half in both]
        if recover and level == list(levels)[-1]:
            rows += _recovered(both, learned, seed)
    return Measured(tuple(rows), tuple(levels), about)


def _about(half: Half) -> dict[str, Any]:
    calls = [call.tool for trace in half.record for call in trace.calls]
    units = [kind for _, _, kind in half.asked]
    return {
        "answers": len(calls),
        "tools": len(set(calls)),
        "answers_per_tool": round(len(calls) / max(1, len(set(calls))), 1),
        "left_out": half.left_out,
        "clean_answers_asked": units.count(""),
        "struck_answers_asked": len(units) - units.count(""),
    }


def _recovered(both: Sequence[Half], learned: Sequence[Any], seed: int) -> list[Row]:
    rows: list[Row] = []
    for agent in GUARDED:
        parts = [
            guarded(agent, half, profiles, (CLEAN, *STRUCK), SHARE, 1, seed)
            for half, profiles in zip(both, learned, strict=True)
        ]
        rows += guarded_rows(agent, {arm: [one for part in parts for one in part[arm]] for arm in parts[0]})
    return rows
