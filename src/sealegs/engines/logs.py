"""Reading what was run: our own records and Inspect's logs, from files and folders.

An episode that appears more than once counts once, by its last valid appearance. An agent that crashed counts; an
episode that failed outside agent and tools is invalid, and kept apart; one that Inspect started and never finished is
not there. A run with missing episodes is reported: the ones that are there are its first, not a sample of all. Each
suite says itself what an episode is (`LogSchema`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

from sealegs.engines.sample_records import RECORD_FIELDS, Unrecorded, sample_record
from sealegs.engines.shards import absent_shards_note, read_shard_note
from sealegs.faults.user_error import UserError, one_line
from sealegs.tasks.editions import TASK_SET
from sealegs.traces import Event, Record, StoreError, build_record, read_episodes
from sealegs.traces.episode_ranges import WHOLE_FILE, EpisodePlace, FileRange
from sealegs.traces.inspect_logs import SUFFIX, placed_samples, sample_after, samples, samples_planned
from sealegs.traces.record_files import COMPRESSED, plain_form, records_exist
from sealegs.traces.store import read_placed_episodes

SETTINGS = "run.json"  # beside the records: the settings of the run
OF_SUITE = "sealegs suite"  # of an Inspect log: what a suite notes there of an eval that is not ours
TOTAL = "episodes"  # in it: of how many episodes the run is
EXAMPLE = "sealegs run maze --agent planner"  # a command that makes logs
NAMED = 3  # causes that a note of invalid episodes names
# What code raises that meets a text for a number, or a list for an object, in a file that is damaged or another's.
DAMAGE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError)
E = TypeVar("E")
K = TypeVar("K")


class LogError(UserError):
    """Logs that cannot be read or do not belong together; the message says which, why, and what to do."""


@dataclass(frozen=True)
class LogSchema(Generic[E]):
    """The schema of a suite's records.

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
    unrecorded: Unrecorded
    defaults: Mapping[str, str] = field(default_factory=dict)
    example: str = "planner"


@dataclass(frozen=True)
class Logged(Generic[E, K]):
    """The episodes that were read, and the warnings of reading.

    Attributes:
        runs: what is kept of the valid episodes, by the values of the schema's settings.
        invalid: the reasons why episodes are invalid, by the same values.
        warnings: sentences on what reading had to leave out.
        paths: the files.
        versions: of the suite that made the invalid episodes, by the same values.
    """

    runs: Mapping[tuple[str, ...], Mapping[E, K]]
    invalid: Mapping[tuple[str, ...], Mapping[E, str]]
    warnings: tuple[str, ...]
    paths: tuple[str, ...]
    versions: Mapping[tuple[str, ...], frozenset[str]]


class ReadEpisode(NamedTuple, Generic[E, K]):
    """An episode that was read.

    Attributes:
        run: the values of the schema's settings.
        episode: what it is.
        outside: why it is invalid; empty for a valid one.
        kept: what is kept of a valid one; None of an invalid one.
        promised: how many the file was begun for; 0 where it does not say.
        version: of the suite that made an invalid one's record.
    """

    run: tuple[str, ...]
    episode: E
    outside: str
    kept: K | None
    promised: int = 0
    version: str = ""


FileReader = Callable[[Path, list[str]], Iterator[ReadEpisode[E, K]]]  # of one file; warnings are added to the list


def read_logs(path: Path, form: LogSchema[E]) -> Logged[E, Record]:
    """Every run of a file or folder, with all of its records.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """
    return read_judged(path, form, lambda _, found: found)


def read_judged(path: Path, form: LogSchema[E], keep: Callable[[E, Record], K]) -> Logged[E, K]:
    """Every run of a file or folder, one record at a time.

    Args:
        path: of the file or folder.
        form: of the records.
        keep: what is kept of a valid episode; its record is not.

    Raises:
        LogError: there is nothing to read, or something that cannot be read.
    """

    def read(file: Path, warnings: list[str]) -> Iterator[ReadEpisode[E, K]]:
        for found, run, episode, promised, _ in recorded(file, warnings, form):
            kept = None if found.outside else keep(episode, found)
            yield ReadEpisode(run, episode, found.outside, kept, promised, record_version(found))

    return read_run_files(path, form, read)


def read_run_files(path: Path, form: LogSchema[E], read: FileReader[E, K]) -> Logged[E, K]:
    """Every run of a file or folder, each file read in this way; see `read_judged`."""
    files = log_files(path, f"sealegs run {form.suite} --agent {form.example}")
    warnings: list[str] = []
    runs: dict[tuple[str, ...], dict[E, K]] = {}
    invalid: dict[tuple[str, ...], dict[E, str]] = {}
    versions: dict[tuple[str, ...], set[str]] = {}
    planned: dict[tuple[str, tuple[str, ...]], int] = {}
    there: dict[tuple[str, tuple[str, ...]], set[E]] = {}
    for file in files:
        # What the folder was made for covers all of its files; a log of Inspect's promises only its own samples.
        planned_here, folder = _planned_total(file.parent), str(file.parent)
        for key, episode, outside, kept, promised, version in read(file, warnings):
            runs.setdefault(key, {})  # also for a run with invalid episodes alone, so that it is reported
            invalid.setdefault(key, {})
            if outside:
                invalid[key][episode] = outside
                versions.setdefault(key, set()).add(version)
            else:
                runs[key][episode] = cast("K", kept)
            place = folder, () if planned_here else key
            planned[place] = max(planned.get(place, 0), planned_here or promised)
            there.setdefault(place, set()).add(episode)
    # An episode that failed and was valid at another attempt counts as valid.
    invalid = {key: {one: why for one, why in own.items() if one not in runs[key]} for key, own in invalid.items()}
    if not runs:
        raise LogError(f"{path} holds no finished episode" + "".join(f"; {warning}" for warning in warnings))
    warnings = [*invalid_note([why for own in invalid.values() for why in own.values()]), *warnings]
    warnings += [
        f"{folder}: {len(there[folder, key]):,} of {total:,} episodes are finished, and these alone are counted; the "
        "command that began the run resumes it"
        for (folder, key), total in planned.items()
        if len(there[folder, key]) < total
    ]
    warnings += absent_shards_note(dict.fromkeys(file.parent for file in files))
    made = {key: frozenset(versions.get(key, ())) for key in runs}
    return Logged(runs, invalid, tuple(warnings), tuple(map(str, files)), made)


def _planned_total(folder: Path) -> int:
    """The number of episodes that the run, or the shard, of this folder was to have; 0 if nothing says so."""
    if note := read_shard_note(folder):
        return note.own
    try:
        total = json.loads((folder / SETTINGS).read_text(encoding="utf-8")).get(TOTAL)
    except (OSError, ValueError, AttributeError):
        return 0
    return total if isinstance(total, int) else 0


class NamedRun(Protocol):
    """A run that says which it is."""

    @property
    def settings(self) -> str:
        """The settings in words."""


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
                # Our own evals are named after their suite.
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
    if not records_exist(path):
        raise LogError(f"there is no file or folder {path}; run something first (`{command}`)")
    files = sorted({plain_form(f) for f in path.rglob("*") if is_log(f)}) if path.is_dir() else [plain_form(path)]
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
    """The fact that names a model of Inspect in records: a scripted one is called as an agent."""
    return {"agent": model.removeprefix("sealegs/")} if model.startswith("sealegs/") else {"model": model}


def run_players(path: Path) -> Iterator[tuple[str, str]]:
    """The agent and the model of each run that has a folder below this one, by its settings."""
    for file in sorted(path.rglob(SETTINGS)) if path.is_dir() else ():
        settings = json.loads(file.read_text("utf-8"))
        yield str(settings.get("agent", "")), str(settings.get("model", ""))


def is_log(file: Path) -> bool:
    """Return whether a file is one of records, in either form, or a log of Inspect's, by its name."""
    return (file.suffix in (".jsonl", SUFFIX) or file.name == COMPRESSED) and file.is_file()


def record_version(found: Record) -> str:
    """The version of the suite that made a record; empty where it does not say."""
    return str(found.about.get("version", ""))


def run_key(found: Record, form: LogSchema[Any]) -> tuple[str, ...]:
    """The values of the schema's settings, by which runs are kept apart."""
    return tuple(str(found.about.get(name, form.defaults.get(name, ""))) for name in form.settings)


def known_episodes(
    file: Path, warnings: list[str], form: LogSchema[E], within: FileRange = WHOLE_FILE
) -> Iterator[ReadEpisode[E, None]]:
    """Each episode of a file, without its record; see `recorded`."""
    for found, run, episode, promised, _ in recorded(file, warnings, form, within):
        yield ReadEpisode(run, episode, found.outside, None, promised)


class RecordedEpisode(NamedTuple, Generic[E]):
    """A record with its settings, what it is, how many the file was begun for, and where it is in the file."""

    record: Record
    run: tuple[str, ...]
    episode: E
    promised: int
    place: EpisodePlace | None


def recorded(
    file: Path,
    warnings: list[str],
    form: LogSchema[E],
    within: FileRange = WHOLE_FILE,
    seen: Callable[[bytes], object] | None = None,
) -> Iterator[RecordedEpisode[E]]:
    """Each episode of a file.

    Args:
        file, warnings: the file, and a list of what had to be left out.
        form: of the records.
        within, seen: as in `read_placed_episodes`; of a log of Inspect's, `seen` is not called, and a range has no end.

    Raises:
        LogError: there is something that cannot be read.
    """
    try:
        for events, promised, place in _events_of(file, warnings, form, within, seen):
            found = build_record(events)
            if found.about.get("suite") != form.suite:
                suite = found.about.get("suite")
                raise LogError(f"{file}: episode {found.episode} is of suite {suite!r}, not {form.suite!r}")
            yield RecordedEpisode(found, run_key(found, form), form.episode(found, file), promised, place)
    except UserError:
        raise
    except DAMAGE as error:
        reason = one_line(f"{type(error).__name__}: {error}")
        raise LogError(
            f"{file} holds an episode that cannot be read ({reason}); restore the file or delete it"
        ) from error


def _events_of(
    file: Path, warnings: list[str], form: LogSchema[Any], within: FileRange, seen: Callable[[bytes], object] | None
) -> Iterator[tuple[list[Event], int, EpisodePlace | None]]:
    """Each episode of a file, how many the file was begun for (0 where it does not say), and its place."""
    try:
        if file.suffix == SUFFIX:
            last, before = within.after.end, len(warnings)
            for number, sample, started in placed_samples(file, warnings, last, fields=RECORD_FIELDS):
                # What is whole in a log that was cut off has no place: the log may yet be continued.
                place = EpisodePlace(last, number, number) if len(warnings) == before else None
                yield sample_record(sample, started, file, form.unrecorded), samples_planned(started), place
                last = number
        else:
            for place, events in read_placed_episodes(file, warnings, within, seen):
                yield events, 0, place
    except StoreError as error:
        raise LogError(str(error)) from error


def record_after(file: Path, start: int, form: LogSchema[Any]) -> Record:
    """The record of the first episode of a file that does not begin before `start` (see `EpisodePlace`).

    Raises:
        StoreError: there is something that cannot be read.
    """
    if file.suffix == SUFFIX:
        return build_record(sample_record(*sample_after(file, start), file, form.unrecorded))
    _, events = next(read_placed_episodes(file, [], FileRange(EpisodePlace(start, start, 0))))
    return build_record(events)


def invalid_note(causes: Sequence[str]) -> list[str]:
    """A sentence on invalid episodes that a reader must know; nothing if there are none."""
    if not causes:
        return []
    counts = Counter(causes).most_common()
    reasons = "; ".join(f"{why} ({count})" if count > 1 else why for why, count in counts[:NAMED])
    more = f"; and {len(counts) - NAMED} more causes" if len(counts) > NAMED else ""
    are = "episode is" if len(causes) == 1 else "episodes are"
    return [f"{len(causes):,} {are} invalid and in no rate; the same command makes them again: {reasons}{more}"]


def check_edition(found: Record, there: str, file: Path) -> None:
    """Check that a record is of the tasks that are there now; older records do not say.

    Args:
        found: the record.
        there: the edition of the task set.
        file: the record's.

    Raises:
        LogError: it is of another edition.
    """
    if found.about.get(TASK_SET, there) != there:
        raise LogError(
            f"{file}: {found.episode} was played on the task set {found.about[TASK_SET]}, and {there} is there now; "
            "restore those tasks, or run it again"
        )
