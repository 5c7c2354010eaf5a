"""Entrants of `maze` in a ranking."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from pathlib import Path

from sealegs.scenarios.scenario import Scenario
from sealegs.scoring.attribution import TERMS
from sealegs.scoring.entrants import Entrant, Scores
from sealegs.scoring.episode_verdict import STAGES
from sealegs.scoring.maze_metrics import CLEAN, COMPOSITE, DESIGN, HARM, METRICS, TSR, MazeResult
from sealegs.scoring.metric import Metric
from sealegs.suites.entrant_reading import PLAYERS, EntrantForm, read_entrants
from sealegs.suites.maze.maze_logs import SCHEMA, MazeJudge, maze_player
from sealegs.suites.maze.verdict_table import FORM, maze_place

RANKED = ("tsr", "prr", "rc", "outcome", "process", *HARM, "tsr_as_published", "prr_as_published")
NAMED = {metric.name: metric for metric in METRICS}
WITHOUT_FAULTS = Metric[MazeResult]("tsr_np", TSR.top, lambda result: result.mode == CLEAN)


def _scores(composite: bool) -> Scores[MazeResult]:
    own = (*(NAMED[name] for name in RANKED), WITHOUT_FAULTS)
    return Scores(
        DESIGN,
        (COMPOSITE, *own) if composite else own,
        level=lambda result: result.level,
        mode=lambda result: result.mode,
        epoch=lambda result: result.epoch,
        in_cells="tsr",
        less_is_better=frozenset({"rc", *HARM}),
        growth=(WITHOUT_FAULTS.name, "prr") if composite else None,
        stages=STAGES,
        stage=lambda result: None if result.mode == CLEAN else result.verdict.stage,
        terms=tuple(TERMS),
        term=lambda result: result.verdict.attribution,
    )


WHOLE, PART = _scores(True), _scores(False)


def scores_of(modes: Collection[str]) -> Scores[MazeResult]:
    """The metrics that runs of these modes are ranked by: the composite score where it has all its parts, else TSR."""
    return WHOLE if CLEAN in modes and len(modes) > 1 else PART


def _content(episode: Scenario, plan: str) -> Hashable:
    return episode.base.level, episode.mode, plan or episode.plan_digest, episode.set.digest


def maze_entrants(path: Path, judge: MazeJudge) -> list[Entrant]:
    """The entrants of a file or folder.

    Args:
        path: of the file or folder.
        judge: the suite's.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    form = EntrantForm(
        SCHEMA,
        scores_of,
        maze_place,
        _content,
        maze_player,
        PLAYERS | {"tasks"},
        {"prompt": "standard"},
        FORM,
    )
    return read_entrants(path, form, judge)
