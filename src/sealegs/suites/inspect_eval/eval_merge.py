"""Joining the shards of a run of an eval: Inspect's logs, and the notes of samples in which nothing can be struck."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sealegs.engines.logs import SETTINGS, LogError
from sealegs.engines.merging import (
    MergeResult,
    ShardFolder,
    check_owned,
    copy_file,
    merge_result,
    open_merge_folder,
)
from sealegs.engines.shards import ELSEWHERE
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval.eval_logs import (
    WITHOUT_FAULT,
    EvalEpisode,
    EvalLogs,
    read_eval_logs,
)
from sealegs.suites.inspect_eval.options import CLEAN
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.folder_lock import locks_folder
from sealegs.traces.inspect_logs import SUFFIX


@locks_folder("out")
def merge_evals(parts: Sequence[ShardFolder], out: Path) -> MergeResult:
    """Join the folders of the shards of a run.

    Args:
        parts: shards of one run, each once.
        out: the folder to make, or to add to.

    Raises:
        UserError: they contradict each other, or a file cannot be read or written.
    """
    settings = [_run_settings(folder) for folder, _ in parts]
    keys = [str(sample) for sample in settings[0]["samples"]]
    files = _checked_logs(parts, out, keys)
    whole = _joined([*settings, *([_run_settings(out)] if (out / SETTINGS).exists() else [])])
    data = (json.dumps(whole, indent=2) + "\n").encode()
    open_merge_folder(out, SETTINGS, data, lambda one, other: _without_notes(one) == _without_notes(other))
    write_atomically(out / SETTINGS, data, ELSEWHERE)
    for file in files:
        copy_file(file, out / file.name)
    again = f"the same `sealegs run inspect` without --shard, with --out {out}, plays what is missing"
    return merge_result(parts, "samples", keys, _finished_samples(out, keys), again)


def _run_settings(folder: Path) -> dict[str, Any]:
    file = folder / SETTINGS
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        assert isinstance(found["samples"], list)
    except (OSError, ValueError, KeyError, TypeError, AssertionError) as error:
        raise UserError(
            f"{file} is not what a run's folder has ({error}); run the command of the shard again"
        ) from error
    return found


def _without_notes(data: bytes) -> dict[str, Any]:
    return {name: value for name, value in json.loads(data).items() if name != WITHOUT_FAULT}


def _joined(settings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The settings of the whole run's folder: the samples in which nothing can be struck are those of all shards."""
    without_fault: dict[str, set[tuple[str, int]]] = {}
    for one in settings:
        for mode, pairs in one.get(WITHOUT_FAULT, {}).items():
            without_fault.setdefault(mode, set()).update((str(sample), int(epoch)) for sample, epoch in pairs)
    joined = {mode: sorted(map(list, pairs)) for mode, pairs in without_fault.items()}
    return {**settings[0], **({WITHOUT_FAULT: joined} if joined else {})}


def _checked_logs(parts: Sequence[ShardFolder], out: Path, keys: Sequence[str]) -> list[Path]:
    """The logs of the shards, where none holds what is not its own, and none what the folder has from elsewhere."""
    files: dict[str, Path] = {}
    home: dict[EvalEpisode, Path] = {}
    for folder, note in parts:
        for file in sorted(folder.glob(f"*{SUFFIX}")):
            if file.name in files:
                raise UserError(f"{files[file.name]} and {file} have the same name, but a log belongs to one shard")
            files[file.name] = file
        valid = _valid(folder)
        # Only valid episodes: an invalid one counts nowhere, so it contradicts nothing.
        check_owned(folder, note.place, {one.sample for one in valid}, keys)
        home.update(dict.fromkeys(valid, folder))
    for file in sorted(out.glob(f"*{SUFFIX}")) if out.is_dir() else ():
        for one in _valid(file) if file.name not in files else ():
            if one in home:
                raise UserError(
                    f"{one.sample} ({one.mode}, epoch {one.epoch}) appears twice with different content, in "
                    f"{home[one]} and {file}; {ELSEWHERE}"
                )
    return list(files.values())


def _read(path: Path) -> EvalLogs | None:
    """The logs of the episodes that were played; None where there are none."""
    if path.is_dir() and not any(path.glob(f"*{SUFFIX}")):
        return None
    try:
        return read_eval_logs(path)
    except LogError as error:
        if "no finished episode" in str(error):
            return None
        raise


def _valid(path: Path) -> set[EvalEpisode]:
    found = _read(path)
    return set() if found is None else set(found.valid)


def _finished_samples(out: Path, keys: Sequence[str]) -> set[str]:
    """The samples of which every episode was played, or has nothing to be struck."""
    found, settings = _read(out), _run_settings(out)
    if found is None:
        return set()
    modes = (CLEAN, *settings.get("fault_modes", ()))
    epochs = range(1, int(settings.get("epochs") or 1) + 1)
    done = set(found.valid) | found.without_fault
    return {key for key in keys if all(EvalEpisode(mode, key, epoch) in done for mode in modes for epoch in epochs)}
