"""`sealegs detect measure maze`: the whole measurement, from what the user typed to the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.recovery.detectors import Profiles
from sealegs.scenarios.task_sets import task_set
from sealegs.scoring.maze_metrics import CLEAN
from sealegs.scoring.metric import Row
from sealegs.suites.maze.detecting import (
    FAULTED_MODES,
    DetectionSplit,
    Progress,
    check_split,
    play_detection_splits,
    play_guarded,
    profiles_of,
)
from sealegs.suites.maze.detection_parts import (
    DetectionSettings,
    FinishedParts,
    checked_answer_data,
    checked_answer_from,
    result_from,
)
from sealegs.suites.maze.detection_rows import detection_rows, guarded_rows
from sealegs.traces.folder_lock import locks_folder

GUARDED = ("naive", "retrier")
SHARE = 0.01  # of false alarms per answer, with which recovery is measured


@dataclass(frozen=True, slots=True)
class DetectionMeasurement:
    """The results of a measurement of detectors.

    Attributes:
        rows: the long table.
        levels: the material that was learned from, the least first.
        about: the amount of that material.
    """

    rows: tuple[Row, ...]
    levels: tuple[str, ...]
    about: dict[str, Any]


@locks_folder("folder")
def measure_detection(
    settings: DetectionSettings, recover: bool, folder: Path, progress: Progress = lambda *_: None
) -> DetectionMeasurement:
    """Measure detectors on the suite, part by part; the same settings in the same folder resume where it stopped.

    Args:
        settings: what is measured.
        recover: whether recovery with them is measured too.
        folder: where finished parts are kept.
        progress: called with how many episodes are done.

    Raises:
        UserError: the folder of further tasks holds none, or `folder` holds other parts.
    """
    if settings.more:
        task_set(settings.more)
    parts = FinishedParts(folder, settings)
    rows: list[Row] = []
    about: dict[str, Any] = {"seed": settings.seed, "epochs": settings.epochs, "learned_from": {}}
    for level, folders in settings.levels.items():
        both = CrossSplits(parts, settings, level, folders, progress)
        halves = [parts.kept(f"{level} {place}", partial(_split_data, both, place)) for place in (0, 1)]
        rows += detection_rows(level, [checked_answer_from(one) for part in halves for one in part["asked"]])
        about["learned_from"][level] = [part["about"] for part in halves]
        if recover and level == list(settings.levels)[-1]:
            rows += _recovered(parts, both, settings.seed)
    return DetectionMeasurement(tuple(rows), tuple(settings.levels), about)


class CrossSplits:
    """Both directions of a level, made when something of them is still to be measured."""

    def __init__(
        self, parts: FinishedParts, settings: DetectionSettings, level: str, folders: Sequence[str], progress: Progress
    ) -> None:
        self._parts, self._settings, self._level = parts, settings, level
        self._folders, self._progress = folders, progress

    @cached_property
    def halves(self) -> tuple[DetectionSplit, DetectionSplit]:
        """The material.

        Raises:
            UserError: there are too few tasks.
        """
        chosen = self._settings
        both = play_detection_splits(chosen.limit, chosen.epochs, chosen.seed, self._folders, self._progress)
        if any(not half.tested or not any(trace.calls for trace in half.training) for half in both):
            raise UserError("too few base tasks to cut into halves; give a greater --limit, or none")
        return both

    def profiles(self, place: int) -> Profiles:
        """The profiles that are learned in a direction."""
        return self._parts.profiles(f"{self._level} {place}", lambda: profiles_of(self.halves[place]))


def _split_data(both: CrossSplits, place: int) -> dict[str, Any]:
    half = both.halves[place]
    return {
        "about": _about(half),
        "asked": [checked_answer_data(one) for one in check_split(half, both.profiles(place))],
    }


def _about(half: DetectionSplit) -> dict[str, Any]:
    calls = [call.tool for trace in half.record for call in trace.calls]
    units = [kind for _, _, kind in half.tested]
    return {
        "answers": len(calls),
        "tools": len(set(calls)),
        "answers_per_tool": round(len(calls) / max(1, len(set(calls))), 1),
        "left_out": half.left_out,
        "clean_answers_asked": units.count(""),
        "struck_answers_asked": len(units) - units.count(""),
    }


def _recovered(parts: FinishedParts, both: CrossSplits, seed: int) -> list[Row]:
    rows: list[Row] = []
    for agent in GUARDED:
        found = [parts.kept(f"{agent} {place}", partial(_guarded, both, place, agent, seed)) for place in (0, 1)]
        arms = {arm: [result_from(one) for part in found for one in part[arm]] for arm in found[0]}
        rows += guarded_rows(agent, arms)
    return rows


def _guarded(both: CrossSplits, place: int, agent: str, seed: int) -> dict[str, Any]:
    found = play_guarded(agent, both.halves[place], both.profiles(place), (CLEAN, *FAULTED_MODES), SHARE, 1, seed)
    return {arm: [asdict(one) for one in results] for arm, results in found.items()}
