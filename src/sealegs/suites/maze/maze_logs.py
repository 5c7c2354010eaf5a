"""The runs of the suite, read from records and logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
from sealegs.scenarios.scenario import (
    SCENARIO_BEFORE,
    SCENARIO_CHOICES,
    SHARED_FACTS,
    SUITE,
    Scenario,
    scenario_from_record,
    scenario_words,
)
from sealegs.scenarios.scenario_setup import SETUP_BEFORE, SETUP_CHOICES, SETUP_FACTS, setup_words
from sealegs.scoring import judge
from sealegs.scoring.invalid import PlayedCell, played_cell
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.scoring.metric import Row, player_row
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import EpisodeEnded, EpisodeStarted, Event, Record

FIRST_NAMED = ("agent", "model", "prompt", "seed", "own", "max_steps")  # where messages name a run by its settings
SETTINGS = (*FIRST_NAMED, *(name for name in (*SHARED_FACTS, *SETUP_FACTS) if name not in FIRST_NAMED), TASK_SET)
DEFAULTS = {**SETUP_BEFORE, **SCENARIO_BEFORE}


MazeJudge = Callable[[Scenario, Record], MazeResult]


def judge_maze_episode(episode: Scenario, found: Record) -> MazeResult:
    """One episode judged."""
    verdict, rung = judge(found, episode.case(found)), episode.hardest_rung(found)
    return MazeResult(episode.task, episode.base.level, episode.mode, episode.epoch, verdict, rung)


@dataclass(frozen=True)
class MazeRun:
    """One agent's or model's valid episodes with their records, the invalid ones, and what reading had to leave out."""

    who: Row
    records: Mapping[Scenario, Record]
    warnings: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    settings: str = ""
    invalid: Mapping[Scenario, str] = field(default_factory=dict)

    def results(self) -> list[MazeResult]:
        """Every episode judged."""
        return [judge_maze_episode(episode, found) for episode, found in self.records.items()]

    def played(self) -> list[PlayedCell]:
        """The cell in which each episode is counted, the invalid ones with their causes."""
        found: dict[Scenario, Record | str] = {**self.records, **self.invalid}
        return [played_cell(one.base.level, one.mode, one.task, how) for one, how in found.items()]


def read_maze_run(path: Path) -> MazeRun:
    """The one run that a file or folder holds.

    Raises:
        LogError: it holds none, several, or something that cannot be read.
    """
    return single_run(read_maze_runs(path), path)


def read_maze_runs(path: Path) -> list[MazeRun]:
    """Every run of a file or folder, separated by agent or model, prompt and seed.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    logged = read_logs(path, SCHEMA)
    return [
        MazeRun(
            maze_player(key), found, logged.warnings, logged.paths, settings_in_words(key, SCHEMA), logged.invalid[key]
        )
        for key, found in logged.runs.items()
    ]


def maze_player(key: tuple[str, ...]) -> Row:
    """Suite, and agent or model, of a run with these settings."""
    run = dict(zip(SETTINGS, key, strict=True))
    agent, prompt = run["agent"], run["prompt"]
    kept = [*([prompt] if prompt not in ("", "standard") else []), *setup_words(run), *scenario_words(run)]
    name = " ".join([agent or run["model"], *([f"({', '.join(kept)})"] if kept else [])])
    return player_row(SUITE, name, run[TASK_SET], scripted=bool(agent))


def _episode(found: Record, file: Path) -> Scenario:
    episode = scenario_from_record(found.about)
    for setting, known in {**SETUP_CHOICES, **SCENARIO_CHOICES}.items():
        value = str(found.about.get(setting, DEFAULTS[setting]))
        if value not in known:
            raise LogError(f"{file}: {found.episode} has {setting} {value!r}; there are {', '.join(known)}")
    if episode.task not in episode.set.tasks:
        raise LogError(f"{file}: there is no base task {episode.task!r}; the log is of another version of the corpus")
    check_edition(found, episode.set.edition, file)
    if found.about.get("plan") != episode.plan_digest:
        raise LogError(f"{file}: the faults of {found.episode} are not those of this version of Sealegs; run it again")
    return episode


def _unrecorded(sample: Mapping[str, Any], started: Mapping[str, Any], file: Path) -> list[Event]:
    """A record that says so, for a sample that broke down before it could leave one."""
    about = sample.get("metadata", {})
    if not {"task", "mode", "epoch", "epochs", "seed"} <= about.keys():
        raise LogError(f"{file}: sample {sample.get('id')} was not made by the suite {SUITE!r}")
    episode = episode_of(about, sample.get("epoch", 1))
    detail = str((sample.get("error") or {}).get("message", "no record"))
    arguments = started.get("task_args", {})
    facts = {"prompt": about.get("prompt", ""), **{name: arguments[name] for name in SETUP_FACTS if name in arguments}}
    return [
        EpisodeStarted(episode.id, episode.about({**agent_or_model(str(started.get("model"))), **facts})),
        EpisodeEnded("crashed", detail),
    ]


def episode_of(metadata: Mapping[str, Any], round: int) -> Scenario:
    """The episode that a sample is, in this round of Inspect's own epochs."""
    return scenario_from_record({**metadata, "epoch": metadata["epoch"] + (round - 1) * metadata["epochs"]})


SCHEMA = LogSchema(SUITE, SETTINGS, _episode, _unrecorded, DEFAULTS)
