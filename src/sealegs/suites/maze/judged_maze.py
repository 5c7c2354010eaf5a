"""A run of the suite as its reports want it: read one episode at a time, judged, and forgotten but for a few records.

What is kept of an episode is its result and where it is counted; whole records are kept of those alone that may get a
card on the page, whose number does not grow with the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sealegs.engines.logs import settings_in_words, single_run
from sealegs.reports.card_selection import Candidates, Played
from sealegs.scenarios.scenario import Scenario
from sealegs.scoring.invalid import PlayedCell, played_cell
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.scoring.metric import Row
from sealegs.suites.maze.maze_logs import SCHEMA, SETTINGS, MazeJudge, judge_maze_episode, maze_player
from sealegs.suites.maze.verdict_table import read_maze_verdicts
from sealegs.suites.verdict_tables import JudgedEpisode


@dataclass(frozen=True)
class JudgedMaze:
    """One agent's or model's judged episodes.

    Attributes:
        who: suite, and agent or model.
        results: the valid episodes, judged.
        played: where every episode is counted, the invalid ones with their causes.
        facts: the values of the settings in which they agree.
        candidates: the episodes that may get a card.
        warnings: what reading had to leave out.
        settings: of the run, in words.
        faults: the seeds and the user's plans of all episodes, valid or not.
    """

    who: Row
    results: Mapping[Scenario, MazeResult]
    played: tuple[PlayedCell, ...]
    facts: Mapping[str, str]
    candidates: Candidates
    warnings: tuple[str, ...]
    settings: str
    faults: frozenset[tuple[int, str]]


class _Kept(NamedTuple):
    """The parts of an episode that are kept."""

    result: MazeResult
    played: PlayedCell


def judge_maze_run(path: Path, judge: MazeJudge = judge_maze_episode) -> JudgedMaze:
    """Read and judge the one run that a file or folder holds.

    Args:
        path: of the file or folder.
        judge: the suite's.

    Raises:
        LogError: it holds none, several, or something that cannot be read.
    """
    candidates = Candidates()

    def keep(episode: Scenario, found: JudgedEpisode[MazeResult]) -> _Kept:
        verdict = found.result.verdict
        candidates.offer(found.name, episode.mode, found.result.level, verdict, partial(_played, episode, found))
        return _Kept(found.result, found.played)

    logged = read_maze_verdicts(path, keep, judge)
    runs = [
        JudgedMaze(
            maze_player(key),
            {episode: one.result for episode, one in kept.items()},
            (*(one.played for one in kept.values()), *_invalid(logged.invalid[key])),
            dict(zip(SETTINGS, key, strict=True)),
            candidates,
            logged.warnings,
            settings_in_words(key, SCHEMA),
            frozenset((one.seed, one.own) for one in (*kept, *logged.invalid[key])),
        )
        for key, kept in logged.runs.items()
    ]
    return single_run(runs, path)


def _played(episode: Scenario, found: JudgedEpisode[MazeResult]) -> Played:
    record = found.record()
    return record, episode.case(record), found.result.verdict


def _invalid(causes: Mapping[Scenario, str]) -> list[PlayedCell]:
    return [played_cell(one.base.level, one.mode, one.task, why) for one, why in causes.items()]
