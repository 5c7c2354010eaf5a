"""The runs of the suite, read from records and logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealegs.engines.logs import LogError, LogSchema, agent_or_model, check_edition, read_logs, settings_in_words
from sealegs.scoring import judge
from sealegs.scoring.metric import Row, player_row
from sealegs.scoring.paladin_metrics import PaladinResult
from sealegs.scoring.paladin_protocol import judge_by_protocol
from sealegs.suites.paladin.arm_engine import ARM_BEFORE, ARM_FACTS, arm_words
from sealegs.suites.paladin.episodes import EXAMPLE, RECIPES, SUITE, PaladinEpisode, set_edition
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import EpisodeEnded, EpisodeStarted, Event, Record

LAST_NAMED = ("set", "seed", "max_steps", TASK_SET)  # where messages name a run by its settings
SETTINGS = ("agent", "model", *(name for name in ARM_FACTS if name not in LAST_NAMED), *LAST_NAMED)


def task_name(episode: PaladinEpisode) -> str:
    """The base task of an episode, as results name it."""
    return f"{episode.source}/{episode.task}"


PaladinJudge = Callable[[PaladinEpisode, Record], PaladinResult]


def judge_paladin_episode(episode: PaladinEpisode, found: Record) -> PaladinResult:
    """One episode judged."""
    case = episode.case(found)
    verdict = judge(found, case)
    return PaladinResult(
        task_name(episode),
        episode.failure_class,
        episode.kind,
        verdict,
        found.answer is not None,
        episode.times - 1 if verdict.exposed else 0,
        judge_by_protocol(found, case, verdict),
    )


@dataclass(frozen=True)
class PaladinRun:
    """One arm's valid episodes with their records, the invalid ones, and what reading had to leave out."""

    who: Row
    mode: str
    records: Mapping[PaladinEpisode, Record]
    warnings: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    settings: str = ""
    invalid: Mapping[PaladinEpisode, str] = field(default_factory=dict)

    def results(self, judge: PaladinJudge = judge_paladin_episode) -> list[PaladinResult]:
        """Every episode judged."""
        return [judge(episode, found) for episode, found in self.records.items()]


def read_paladin_run(path: Path) -> PaladinRun:
    """The one run that a file or folder holds.

    Raises:
        LogError: it holds none, several, or something that cannot be read.
    """
    runs = read_paladin_runs(path)
    if len(runs) > 1:
        names = "; ".join(run.settings for run in runs)
        raise LogError(f"{path} holds {len(runs)} runs ({names}); name the folder of one of them")
    return runs[0]


def read_paladin_runs(path: Path) -> list[PaladinRun]:
    """Every run of a file or folder, separated by who ran, arm, retrieval, set and seed.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    logged = read_logs(path, SCHEMA)
    return [
        PaladinRun(
            paladin_player(key),
            key[SETTINGS.index("set")],
            found,
            logged.warnings,
            logged.paths,
            settings_in_words(key, SCHEMA),
            logged.invalid[key],
        )
        for key, found in logged.runs.items()
    ]


def paladin_player(key: tuple[str, ...]) -> Row:
    """Suite, and agent or model, of a run with these settings."""
    run = dict(zip(SETTINGS, key, strict=True))
    marks = arm_words(run)
    name = " ".join([run["agent"] or run["model"], *([f"({', '.join(marks)})"] if marks else [])])
    return player_row(SUITE, name, run[TASK_SET], scripted=bool(run["agent"]))


def _episode(found: Record, file: Path) -> PaladinEpisode:
    if found.about.get("set") in RECIPES:
        check_edition(found, set_edition(found.about["set"]), file)
    try:
        return paladin_episode_from(found.about)
    except (KeyError, ValueError) as error:
        raise LogError(f"{file}: {found.episode}: {error}; the log is of another version of Sealegs") from error


def paladin_episode_from(about: Mapping[str, Any]) -> PaladinEpisode:
    """The episode that a record's facts name.

    Raises:
        KeyError: a fact is missing, or there is no such task or failure.
        ValueError: its faults are not those of this version.
    """
    episode = PaladinEpisode(
        about["set"],
        about["source"],
        about["task"],
        about["failure"],
        about["kind"],
        about["node"],
        about["times"],
        about["epoch"],
        about["seed"],
    )
    if about.get("plan", episode.plan.digest()) != episode.plan.digest():
        raise ValueError("its faults are not those of this version")
    return episode


def sampled_paladin_episode(metadata: Mapping[str, Any], round: int) -> PaladinEpisode:
    """The episode that a sample is, in this round of Inspect's own epochs; older logs say nothing of these."""
    return paladin_episode_from({**metadata, "epoch": metadata["epoch"] + (round - 1) * metadata.get("epochs", 1)})


def _unrecorded(sample: Mapping[str, Any], started: Mapping[str, Any], file: Path) -> list[Event]:
    """A record that says so, for a sample that broke down before it could leave one."""
    about = sample.get("metadata", {})
    if not {"set", "failure", "kind"} <= about.keys():
        raise LogError(f"{file}: sample {sample.get('id')} was not made by the suite {SUITE!r}")
    episode = sampled_paladin_episode(about, sample.get("epoch", 1))
    detail = str((sample.get("error") or {}).get("message", "no record"))
    arguments = started.get("task_args", {})
    facts = {name: arguments[name] for name in ARM_FACTS if name in arguments}
    return [
        EpisodeStarted(episode.id, episode.about({**agent_or_model(str(started.get("model"))), **facts})),
        EpisodeEnded("crashed", detail),
    ]


SCHEMA = LogSchema(SUITE, SETTINGS, _episode, _unrecorded, ARM_BEFORE, EXAMPLE)
