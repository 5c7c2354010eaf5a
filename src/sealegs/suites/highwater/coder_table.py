"""The table of the suite's verdicts, beside the records of its runs (`suites.verdict_tables`)."""

from __future__ import annotations

from operator import attrgetter

from sealegs.scoring.highwater_judge import HighwaterVerdict
from sealegs.scoring.highwater_metrics import HighwaterResult
from sealegs.suites.highwater.highwater_logs import SCHEMA, judge_highwater_episode
from sealegs.suites.highwater.problem_episodes import HighwaterEpisode, library_edition
from sealegs.suites.verdict_tables import Place, VerdictForm


def highwater_place(episode: HighwaterEpisode) -> Place:
    """Setting, mode and problem of an episode; of a problem that was made from another one, that one."""
    return episode.level, episode.mode, episode.found.origin or episode.problem


def _result(episode: HighwaterEpisode, place: Place, verdict: HighwaterVerdict, database: str) -> HighwaterResult:
    level, mode, _ = place
    return HighwaterResult(episode.problem, database, level, mode, episode.epoch, verdict)


FORM = VerdictForm(
    SCHEMA,
    judge_highwater_episode,
    HighwaterEpisode,
    HighwaterVerdict,
    {"database": str},
    _result,
    highwater_place,
    attrgetter("data"),
    library_edition,
)
