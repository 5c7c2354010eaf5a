"""A run in a folder: its settings, what is finished, and the rest.

The folder holds `run.json` (the settings) and the records. The same command resumes where the last one stopped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from sealegs.engines.logs import (
    SETTINGS,
    TOTAL,
    FileReader,
    LogError,
    LogSchema,
    is_log,
    known_episodes,
    read_run_files,
)
from sealegs.engines.shards import Shard, describe_shard, holds_files, open_shard_folder
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.folder_lock import locks_folder
from sealegs.traces.record_chain import lacks_seal
from sealegs.traces.redaction import OWNER_ONLY
from sealegs.traces.store import Store

RECORDS = "episodes.jsonl"
ELSEWHERE = "name another folder with --out"
Progress = Callable[[int, int], None]


class NamedEpisode(Hashable, Protocol):
    """An episode with a name of its own."""

    @property
    def id(self) -> str:
        """Its name, unique in a run."""


E = TypeVar("E", bound=NamedEpisode)
Co = TypeVar("Co", bound=NamedEpisode, covariant=True)


class RunSettings(Protocol, Generic[Co]):
    """The options of a suite. Equal ones give equal episodes."""

    @property
    def part(self) -> Shard | None:
        """The part of the episodes that is to be played; None for all."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """The options as JSON, without those that only say how the run is made."""

    def episodes(self) -> Sequence[Co]:
        """All episodes of the run."""


def folder_name(*parts: str) -> str:
    """A folder's name that these words give, without what a file system could mind."""
    return re.sub(r"[^\w.]+", "-", " ".join(parts)).strip("-")[:80] or "run"


def open_run_folder(
    settings: RunSettings[E], folder: Path, form: LogSchema[E], read: FileReader[E, None] | None = None
) -> list[E]:
    """Make or check the run's folder.

    Args:
        settings: of the run.
        folder: the run's.
        form: of its records.
        read: the episodes of a file, where there is a faster way to them than its records.

    Returns:
        the episodes that are not finished yet.

    Raises:
        LogError: the folder holds another run, or damaged records.
        UserError: it cannot be made.
    """
    file, episodes = folder / SETTINGS, settings.episodes()
    noted = {**settings.model_dump(mode="json"), TOTAL: len(episodes)}
    shard, own = settings.part, type(settings).__module__
    ids = [episode.id for episode in episodes] if shard else []
    # Before the run's own file: whether the folder may be used at all has to be known before anything is written to it.
    open_shard_folder(folder, describe_shard(shard, form.suite, ids, noted, [own]) if shard else None)
    if file.exists():
        check_same_run(settings, file)
    elif holds_files(folder):
        raise LogError(f"{folder} is not empty and holds no run of Sealegs; {ELSEWHERE}")
    else:
        # Before any record, since records alone could not say of which run they are.
        write_atomically(file, json.dumps(noted, indent=2) + "\n", ELSEWHERE, OWNER_ONLY)
    finished = _finished(folder, form, read)
    return [episode for episode in own_episodes(settings) if episode not in finished]


def unfinished(settings: RunSettings[E], folder: Path, form: LogSchema[E]) -> list[E]:
    """The episodes that a command would play; nothing is written.

    Raises:
        LogError: the folder holds another run, or damaged records.
    """
    if (folder / SETTINGS).exists():
        check_same_run(settings, folder / SETTINGS)
    finished = _finished(folder, form) if folder.is_dir() else set()
    return [episode for episode in own_episodes(settings) if episode not in finished]


def own_episodes(settings: RunSettings[E]) -> Sequence[E]:
    """The episodes that a command plays: all, or those of its shard."""
    every = settings.episodes()
    return every if settings.part is None else settings.part.among(every, lambda episode: episode.id)


def check_same_run(settings: RunSettings[Any], file: Path) -> None:
    """Check that a folder's run was started with these settings.

    Args:
        settings: of the run that is requested now.
        file: where the folder notes its settings.

    Raises:
        LogError: it was another one, or the file cannot be read.
    """
    try:
        before: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise LogError(f"{file} is not JSON ({error}); delete the folder, or {ELSEWHERE}") from error
    before = {**type(settings)().model_dump(mode="json"), **before}  # an option that came later had its default
    now = settings.model_dump(mode="json")
    differing = [f"{name} was {before.get(name)!r}, is {now[name]!r}" for name in now if before.get(name) != now[name]]
    if differing:
        raise LogError(f"{file.parent} holds another run ({'; '.join(differing)}); {ELSEWHERE}")


def _finished(folder: Path, form: LogSchema[E], read: FileReader[E, None] | None = None) -> set[E]:
    if not any(map(is_log, folder.iterdir())):
        return set()
    try:
        # Without their records: all that were played may be more than the memory holds.
        found = read_run_files(folder, form, read or partial(known_episodes, form=form))
    except LogError as error:
        # A run was stopped before its first episode ended; there is nothing wrong with its folder.
        if "no finished episode" in str(error):
            return set()
        raise
    return set(chain.from_iterable(found.runs.values()))


@locks_folder("folder")  # before what is left is listed: two runs would find the same episodes left
def run_rest(
    settings: RunSettings[E],
    folder: Path,
    form: LogSchema[E],
    play: Callable[[Sequence[E]], Iterable[list[str]]],
    progress: Progress,
    read: FileReader[E, None] | None = None,
) -> None:
    """Play what is left of a run, and append each episode to the records as it ends.

    Args:
        settings: of the run.
        folder: the run's.
        form: of its records.
        play: gives each of these episodes as the lines of its record, in any order.
        progress: called with how many are done, of how many.
        read: as in `open_run_folder`.

    Raises:
        LogError: see `open_run_folder`.
        UserError: another process is writing to the folder.
    """
    left = open_run_folder(settings, folder, form, read)
    total = len(own_episodes(settings))
    done = total - len(left)
    progress(done, total)
    # A killed process may have written all episodes and no seal: then the chain is closed all the same.
    if not left and not lacks_seal(folder / RECORDS):
        return
    with closing(Store(folder / RECORDS)) as store:
        for lines in play(left) if left else ():
            store.append_lines(lines)
            done += 1
            progress(done, total)
