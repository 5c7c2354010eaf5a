"""Entrants of `highwater` in a ranking."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from sealegs.scoring.entrants import Entrant, Scores
from sealegs.scoring.highwater_judge import TERMS
from sealegs.scoring.highwater_metrics import ACCURACY, AFTER, CLEAN, DESIGN, SHARES, STAGES, HighwaterResult
from sealegs.scoring.metric import Metric
from sealegs.suites.entrant_reading import PLAYERS, EntrantForm, read_entrants
from sealegs.suites.highwater.coder_table import FORM, highwater_place
from sealegs.suites.highwater.highwater_logs import SCHEMA, HighwaterJudge, highwater_player
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode

SCORES = Scores(
    DESIGN,
    (
        Metric[HighwaterResult](
            "accuracy_under_errors", lambda result: result.verdict.right, lambda result: result.mode != CLEAN
        ),
        Metric[HighwaterResult](
            "accuracy_without_errors", lambda result: result.verdict.right, lambda result: result.mode == CLEAN
        ),
        *SHARES,
        *AFTER,
    ),
    level=lambda result: result.level,
    mode=lambda result: result.mode,
    epoch=lambda result: result.epoch,
    stages=STAGES,
    stage=lambda result: result.stage,
    terms=tuple(TERMS),
    term=lambda result: result.went_wrong,
    growth=("accuracy_without_errors", "recovered"),
    in_cells=ACCURACY.name,
    less_is_better=frozenset({"gave_up", "gave_up_after", "looped"}),
)


def _content(episode: HighwaterEpisode, plan: str) -> Hashable:
    return episode.problem, episode.level, episode.mode, plan or episode.plan.digest(), episode.known.digest


def highwater_entrants(path: Path, judge: HighwaterJudge) -> list[Entrant]:
    """The entrants of a file or folder.

    Args:
        path: of the file or folder.
        judge: the suite's.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    form = EntrantForm(
        SCHEMA,
        lambda _: SCORES,
        highwater_place,
        _content,
        highwater_player,
        PLAYERS | {"data"},
        table=FORM,
    )
    return read_entrants(path, form, judge)
