"""The runs of the suite, read from records and logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sealegs.engines.logs import (
    LogError,
    LogSchema,
    agent_or_model,
    check_edition,
    read_logs,
    settings_in_words,
    single_run,
)
from sealegs.scoring.highwater_judge import judge_highwater
from sealegs.scoring.highwater_metrics import HighwaterResult
from sealegs.scoring.metric import Row, player_row
from sealegs.suites.highwater.coder_setup import CODER_FACTS
from sealegs.suites.highwater.libraries import library_data
from sealegs.suites.highwater.problem_episodes import (
    EPISODE_FACTS,
    PLAIN,
    SUITE,
    HighwaterEpisode,
    highwater_episode_from,
)
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import EpisodeEnded, EpisodeStarted, Event, Record

SETTINGS = ("agent", "model", *EPISODE_FACTS, *CODER_FACTS, TASK_SET)


HighwaterJudge = Callable[[HighwaterEpisode, Record], HighwaterResult]


def judge_highwater_episode(episode: HighwaterEpisode, found: Record) -> HighwaterResult:
    """One episode judged."""
    problem = episode.found
    verdict = judge_highwater(found, episode.reference, episode.ways, problem.question)
    return HighwaterResult(problem.id, problem.database, episode.level, episode.mode, episode.epoch, verdict)


@dataclass(frozen=True)
class HighwaterRun:
    """One agent's or model's valid episodes with their records, the invalid ones, and what reading had to leave out."""

    who: Row
    records: Mapping[HighwaterEpisode, Record]
    warnings: tuple[str, ...] = ()
    settings: str = ""
    invalid: Mapping[HighwaterEpisode, str] = field(default_factory=dict)

    def results(self, judge: HighwaterJudge = judge_highwater_episode) -> list[HighwaterResult]:
        """Every episode judged, in the order of problems and modes."""
        found = sorted(self.records, key=episode_order)
        return [judge(episode, self.records[episode]) for episode in found]


def episode_order(episode: HighwaterEpisode) -> tuple[str, bool, int]:
    """The order of episodes in a run, by problems and modes."""
    return episode.problem, episode.errors, episode.epoch


def run_order(key: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The order of runs, by their settings; numbers of distractors as numbers."""
    return key[:3], key[4:], int(key[3])


def read_highwater_runs(path: Path) -> list[HighwaterRun]:
    """Every run of a file or folder, separated by agent or model and by settings.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    logged = read_logs(path, SCHEMA)
    keys = sorted(logged.runs, key=run_order)
    return [
        HighwaterRun(
            highwater_player(key),
            logged.runs[key],
            logged.warnings,
            settings_in_words(key, SCHEMA),
            logged.invalid[key],
        )
        for key in keys
    ]


def read_highwater_run(path: Path) -> HighwaterRun:
    """The one run that a file or folder holds.

    Raises:
        LogError: it holds none, several, or something that cannot be read.
    """
    return single_run(read_highwater_runs(path), path)


def highwater_player(key: tuple[str, ...]) -> Row:
    """Suite, and agent or model, of a run with these settings."""
    agent, model, *_, tasks = key
    return player_row(SUITE, agent or model, tasks, scripted=bool(agent))


def _episode(found: Record, file: Path) -> HighwaterEpisode:
    episode = highwater_episode_from(found.about)
    check_edition(found, episode.edition, file)
    if episode.problem not in library_data(episode.data).problems:
        raise LogError(f"{file}: there is no problem {episode.problem!r} any more; run it again")
    if found.about.get("plan") != episode.plan.digest():
        raise LogError(f"{file}: the faults of {found.episode} are not those of this version of Sealegs; run it again")
    return episode


def _unrecorded(sample: Mapping[str, Any], started: Mapping[str, Any], file: Path) -> list[Event]:
    """A record that says so, for a sample that broke down before it could leave one."""
    about = sample.get("metadata", {})
    if "problem" not in about:
        raise LogError(f"{file}: sample {sample.get('id')} was not made by the suite {SUITE!r}")
    episode = sampled_episode(about, sample.get("epoch", 1))
    detail = str((sample.get("error") or {}).get("message", "no record"))
    facts = {name: about.get(name, "") for name in CODER_FACTS}
    return [
        EpisodeStarted(episode.id, episode.about({**agent_or_model(str(started.get("model"))), **facts})),
        EpisodeEnded("crashed", detail),
    ]


def sampled_episode(metadata: Mapping[str, Any], round: int) -> HighwaterEpisode:
    """The episode that a sample is, in this round of Inspect's own epochs."""
    return highwater_episode_from({**metadata, "epoch": metadata["epoch"] + (round - 1) * metadata["epochs"]})


SCHEMA = LogSchema(SUITE, SETTINGS, _episode, _unrecorded, {name: str(value) for name, value in asdict(PLAIN).items()})
