"""The folder of an experiment: its options, and a record of each run that has ended.

The same command resumes an experiment that was stopped, as long as the agent's code is the same. One that had ended, or
of other options, is set aside in a folder beside the new records; nothing is deleted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from sealegs.engines.folders import ELSEWHERE, RECORDS
from sealegs.engines.logs import SETTINGS
from sealegs.experiments.experiment_options import ExperimentOptions
from sealegs.experiments.run_player import result_of
from sealegs.faults.user_error import UserError
from sealegs.scoring.experiment_metrics import RunResult
from sealegs.traces import Event, Store, StoreError, build_record, read_episodes
from sealegs.traces.atomic_files import check_folder, make_folder, write_atomically
from sealegs.traces.folder_lock import FolderLock
from sealegs.traces.record_chain import chain_file
from sealegs.traces.record_files import compressed_form
from sealegs.traces.redaction import KEY_FILE, OWNER_ONLY, Redactor, redactor_for

CODE = "code"  # in the settings: a digest of the agent's code
ENDED = "verdict.json"  # is there once the experiment has ended
Options = TypeVar("Options", bound=BaseModel)


class ExperimentFolder:
    """Keeps the runs of an experiment; without a folder, in memory alone.

    Args:
        folder: where; None for nowhere.
        options: of the experiment.
        code: a digest of the agent's code.
        note: called with what became of runs that were there.

    Attributes:
        runs: every run that has ended, by its name.

    Raises:
        UserError: the folder holds something else, or cannot be used.
    """

    def __init__(self, folder: Path | None, options: ExperimentOptions, code: str, note: Callable[[str], None]) -> None:
        self.runs: dict[str, RunResult] = {}
        self._folder, self._store, self._lock = folder, None, None
        if folder is None:
            return
        check_folder(folder, ELSEWHERE)
        # Before anything is read: another process could be writing the runs that are counted as kept here.
        self._lock = FolderLock(folder)
        settings = {**options.model_dump(mode="json"), CODE: code}
        redactor: Redactor | None = redactor_for(folder)
        if redactor is not None:  # an input may hold a secret; with the folder's key, the same one is redacted alike
            settings = redactor.redacted(settings)
        try:
            self._begin(folder, settings, note)
            self._store = Store(folder / RECORDS)
            for result in read_runs(folder / RECORDS, []):
                self.runs[result.record.episode] = result
        except (StoreError, OSError) as error:
            self.close()
            raise UserError(f"{folder} cannot be used: {error}; {ELSEWHERE}") from error
        except BaseException:
            self.close()
            raise
        if self.runs:
            note(f"{len(self.runs)} runs that had ended are kept, and the rest is made")

    def keep(self, events: Sequence[Event]) -> None:
        """Keep a run that has ended."""
        if self._store is not None:
            events = self._store.append_and_read(events)  # what is shown of a run is what is kept of it
        result = result_of(build_record(events))
        self.runs[result.record.episode] = result

    def end(self, found: dict[str, Any]) -> None:
        """Note that the experiment has ended, and with what."""
        if self._folder is not None:
            write_atomically(self._folder / ENDED, json.dumps(found, indent=1) + "\n", ELSEWHERE, OWNER_ONLY)

    def close(self) -> None:
        """Close the file, and let the folder go."""
        if self._store is not None:
            self._store.close()
        if self._lock is not None:
            self._lock.close()

    def _begin(self, folder: Path, wanted: dict[str, Any], note: Callable[[str], None]) -> None:
        make_folder(folder, ELSEWHERE)
        settings = folder / SETTINGS
        if settings.exists():
            reason = _why_not_resumed(folder, wanted)
            if not reason:
                return
            note(f"{reason}; its runs are set aside in {_set_aside(folder)}")
        elif any(one.name != KEY_FILE for one in folder.iterdir()):
            raise UserError(f"{folder} is not empty and holds no experiment of Sealegs; {ELSEWHERE}")
        write_atomically(settings, json.dumps(wanted, indent=2) + "\n", ELSEWHERE, OWNER_ONLY)


def _why_not_resumed(folder: Path, wanted: dict[str, Any]) -> str:
    """The reason why the experiment that is there is not the requested one; empty if it is."""
    try:
        before = json.loads((folder / SETTINGS).read_text("utf-8"))
    except (ValueError, RecursionError):
        return f"{folder / SETTINGS} is damaged"
    # Not set aside like an older experiment: what is there is of another command, and its owner does not expect that.
    if CODE not in before:
        raise UserError(f"{folder} holds a run of another command; {ELSEWHERE}")
    if (folder / ENDED).exists():
        return f"the last experiment in {folder} had ended"
    differing = [name for name in wanted if before.get(name) != wanted[name]]
    if not differing:
        return ""
    what = "the agent's code has changed" if differing == [CODE] else f"other options: {', '.join(differing)}"
    return f"the experiment in {folder} was another one ({what})"


def _set_aside(folder: Path) -> Path:
    number = next(number for number in range(1, 1_000_000) if not (folder / f"previous-{number}").exists())
    target = folder / f"previous-{number}"
    target.mkdir()
    records = Path(RECORDS)
    for name in (records, compressed_form(records), chain_file(records), ENDED, SETTINGS):
        if (folder / name).exists():
            (folder / name).rename(target / name)
    return target


def read_kept(folder: Path, options: type[Options], verb: str, warnings: list[str]) -> tuple[Options, list[RunResult]]:
    """The options and the judged runs that a folder keeps.

    Args:
        folder: of an experiment or a check.
        options: the class of the options.
        verb: the command that makes such folders.
        warnings: gets a sentence for whatever reading had to leave out.

    Raises:
        UserError: it keeps none, or cannot be read.
    """
    try:
        settings = json.loads((folder / SETTINGS).read_text("utf-8"))
        found = options.model_validate({name: settings[name] for name in settings if name != CODE})
        return found, read_runs(folder / RECORDS, warnings)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {folder} ({error}); name a folder that `sealegs {verb}` made") from error


def read_runs(file: Path, warnings: list[str]) -> list[RunResult]:
    """The judged runs in a file of records, each once.

    Raises:
        UserError: an episode was not made by `sealegs test`.
    """
    found: dict[str, RunResult] = {}
    for events in read_episodes(file, warnings):
        record = build_record(events)
        try:
            found[record.episode] = result_of(record)
        except (KeyError, TypeError) as error:
            raise UserError(
                f"{file}: episode {record.episode!r} was not made by `sealegs test`; {ELSEWHERE}"
            ) from error
    return list(found.values())
