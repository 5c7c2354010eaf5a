"""The table of the suite's verdicts, beside the records of its runs (`suites.verdict_tables`)."""

from __future__ import annotations

from collections.abc import Mapping

from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.paladin_metrics import PaladinResult
from sealegs.scoring.paladin_protocol import ProtocolVerdict
from sealegs.suites.paladin.episodes import PaladinEpisode, set_edition
from sealegs.suites.paladin.paladin_logs import SCHEMA, judge_paladin_episode, task_name
from sealegs.suites.verdict_tables import Place, VerdictForm


def paladin_place(episode: PaladinEpisode) -> Place:
    """Class, kind and task of an episode."""
    return episode.failure_class, episode.kind, task_name(episode)


def _result(
    _: PaladinEpisode, place: Place, verdict: Verdict, answered: bool, extra: int, protocol: Mapping[str, bool] | None
) -> PaladinResult:
    failure_class, kind, task = place
    loose = None if protocol is None else ProtocolVerdict(**protocol)
    return PaladinResult(task, failure_class, kind, verdict, answered, extra, loose)


def _home(_: PaladinEpisode) -> str:
    return ""  # all tasks ship


FORM = VerdictForm(
    SCHEMA,
    judge_paladin_episode,
    PaladinEpisode,
    Verdict,
    {"answered": bool, "extra": int, "protocol": ProtocolVerdict},
    _result,
    paladin_place,
    _home,
    set_edition,
)
