"""The table of the suite's verdicts, beside the records of its runs (`suites.verdict_tables`)."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from sealegs.engines.logs import Logged
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import task_set
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.suites.maze.maze_logs import SCHEMA, MazeJudge, judge_maze_episode
from sealegs.suites.verdict_tables import JudgedEpisode, Place, VerdictForm, read_with_table

K = TypeVar("K")


def maze_place(episode: Scenario) -> Place:
    """Level, mode and task of an episode."""
    return episode.base.level, episode.mode, episode.task


def _result(episode: Scenario, place: Place, verdict: Verdict, rung: str) -> MazeResult:
    level, mode, task = place
    return MazeResult(task, level, mode, episode.epoch, verdict, rung)


def _edition(folder: str) -> str:
    return task_set(folder).edition


FORM = VerdictForm(
    SCHEMA,
    judge_maze_episode,
    Scenario,
    Verdict,
    {"rung": str},
    _result,
    maze_place,
    attrgetter("tasks"),
    _edition,
)


def read_maze_verdicts(
    path: Path, keep: Callable[[Scenario, JudgedEpisode[MazeResult]], K], judge: MazeJudge = judge_maze_episode
) -> Logged[Scenario, K]:
    """Every run of a file or folder, judged; see `read_with_table`."""
    return read_with_table(path, FORM, keep, judge)
