"""Joining the folders of shards into one: what contradicts is refused, what is missing is named.

Every file is written whole or not at all, so a stopped merge is resumed by the same command. A folder that is there
already is added to, where it holds the same work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sealegs.engines.folders import RECORDS, RunSettings
from sealegs.engines.logs import SETTINGS, LogError, LogSchema, read_logs
from sealegs.engines.merged_chains import refuse_altered, refuse_altered_records, seal_merged
from sealegs.engines.record_places import RecordPlace, record_places, write_places
from sealegs.engines.shards import (
    ELSEWHERE,
    NAMED,
    OURS,
    Shard,
    ShardNote,
    differences_between,
    holds_files,
    keys_digest,
    read_shard_note,
    source_digest,
)
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.chain_check import check_chain
from sealegs.traces.folder_lock import locks_folder
from sealegs.traces.inspect_logs import SUFFIX
from sealegs.traces.record_files import only_compressed, records_exist, refuse_compressed
from sealegs.traces.redaction import OWNER_ONLY
from sealegs.traces.store import Store, StoreError


class ShardFolder(NamedTuple):
    """A shard's folder with what it says of itself."""

    folder: Path
    note: ShardNote


@dataclass(frozen=True)
class MergeResult:
    """The result of a merge.

    Attributes:
        kind: the kind of work that was divided.
        noun: the word for the parts of work.
        shards: those that were joined.
        of: the number of all shards.
        total: parts of work.
        missing: the keys of those that are not there.
        absent: the number of them in each shard that was not named.
        again: a sentence on how to make the rest, for messages.
    """

    kind: str
    noun: str
    shards: tuple[Shard, ...]
    of: int
    total: int
    missing: tuple[str, ...]
    absent: Mapping[Shard, int]
    again: str

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    def rows(self) -> list[dict[str, Any]]:
        """The numbers of shards and parts of work that were joined, as the long table."""
        about = {"suite": self.kind, "agent": "merge", "level": "all", "mode": "all"}
        there = {"shards": (len(self.shards), self.of), self.noun: (self.total - len(self.missing), self.total)}
        return [
            {**about, "metric": name, "value": value, "low": None, "high": None, "n": n}
            for name, (value, n) in there.items()
        ]

    def lines(self) -> Iterator[str]:
        """The joined and the missing parts, in sentences."""
        there = self.total - len(self.missing)
        yield f"{len(self.shards):,} of {self.of:,} shards, {there:,} of {self.total:,} {self.noun}."
        if self.absent:
            named = ", ".join(f"{shard} ({count:,} {self.noun})" for shard, count in list(self.absent.items())[:NAMED])
            more = f", and {len(self.absent) - NAMED:,} more" if len(self.absent) > NAMED else ""
            yield f"missing shards: {named}{more}"
        if self.missing:
            more = f", and {len(self.missing) - NAMED:,} more" if len(self.missing) > NAMED else ""
            yield f"missing {self.noun}: {', '.join(self.missing[:NAMED])}{more}"
            yield self.again


def merge_result(
    parts: Sequence[ShardFolder], noun: str, keys: Sequence[str], there: Collection[str], again: str
) -> MergeResult:
    """Count what is there, and name what is not."""
    note = parts[0].note
    missing = tuple(key for key in keys if key not in there)
    lost = set(missing)
    given = {part.note.place for part in parts}
    absent: dict[Shard, int] = {}
    for number in range(1, note.place.of + 1):
        shard = Shard(number, note.place.of)
        # A shard of which nothing is missing, because an earlier merge brought it, is not absent.
        if shard not in given and (count := sum(key in lost for key in shard.among(keys, str))):
            absent[shard] = count
    return MergeResult(note.kind, noun, tuple(sorted(given)), note.place.of, note.total, missing, absent, again)


def shard_groups(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """The shards' folders that belong together: those given, or those of equal names in them (a run of each model).

    A folder without a visible file is left out beside others: its command was killed before it had written anything,
    and its shard is missing.

    Raises:
        UserError: one holds no shard, or none does.
    """
    # If nothing was begun at all, all folders stay, so that the loop below says what is wrong with them.
    begun = [one for one in folders if not one.is_dir() or holds_files(one) or read_shard_note(one)] or folders
    groups: dict[str, list[Path]] = {}
    for folder in begun:
        if read_shard_note(folder) is not None:
            groups.setdefault("", []).append(folder)
            continue
        inner = [one for one in sorted(folder.iterdir()) if read_shard_note(one)] if folder.is_dir() else []
        if not inner:
            why = "holds no shard" if folder.is_dir() else "is not a folder"
            raise UserError(f"{folder} {why}; name the folders of commands with --shard i/n")
        for one in inner:
            groups.setdefault(one.name, []).append(one)
    return groups


def read_shard_folders(folders: Sequence[Path], out: Path) -> list[ShardFolder]:
    """The shards of one whole, in their order.

    Args:
        folders: of the shards.
        out: where they are to be joined.

    Raises:
        UserError: two of them contradict each other, or what is installed here.
    """
    found: dict[Shard, ShardFolder] = {}
    for folder in folders:
        note = read_shard_note(folder)
        assert note is not None
        part = ShardFolder(folder, note)
        first = next(iter(found.values()), part)
        if folder.resolve() == out.resolve():
            raise UserError(f"{folder} is a shard's folder, and shards are joined in another; {ELSEWHERE}")
        # Before the other differences: shards of another division differ in everything else as well.
        if note.place.of != first.note.place.of:
            raise UserError(
                f"{first.folder} is shard {first.note.shard}, {folder} is shard {note.shard}: of different divisions"
            )
        if difference := differences_between(first.note, note):
            raise UserError(f"{first.folder} and {folder} are shards of different work ({difference})")
        if note.place in found:
            twice = found[note.place].folder
            raise UserError(f"shard {note.shard} appears twice, in {twice} and {folder}; leave one out")
        found[note.place] = part
    first = next(iter(found.values()))
    # The first digest is that of Sealegs; the code of other packages need not be installed to merge.
    if first.note.code.split()[:1] != source_digest(OURS).split()[:1]:
        raise UserError(f"{first.folder} was made by another version of Sealegs; merge with the one that made it")
    return [found[place] for place in sorted(found)]


def open_merge_folder(
    out: Path, name: str, data: bytes, same: Callable[[bytes, bytes], bool] = lambda one, other: one == other
) -> None:
    """Make or check the folder in which shards are joined.

    Args:
        out: the folder.
        name: of the file that says what the work is.
        data: what it says.
        same: whether two such files say that the work is the same.

    Raises:
        UserError: the folder holds something else.
    """
    if (note := read_shard_note(out)) is not None:
        raise UserError(f"{out} holds shard {note.shard}; {ELSEWHERE}")
    file = out / name
    if file.exists():
        if not same(file.read_bytes(), data):
            raise UserError(f"{out} holds other work ({name} differs); {ELSEWHERE}")
    elif holds_files(out):
        raise UserError(f"{out} is not empty and is not the folder of such a command (no {name}); {ELSEWHERE}")
    else:
        write_atomically(file, data, ELSEWHERE, OWNER_ONLY)


def shared_file(parts: Sequence[ShardFolder], name: str) -> bytes:
    """The contents of a file that is the same in all shards.

    Raises:
        UserError: it is missing in one, or differs.
    """
    found: dict[bytes, Path] = {}
    for folder, note in parts:
        try:
            found.setdefault((folder / name).read_bytes(), folder)
        except OSError as error:
            raise UserError(
                f"{folder / name} cannot be read ({error.strerror}); run the command of shard {note.shard} again"
            ) from error
    if len(found) > 1:
        one, other, *_ = found.values()
        raise UserError(f"{one / name} and {other / name} differ; they are of different work")
    return next(iter(found))


@locks_folder("out")
def merge_runs(
    parts: Sequence[ShardFolder], out: Path, settings: RunSettings[Any], form: LogSchema[Any]
) -> MergeResult:
    """Join the shards of a run of episodes.

    Args:
        parts: the shards' folders.
        out: the folder that the whole run's command would make.
        settings: of the run.
        form: of the records.

    Raises:
        UserError: they contradict each other, or a file cannot be read or written.
    """
    keys = [episode.id for episode in settings.episodes()]
    if keys_digest(keys) != parts[0].note.keys:
        raise UserError(f"{parts[0].folder} has other episodes than this Sealegs; merge with the one that made it")
    data = shared_file(parts, SETTINGS)
    # All checks come before the first write, so that a refused merge leaves no folder behind.
    logs = _eval_logs(parts, out, keys, form)
    _check_unaltered(parts)
    found = _places(parts, out, keys)  # which refuses what contradicts itself before anything is written
    refuse_altered_records(out / RECORDS, [part.folder / RECORDS for part in parts])
    if _adds(found, out / RECORDS):
        refuse_compressed(out / RECORDS)
    open_merge_folder(out, SETTINGS, data)
    for name, file in logs.files.items():
        copy_file(file, out / name)
    there = logs.there | _merge_records(parts, out, keys)
    again = "the command of the run without --shard, with --out and the merged folder, makes what is missing"
    return merge_result(parts, "episodes", keys, there, again)


def copy_file(file: Path, target: Path) -> None:
    """Copy a file, whole or not at all, where it is not there yet.

    Raises:
        UserError: another file of this name is there.
    """
    data = file.read_bytes()
    # An equal file is there after a merge that was stopped.
    if not target.exists():
        write_atomically(target, data, ELSEWHERE, OWNER_ONLY)
    elif target.read_bytes() != data:
        raise UserError(f"{file} and {target} differ; {ELSEWHERE}")


class _EvalLogs(NamedTuple):
    """Inspect's logs by the names that they get, and the ids of the episodes in them."""

    files: dict[str, Path]
    there: set[str]


def _eval_logs(parts: Sequence[ShardFolder], out: Path, keys: Sequence[str], form: LogSchema[Any]) -> _EvalLogs:
    files: dict[str, Path] = {}
    home: dict[str, Path] = {}
    for folder, note in parts:
        logs = sorted(folder.glob(f"*{SUFFIX}"))
        for file in logs:
            if file.name in files:
                raise UserError(f"{files[file.name]} and {file} have the same name, but a log belongs to one shard")
            files[file.name] = file
        ids = _logged_ids(folder, form) if logs else set()
        check_owned(folder, note.place, ids, keys)
        home.update(dict.fromkeys(ids, folder))
    for file in sorted(out.glob(f"*{SUFFIX}")) if out.is_dir() else ():
        if file.name in files:
            continue  # copied by an earlier merge of the same shards
        ids = _logged_ids(file, form)
        if both := sorted(ids & home.keys()):
            raise UserError(_twice(both[0], home[both[0]], file))
        home.update(dict.fromkeys(ids, file))
    return _EvalLogs(files, set(home))


def _logged_ids(path: Path, form: LogSchema[Any]) -> set[str]:
    """The ids of the valid episodes that a folder or a log of Inspect's holds."""
    try:
        return {str(episode.id) for own in read_logs(path, form).runs.values() for episode in own}
    except LogError as error:
        # A shard may have been killed before its first episode was finished.
        if "no finished episode" in str(error):
            return set()
        raise


def check_owned(folder: Path, shard: Shard, found: Iterable[str], keys: Sequence[str]) -> None:
    """Check that what a shard's folder holds is the shard's.

    Raises:
        UserError: it is another's.
    """
    own = set(shard.among(keys, str))
    if strange := sorted(set(found) - own):
        where = "of another shard" if strange[0] in keys else "not of this work"
        raise UserError(f"{folder}: {strange[0]} is {where}, and not of shard {shard}; leave the folder out")


def _twice(key: str, one: Path, other: Path) -> str:
    return f"{key} appears twice with different content, in {one} and {other}; leave one out, or {ELSEWHERE}"


def _merge_records(parts: Sequence[ShardFolder], out: Path, keys: Sequence[str]) -> set[str]:
    """Join the records in the order of the episodes; returns the ids of those that are there."""
    target = out / RECORDS
    if not any(records_exist(folder / RECORDS) for folder in (out, *(part.folder for part in parts))):
        return set()
    if only_compressed(target):  # nothing is added to it: that was refused before
        return set(record_places(target))
    try:
        lock = Store(target)  # no run may write there meanwhile
    except StoreError as error:
        raise UserError(str(error)) from error
    try:
        # Again, now under the lock: a run may have written meanwhile.
        found = _places(parts, out, keys)
        write_places(target, [place for key in keys for place in found.get(key, [])])
    finally:
        lock.close()
    seal_merged([part.folder / RECORDS for part in parts], target, before=True)
    return set(found)


def _check_unaltered(parts: Sequence[ShardFolder]) -> None:
    """Check the records of shards that have a chain.

    Raises:
        UserError: one was altered.
    """
    for folder, note in parts:
        if records_exist(folder / RECORDS):
            refuse_altered([check_chain(folder / RECORDS)], note)


def _places(parts: Sequence[ShardFolder], out: Path, keys: Sequence[str]) -> dict[str, list[RecordPlace]]:
    """The places of each episode, in the shards and in what was merged before.

    Raises:
        UserError: something is not of a shard, or there twice with different content.
    """
    found = dict(record_places(out / RECORDS))
    if strange := sorted(found.keys() - set(keys)):
        raise UserError(f"{out}: {strange[0]} is not of this work; {ELSEWHERE}")
    for folder, note in parts:
        own = record_places(folder / RECORDS)
        check_owned(folder, note.place, own, keys)
        for key, places in own.items():
            found[key] = _longer(key, found.get(key, []), places)
    return found


def _adds(found: Mapping[str, Sequence[RecordPlace]], target: Path) -> bool:
    """Return whether any episode is not in the merged file yet."""
    return any(place.file != target for places in found.values() for place in places)


def _longer(key: str, before: list[RecordPlace], now: list[RecordPlace]) -> list[RecordPlace]:
    """The longer of two lists of one episode's appearances, one of which must begin with the other."""
    # A resumed shard may hold an invalid attempt first and then a valid one; the longer list has both.
    for one, other in zip(before, now, strict=False):
        if one.digest != other.digest:
            raise UserError(_twice(key, one.file, other.file))
    return max(before, now, key=len)
