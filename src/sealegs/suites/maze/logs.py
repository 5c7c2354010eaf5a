"""Reading what was run: our own records and Inspect's logs, from files and folders.

An episode that appears more than once counts once, by its last finished appearance. An episode that crashed counts; one
that Inspect started and never finished does not.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.mistake import Mistake
from sealegs.scoring import judge
from sealegs.scoring.metrics import Result, Row
from sealegs.suites.maze.episodes import SUITE, Episode
from sealegs.traces import Ended, Event, Record, Started, StoreError, decoded, read, record

RECORD_NOTE = "sealegs record"
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
            runs.setdefault(_key(found), {})[_episode(found)] = found
    if not runs:
        raise LogError(f"{path} holds no finished episode" + "".join(f"; {warning}" for warning in warnings))
    paths = tuple(map(str, files))
    return [Run(_who(key), found, tuple(warnings), paths, _settings(key)) for key, found in runs.items()]


def _is_log(file: Path) -> bool:
    return file.suffix in (".jsonl", ".eval") and file.is_file()


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


def _episode(found: Record) -> Episode:
    about = found.about
    return Episode(
        about["task"], about["mode"], about["epoch"], about["seed"], about.get("own", ""), about.get("tasks", "")
    )


def _check(found: Record, file: Path) -> None:
    if found.about.get("suite") != SUITE:
        raise LogError(f"{file}: episode {found.episode} is of suite {found.about.get('suite')!r}, not {SUITE!r}")
    episode = _episode(found)
    if episode.task not in episode.set.tasks:
        raise LogError(f"{file}: there is no base task {episode.task!r}; the log is of another version of the corpus")
    if found.about.get("plan") != episode.plan.digest():
        raise LogError(f"{file}: the faults of {found.episode} are not those of this version of Sealegs; run it again")


def _events_of(file: Path, warnings: list[str]) -> Iterator[list[Event]]:
    if file.suffix == ".eval":
        yield from _inspect_log(file, warnings)
        return
    try:
        yield from read(file, warnings)
    except StoreError as error:
        raise LogError(str(error)) from error


def _inspect_log(file: Path, warnings: list[str]) -> Iterator[list[Event]]:
    """The records in a log of Inspect, read from its zip: the log's own reader takes thirty times as long."""
    try:
        started: dict[str, Any] = {}
        for name, content in _entries(file, warnings):
            if name == "_journal/start.json":
                started = json.loads(content)["eval"]
            elif name.startswith("samples/") and name.endswith(".json"):
                sample = json.loads(content)
                if not _interrupted(sample):
                    yield _sample_events(sample, started, file)
    except ImportError as error:
        raise LogError(f'{file} is an Inspect log, and reading it needs: pip install "sealegs[report]"') from error
    except (zipfile.BadZipFile, json.JSONDecodeError, KeyError) as error:
        raise LogError(f"{file} is not a readable Inspect log ({error}); restore it or delete it") from error


def _entries(file: Path, warnings: list[str]) -> Iterator[tuple[str, bytes]]:
    import zipfile_zstd  # noqa: F401 - teaches zipfile the compression that Inspect uses

    from sealegs.suites.maze import salvage

    try:
        with zipfile.ZipFile(file) as archive:
            yield from ((name, archive.read(name)) for name in dict.fromkeys(archive.namelist()))
    except zipfile.BadZipFile:
        saved = list(salvage.entries(file))
        if not saved:
            raise
        warnings.append(f"{file.name} was cut off while it was written; what is whole in it is read")
        yield from saved


def _interrupted(sample: Mapping[str, Any]) -> bool:
    """Whether the run was stopped while the sample was under way: it is not finished, and runs again."""
    message = str((sample.get("error") or {}).get("message", ""))
    return sample.get("limit") is None and message.lstrip().startswith("CancelledError")


def finished(events: list[Event]) -> list[Event]:
    """The events with an end: Inspect's time limits cancel an episode before it can note its own."""
    if events and isinstance(events[-1], Ended):
        return events
    return [*events, Ended("limit", "cut off by Inspect")]


def _sample_events(sample: Mapping[str, Any], started: Mapping[str, Any], file: Path) -> list[Event]:
    """A sample's record; for one that broke down before it could leave any, a record that says so."""
    attachments = sample.get("attachments", {})
    for event in reversed(sample.get("events", [])):
        if event.get("event") == "info" and event.get("source") == RECORD_NOTE:
            return finished([decoded(item) for item in _resolved(event["data"], attachments)])
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


def _resolved(data: Any, attachments: Mapping[str, str]) -> Any:
    """JSON with Inspect's references to long texts put back."""
    if isinstance(data, str) and data.startswith("attachment://"):
        return attachments.get(data.removeprefix("attachment://"), data)
    if isinstance(data, list):
        return [_resolved(item, attachments) for item in data]
    if isinstance(data, dict):
        return {key: _resolved(value, attachments) for key, value in data.items()}
    return data
