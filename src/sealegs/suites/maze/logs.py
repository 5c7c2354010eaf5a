"""Reading what was run: our own records and Inspect's logs, from files and folders.

An episode that appears more than once counts once, by its last finished appearance. An episode that crashed counts; one
that Inspect started and never finished does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.mistake import Mistake
from sealegs.scoring import judge
from sealegs.scoring.metrics import Result, Row
from sealegs.suites.maze.episodes import SUITE, Episode
from sealegs.traces import Ended, Event, Record, Started, StoreError, read, record
from sealegs.traces.inspect_logs import SUFFIX, sample_events, samples

SETTINGS = (
    "agent",
    "model",
    "prompt",
    "seed",
    "own",
    "max_steps",
    "tasks",
    "recovery",
)  # runs that differ in one of them are kept apart


class LogError(Mistake):
    """Logs that cannot be read or do not belong together; the message says which, why, and what to do."""


@dataclass(frozen=True)
class Run:
    """One agent's or model's episodes with their records, and what reading had to leave out."""

    who: Row
    records: Mapping[Episode, Record]
    warnings: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    settings: str = ""

    def results(self) -> list[Result]:
        """Every episode judged."""
        return [
            Result(episode.task, episode.base.level, episode.mode, episode.epoch, judge(found, episode.case(found)))
            for episode, found in self.records.items()
        ]


def read_run(path: Path) -> Run:
    """The one run that a file or folder holds.

    Raises:
        LogError: it holds none, several, or something that cannot be read.
    """
    runs = read_runs(path)
    if len(runs) > 1:
        names = "; ".join(run.settings for run in runs)
        raise LogError(f"{path} holds {len(runs)} runs ({names}); name the folder of one of them")
    return runs[0]


def read_runs(path: Path) -> list[Run]:
    """Every run of a file or folder, apart by agent or model, prompt and seed.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    if not path.exists():
        raise LogError(f"there is no file or folder {path}; run something first (`sealegs run maze --agent planner`)")
    files = sorted(f for f in path.rglob("*") if _is_log(f)) if path.is_dir() else [path]
    if not files:
        raise LogError(f"{path} holds no records (*.jsonl) and no Inspect logs (*.eval); name another folder")
    warnings: list[str] = []
    runs: dict[tuple[str, ...], dict[Episode, Record]] = {}
    for file in files:
        for events in _events_of(file, warnings):
            found = record(events)
            _check(found, file)
            runs.setdefault(_key(found), {})[episode_noted(found.about)] = found
    if not runs:
        raise LogError(f"{path} holds no finished episode" + "".join(f"; {warning}" for warning in warnings))
    paths = tuple(map(str, files))
    return [Run(_who(key), found, tuple(warnings), paths, _settings(key)) for key, found in runs.items()]


def _is_log(file: Path) -> bool:
    return file.suffix in (".jsonl", SUFFIX) and file.is_file()


def _key(found: Record) -> tuple[str, ...]:
    about = found.about
    return tuple(str(about.get(name, "off" if name == "recovery" else "")) for name in SETTINGS)


def _who(key: tuple[str, ...]) -> Row:
    agent, model, prompt, *_, recovery = key
    kept = [*([prompt] if prompt not in ("", "standard") else []), *(["with recovery"] if recovery != "off" else [])]
    name = " ".join([agent or model, *([f"({', '.join(kept)})"] if kept else [])])
    return {"suite": SUITE, "agent": name} if agent else {"suite": SUITE, "model": name}


def _settings(key: tuple[str, ...]) -> str:
    named = {name: value if len(value) < 40 else f"{value[:40]}..." for name, value in zip(SETTINGS, key, strict=True)}
    return ", ".join(f"{name} {value}" for name, value in named.items() if value)


def who(model: str) -> dict[str, str]:
    """How a model of Inspect is called in records: a scripted one as an agent."""
    return {"agent": model.removeprefix("sealegs/")} if model.startswith("sealegs/") else {"model": model}


def episode_noted(about: Mapping[str, Any]) -> Episode:
    """The episode that a record is of, by what was noted when it began."""
    return Episode(
        about["task"], about["mode"], about["epoch"], about["seed"], about.get("own", ""), about.get("tasks", "")
    )


def _check(found: Record, file: Path) -> None:
    if found.about.get("suite") != SUITE:
        raise LogError(f"{file}: episode {found.episode} is of suite {found.about.get('suite')!r}, not {SUITE!r}")
    episode = episode_noted(found.about)
    if episode.task not in episode.set.tasks:
        raise LogError(f"{file}: there is no base task {episode.task!r}; the log is of another version of the corpus")
    if found.about.get("plan") != episode.plan.digest():
        raise LogError(f"{file}: the faults of {found.episode} are not those of this version of Sealegs; run it again")


def _events_of(file: Path, warnings: list[str]) -> Iterator[list[Event]]:
    try:
        if file.suffix == SUFFIX:
            for sample, started in samples(file, warnings):
                yield sample_events(sample) or _crashed(sample, started, file)
        else:
            yield from read(file, warnings)
    except StoreError as error:
        raise LogError(str(error)) from error


def _crashed(sample: Mapping[str, Any], started: Mapping[str, Any], file: Path) -> list[Event]:
    """The record of a sample that broke down before it could leave any."""
    about = sample.get("metadata", {})
    if not {"task", "mode", "epoch", "epochs", "seed"} <= about.keys():
        raise LogError(f"{file}: sample {sample.get('id')} was not made by the suite {SUITE!r}")
    episode = episode_of(about, sample.get("epoch", 1))
    detail = str((sample.get("error") or {}).get("message", "no record"))
    asked = started.get("task_args", {})
    facts = {"prompt": about.get("prompt", ""), "max_steps": asked.get("max_steps", "")}
    return [Started(episode.id, episode.about({**who(str(started.get("model"))), **facts})), Ended("crashed", detail)]


def episode_of(metadata: Mapping[str, Any], round: int) -> Episode:
    """The episode that a sample is, in this round of Inspect's own epochs."""
    epoch = metadata["epoch"] + (round - 1) * metadata["epochs"]
    return Episode(
        metadata["task"], metadata["mode"], epoch, metadata["seed"], metadata.get("own", ""), metadata.get("tasks", "")
    )
