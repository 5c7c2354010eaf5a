"""A folder of a store as a folder of this machine: whole objects as files, parts joined, what is missing noticed.

What is read is one state of each folder's growing files, that of its newest index, even while another process writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from sealegs.faults.user_error import UserError
from sealegs.traces.journal_parts import (
    CHAIN,
    INDEX,
    PARTS,
    DamagedParts,
    JournalPart,
    beneath,
    decode_index,
    inside,
    is_plain,
    joined_parts,
    numbered,
)
from sealegs.traces.object_store import ObjectStore
from sealegs.traces.redaction import OWNER_ONLY

TRIES = 3  # a writer may put a new index in the place of the one that is being read
AT_ONCE = 8  # objects that are fetched at a time
BESIDE = ("run.json", "shard.json")  # what a reader of one file of records looks at, too


@dataclass(frozen=True)
class FetchedFolder:
    """The contents of a folder that was fetched.

    Attributes:
        plain: the names of the files that are objects by themselves.
        journals: the parts of each file that grows, by its name.
        indexes: the numbers and names of the indexes of each folder, the one that counts among them.
        objects: the names of all objects.
    """

    plain: frozenset[str] = frozenset()
    journals: Mapping[str, list[JournalPart]] = field(default_factory=dict)
    indexes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.plain or self.journals)


def fetch_folder(store: ObjectStore, target: Path, only: Collection[str] = ()) -> FetchedFolder:
    """Copy a folder of a store.

    Args:
        store: the folder.
        target: where to.
        only: names of files in it; all by default.

    Raises:
        UserError: a part is missing or torn, or something cannot be read.
    """
    for left in reversed(range(TRIES)):
        # Listed anew for each try: a writer may have replaced what the listing before named.
        objects = store.sizes()
        try:
            return _fetched(store, target, objects, only)
        except (FileNotFoundError, DamagedParts) as error:
            if left:
                continue
            if isinstance(error, DamagedParts):
                raise
            raise UserError(f"{store.url} changes while it is read ({error}); give the command again") from error
    raise AssertionError("the last try returns or raises")


def fetch_file(store: ObjectStore, name: str, target: Path) -> bool:
    """Copy one file of a store's folder, with what belongs to it; False if it is not there.

    Raises:
        UserError: as of `fetch_folder`.
    """
    fetch_folder(store, target, (name, name + CHAIN, *BESIDE))
    return (target / name).exists()


def _fetched(store: ObjectStore, target: Path, objects: Mapping[str, int], only: Collection[str]) -> FetchedFolder:
    indexes = numbered(objects, INDEX)
    journals: dict[str, list[JournalPart]] = {}
    for folder, own in indexes.items():
        # Names in `only` are of files at the root, so no other folder's index has to be read.
        if only and folder:
            continue
        # Older indexes are of writers that were taken over from, and may still be written by one thought dead.
        name = own[max(own)]
        found = decode_index(store.read(name), beneath(store.url, name))
        journals |= {beneath(folder, file): parts for file, parts in found.items()}
    plain = frozenset(name for name in objects if name and is_plain(name) and name not in journals)
    work: list[Callable[[], None]] = [partial(_fetch_plain, store, name, target) for name in _chosen(plain, only)]
    work += [partial(_fetch_journal, store, name, journals[name], target) for name in _chosen(journals, only)]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        # The result is asked for so that a failure in a thread is raised here.
        for done in [threads.submit(one) for one in work]:
            done.result()
    return FetchedFolder(plain, journals, indexes, frozenset(objects))


def _chosen(names: Iterable[str], only: Collection[str]) -> list[str]:
    return [name for name in names if not only or name in only]


def _fetch_plain(store: ObjectStore, name: str, target: Path) -> None:
    store.fetch(name, _local(target, name))


def _fetch_journal(store: ObjectStore, name: str, parts: list[JournalPart], target: Path) -> None:
    folder = name + PARTS
    chunks = joined_parts(parts, lambda part: store.read(beneath(folder, part)), beneath(store.url, folder))
    file = _local(target, name)
    file.touch(OWNER_ONLY)
    with file.open("wb") as out:
        for chunk in chunks:
            out.write(chunk)


def _local(target: Path, name: str) -> Path:
    """The file that an object is put into; its folders are made.

    Raises:
        UserError: its name leads out of the folder.
    """
    parts = PurePosixPath(name).parts
    if ".." in parts or PurePosixPath(name).is_absolute():
        raise UserError(f"the name {name!r} of an object leads out of its folder; rename it")
    file = target.joinpath(*parts)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def folder_of(name: str) -> str:
    """The folder of a name; '' for the root."""
    return inside(str(PurePosixPath(name).parent))
