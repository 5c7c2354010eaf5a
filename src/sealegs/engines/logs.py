"""Reading what was run: our own records and Inspect's logs, from files and folders.

An episode that appears more than once counts once, by its last finished appearance. An episode that crashed counts; one
that Inspect started and never finished does not. A run with missing episodes is reported: the ones that are
there are its first, not a sample of all. Each suite says itself what an episode is (`LogSchema`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from sealegs.faults.user_error import UserError
from sealegs.traces import Event, Record, StoreError, build_record, read_episodes
from sealegs.traces.inspect_logs import SUFFIX, sample_events, samples, samples_planned

SETTINGS = "run.json"  # beside the records: what was asked for
OF_SUITE = "sealegs suite"  # of an Inspect log: what a suite notes there of an eval that is not ours
TOTAL = "episodes"  # in it: of how many episodes the run is
EXAMPLE = "sealegs run maze --agent planner"  # a command that makes logs
E = TypeVar("E")


class LogError(UserError):
    """Logs that cannot be read or do not belong together; the message says which, why, and what to do."""


@dataclass(frozen=True)
class LogSchema(Generic[E]):
    """What the records of a suite hold.

    Attributes:
        suite: its name.
        settings: names of the facts in which episodes of one run agree; runs that differ in one of them are kept apart.
        episode: the episode that a record is of. Raises `LogError` where there is no such episode any more.
        unrecorded: the record of a sample of Inspect's that broke down before it could leave any, from the sample and
            what its log says of the run. Raises `LogError` where the sample is not of the suite.
        defaults: of settings that came later.
        example: an agent to run, for messages.
    """

    suite: str
    settings: tuple[str, ...]
    episode: Callable[[Record, Path], E]
    unrecorded: Callable[[Mapping[str, Any], Mapping[str, Any], Path], list[Event]]
    defaults: Mapping[str, str] = field(default_factory=dict)
    example: str = "planner"


@dataclass(frozen=True)
class Logged(Generic[E]):
    """What was read.

    Attributes:
        runs: by the values of the schema's settings.
        warnings: what reading had to leave out.
        paths: the files.
    """

    runs: Mapping[tuple[str, ...], Mapping[E, Record]]
    warnings: tuple[str, ...]
    paths: tuple[str, ...]


def read_logs(path: Path, form: LogSchema[E]) -> Logged[E]:
    """Every run of a file or folder.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    files = log_files(path, f"sealegs run {form.suite} --agent {form.example}")
    warnings: list[str] = []
    runs: dict[tuple[str, ...], dict[E, Record]] = {}
    planned: dict[tuple[Path, tuple[str, ...]], int] = {}
    there: dict[tuple[Path, tuple[str, ...]], set[E]] = {}
    for file in files:
        asked = _asked(file.parent)
        for events, promised in _events_of(file, warnings, form):
            found = build_record(events)
            if found.about.get("suite") != form.suite:
                suite = found.about.get("suite")
                raise LogError(f"{file}: episode {found.episode} is of suite {suite!r}, not {form.suite!r}")
            key, episode = _key(found, form), form.episode(found, file)
            runs.setdefault(key, {})[episode] = found
            place = (file.parent, () if asked else key)
            planned[place] = max(planned.get(place, 0), asked or promised)
            there.setdefault(place, set()).add(episode)
    if not runs:
        raise LogError(f"{path} holds no finished episode" + "".join(f"; {warning}" for warning in warnings))
    warnings += [
        f"{folder}: {len(there[folder, key]):,} of {total:,} episodes are finished, and these alone are counted; the "
        "command that began the run resumes it"
        for (folder, key), total in planned.items()
        if len(there[folder, key]) < total
    ]
    return Logged(runs, tuple(warnings), tuple(map(str, files)))


def _asked(folder: Path) -> int:
    """How many episodes the run of this folder was to have; 0 where nothing says so."""
    try:
        total = json.loads((folder / SETTINGS).read_text(encoding="utf-8")).get(TOTAL)
    except (OSError, ValueError, AttributeError):
        return 0
    return total if isinstance(total, int) else 0


class NamedRun(Protocol):
    """A run that says which it is."""

    @property
    def settings(self) -> str:
        """In words."""


R = TypeVar("R", bound=NamedRun)


def single_run(runs: Sequence[R], path: Path) -> R:
    """The one run of a path.

    Raises:
        LogError: there are several.
    """
    if len(runs) > 1:
        names = "; ".join(run.settings for run in runs)
        raise LogError(f"{path} holds {len(runs)} runs ({names}); name the folder of one of them")
    return runs[0]


def suite_of(path: Path, command: str = EXAMPLE) -> str:
    """The suite whose run a file or folder holds, by the first episode that can be read; empty where it has none.

    Args:
        path: the file or folder.
        command: one that would make some logs, for messages.

    Raises:
        LogError: there is no such file or folder, or no episode in it that can be read.
    """
    problems: list[str] = []
    for file in log_files(path, command):
        try:
            if file.suffix == SUFFIX:
                _, started = next(iter(samples(file, [])))
                noted = (started.get("metadata") or {}).get(OF_SUITE) or {}
                return str(noted.get("suite") or str(started.get("task", "")).split("/")[-1])
            return str(build_record(next(iter(read_episodes(file, [])))).about.get("suite") or "")
        except StopIteration:
            problems.append(f"{file} holds no finished episode")
        except (StoreError, OSError) as error:
            problems.append(str(error))
    raise LogError("; ".join(problems))


def log_files(path: Path, command: str = EXAMPLE) -> list[Path]:
    """The logs of a file or folder; the command is one that would make some.

    Raises:
        LogError: there are none.
    """
    if not path.exists():
        raise LogError(f"there is no file or folder {path}; run something first (`{command}`)")
    files = sorted(f for f in path.rglob("*") if _is_log(f)) if path.is_dir() else [path]
    if not files:
        raise LogError(f"{path} holds no records (*.jsonl) and no Inspect logs (*.eval); name another folder")
    return files


def settings_in_words(key: tuple[str, ...], form: LogSchema[Any]) -> str:
    """The settings of a run, for messages."""
    named = {
        name: value if len(value) < 40 else f"{value[:40]}..." for name, value in zip(form.settings, key, strict=True)
    }
    return ", ".join(f"{name} {value}" for name, value in named.items() if value)


def agent_or_model(model: str) -> dict[str, str]:
    """What a model of Inspect is called in records: a scripted one is called as an agent."""
    return {"agent": model.removeprefix("sealegs/")} if model.startswith("sealegs/") else {"model": model}


def _is_log(file: Path) -> bool:
    return file.suffix in (".jsonl", SUFFIX) and file.is_file()


def _key(found: Record, form: LogSchema[Any]) -> tuple[str, ...]:
    return tuple(str(found.about.get(name, form.defaults.get(name, ""))) for name in form.settings)


def _events_of(file: Path, warnings: list[str], form: LogSchema[Any]) -> Iterator[tuple[list[Event], int]]:
    """Each episode of a file, and how many the file was begun for; 0 where it does not say."""
    try:
        if file.suffix == SUFFIX:
            for sample, started in samples(file, warnings):
                yield sample_events(sample) or form.unrecorded(sample, started, file), samples_planned(started)
        else:
            yield from ((events, 0) for events in read_episodes(file, warnings))
    except StoreError as error:
        raise LogError(str(error)) from error
