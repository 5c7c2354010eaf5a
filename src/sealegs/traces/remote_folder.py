"""A folder of a store that a command writes to: a folder of this machine, of which the store gets all that comes to it.

The command works in the local folder as in any other. A thread hands what is new to the store, every few seconds and at
the end: a file that grows by a further part, any other whole. What is cut off by a kill is what came since the last
time; the same command makes it again. Files whose names begin with a dot stay here: locks, files that are being
written, and the key of redaction, which a store could not keep from those who may read the records.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from sealegs.faults.user_error import UserError
from sealegs.traces.growing_file import GrowingFile, aligned_ends, whole_lines
from sealegs.traces.journal_parts import (
    CHAIN,
    INDEX,
    PARTS,
    beneath,
    encode_index,
    is_growing,
    numbered,
    numbered_name,
)
from sealegs.traces.object_store import ObjectStore, StoreFailure
from sealegs.traces.remote_fetch import FetchedFolder, fetch_folder, folder_of
from sealegs.traces.remote_lease import LeaseLost, check_free, take_lease

EVERY = 5.0  # seconds after which what is new is handed over
ENOUGH = 4 << 20  # bytes of new lines that are handed over at once
LOOK = 0.5  # seconds between two looks at how much there is
LARGE = 1 << 20  # bytes of a whole file that is written again at most every `SELDOM` seconds while it changes
SELDOM = 60.0
# The names of tables that are made of records and logs, and made again where they are missing.
TABLE = re.compile(r"(.+\.)?verdicts-\d+\.parquet")
LAST_TRIES = (0.0, 2.0, 8.0)  # seconds before each try to hand over the last of it


class _State(NamedTuple):
    """The properties that tell a file that was not touched from one that was."""

    inode: int
    size: int
    changed: int


class _Whole(NamedTuple):
    state: _State
    written: float


class RemoteFolder:
    """A folder of a store, open for writing.

    Args:
        store: the folder.
        folder: the folder here; empty.
        lost: called once, in another thread, where another process has taken the store's folder over.
        note: called with a sentence where the store refuses what is handed over meanwhile; it is tried again.
        late_removal: whether files that are removed here stay on the store until `close`.

    Raises:
        UserError: another process writes to it, or it cannot be read.
    """

    def __init__(
        self,
        store: ObjectStore,
        folder: Path,
        lost: Callable[[], object],
        note: Callable[[str], object],
        *,
        late_removal: bool = False,
    ) -> None:
        self._store, self._folder, self._lost, self._note = store, folder, lost, note
        self._removes = not late_removal
        objects = store.sizes()
        check_free(store, objects)
        self._lease = take_lease(store, (number for own in numbered(objects, INDEX).values() for number in own))
        self._growing: dict[str, GrowingFile] = {}
        self._whole: dict[str, _Whole] = {}
        self._indexed: dict[str, bytes] = {}  # what the index of each folder says
        self._stale: list[str] = []  # objects that no index names any more
        self._stop, self._noted = threading.Event(), False
        try:
            self._take_over(fetch_folder(store, folder))
        except BaseException:
            self._lease.give_back()
            raise
        self._thread = threading.Thread(target=self._hand_over_meanwhile, name="sealegs-store", daemon=True)
        self._thread.start()

    def close(self, *, removal: bool = True) -> None:
        """Hand the last of it over, and let others write.

        Args:
            removal: whether the store loses the files that were removed here.

        Raises:
            UserError: the store refuses it, or was taken over; the local folder holds all of it.
        """
        self._stop.set()
        # The thread hands over as well, and must not do so at the same time.
        self._thread.join()
        self._removes = removal
        for number, wait in enumerate(LAST_TRIES, 1):
            time.sleep(wait)
            try:
                self.hand_over(last=True)
                self._lease.give_back(unused=not (self._whole or self._growing or self._indexed))
                return
            except StoreFailure:
                if number == len(LAST_TRIES):
                    self._lease.forget()
                    raise

    def hand_over(self, *, last: bool = False) -> None:
        """Give the store what is new.

        Args:
            last: whether nothing comes any more: half a line counts too, and all parts are compared with their files.

        Raises:
            StoreFailure: it refuses; nothing that it has is lost, and the next call continues.
            LeaseLost: another process has taken the folder over.
        """
        self._lease.check()
        # How far growing files go comes first: what a journal speaks of is there before the journal says so.
        growing = {name: file for name, file in _files_of(self._folder) if is_growing(name)}
        ends = self._ends(growing, last)
        whole = {name: file for name, file in _files_of(self._folder) if not is_growing(name)}
        for name, file in whole.items():
            self._put_whole(name, file, last)
        for name, end in ends.items():
            self._put_parts(name, self._growing[name], end)
        for name in self._growing.keys() - growing.keys():
            self._drop_parts(name, self._growing.pop(name))
        self._write_indexes()
        gone = self._whole.keys() - whole.keys() if self._removes else set()
        self._store.remove([*self._stale, *gone])
        self._stale.clear()
        for name in gone:
            del self._whole[name]

    def _take_over(self, fetched: FetchedFolder) -> None:
        """Begin with what is there; from now on the indexes of earlier writers do not count."""
        for name, parts in fetched.journals.items():
            self._growing[name] = GrowingFile(self._folder / name, PurePosixPath(name).suffix).known(parts)
        for name in fetched.plain:
            if not _stays_here(PurePosixPath(name)) and (file := self._folder / name).exists():
                self._whole[name] = _Whole(_state(file), 0.0)
        self._write_indexes()
        self._stale += [name for own in fetched.indexes.values() for name in own.values()]
        named = {beneath(name + PARTS, part.name) for name, parts in fetched.journals.items() for part in parts}
        left = (name for name in fetched.objects if PurePosixPath(name).parent.name.endswith(PARTS))
        # Parts that a killed writer left, which no index names.
        self._stale += [name for name in left if name not in named and is_growing(_file_of(name))]

    def _ends(self, files: dict[str, Path], last: bool) -> dict[str, int]:
        """The ends up to which growing files are handed over this time; a file that has to wait is left out."""
        for name in files.keys() - self._growing.keys():
            self._growing[name] = GrowingFile(self._folder / name, PurePosixPath(name).suffix)
        changed = {name for name in files if self._was_changed(name, last)}
        starts = {name: 0 if name in changed else self._growing[name].size for name in files}
        ends = {name: file.stat().st_size for name, file in files.items()} if last else _safe_ends(files, starts)
        # What was written anew takes the place of the old at once, and records that of their chain: until all of it
        # is there, a kill would leave less than there was.
        waiting = set() if last else {name for name in changed if ends[name] < self._growing[name].size}
        waiting |= {name + CHAIN for name in waiting} | {name.removesuffix(CHAIN) for name in waiting}
        for name in changed - waiting:
            self._drop_parts(name, self._growing[name])
            self._growing[name].begin_anew()
        return {name: end for name, end in ends.items() if name not in waiting}

    def _was_changed(self, name: str, last: bool) -> bool:
        return self._growing[name].differs() if last else self._growing[name].was_changed()

    def _put_whole(self, name: str, file: Path, last: bool) -> None:
        try:
            state = _state(file)
        except FileNotFoundError:  # removed meanwhile
            return
        before = self._whole.get(name)
        if before and before.state == state:
            return
        now = time.monotonic()
        if before and not last and state.size > LARGE and now - before.written < SELDOM:
            return
        try:
            self._store.put(name, file)
        except StoreFailure:
            if not file.exists():
                return
            raise
        # The state from before it was read: whatever comes to it meanwhile is seen next time.
        self._whole[name] = _Whole(state, now)

    def _put_parts(self, name: str, growing: GrowingFile, end: int) -> None:
        for part, data in growing.rest(end, self._lease.number):
            self._store.write(beneath(name + PARTS, part.name), data)
            growing.add(part, data)

    def _drop_parts(self, name: str, growing: GrowingFile) -> None:
        self._stale += [beneath(name + PARTS, part.name) for part in growing.parts]

    def _write_indexes(self) -> None:
        # Folders that have an index are among them even without a file: it would still name parts that are removed.
        journals: dict[str, dict[str, GrowingFile]] = {folder: {} for folder in self._indexed}
        for name, growing in self._growing.items():
            journals.setdefault(folder_of(name), {})[PurePosixPath(name).name] = growing
        for folder, own in journals.items():
            data = encode_index({name: growing.parts for name, growing in own.items()})
            if self._indexed.get(folder) != data:
                self._store.write(numbered_name(folder, INDEX, self._lease.number), data)
                self._indexed[folder] = data

    def _hand_over_meanwhile(self) -> None:
        """Hand over what is new until the folder is closed."""
        due = time.monotonic() + EVERY
        while not self._stop.wait(LOOK):
            if time.monotonic() < due and not self._is_enough():
                continue
            try:
                self.hand_over()
            except LeaseLost:
                self._lost()
                return
            # A file may be renamed or removed between two looks; the next time it is seen as it is then.
            except (UserError, OSError) as error:
                if not self._noted and isinstance(error, UserError):
                    self._note(f"{error} (it will be tried again)")
                    self._noted = True
            due = time.monotonic() + EVERY

    def _is_enough(self) -> bool:
        try:
            return any(one.file.stat().st_size - one.size > ENOUGH for one in list(self._growing.values()))
        except OSError:
            return False


def file_states(folder: Path) -> dict[str, tuple[int, int, int]]:
    """The states of a folder's files, by which those that were touched are known later."""
    return {name: _state(file) for name, file in _files_of(folder)}


def put_changed_files(store: ObjectStore, folder: Path, before: Mapping[str, tuple[int, int, int]]) -> None:
    """Give the store the files that came to a copy of its folder, or changed there, each whole.

    Args:
        store: the folder.
        folder: the copy.
        before: as `file_states` gave it.

    Raises:
        StoreFailure: the store refuses one that a user requested; what only saves time may be missing.
    """
    for name, file in _files_of(folder):
        if is_growing(name) or before.get(name) == _state(file):
            continue
        try:
            store.put(name, file)
        except StoreFailure:
            if not TABLE.fullmatch(file.name):
                raise


def _files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        if file.is_file() and not _stays_here(name):
            yield name.as_posix(), file


def _safe_ends(files: Mapping[str, Path], starts: Mapping[str, int]) -> dict[str, int]:
    """The ends at which growing files can be cut, so that a reader finds them as a killed process may leave them."""
    ends: dict[str, int] = {}
    for name, file in files.items():
        chain = name + CHAIN
        if chain in files:
            ends[name], ends[chain] = aligned_ends(file, files[chain], starts[name], starts[chain])
        elif name not in ends:
            ends[name] = whole_lines(file, starts[name])
    return ends


def _stays_here(name: PurePath) -> bool:
    return any(part.startswith(".") for part in name.parts)


def _file_of(part: str) -> str:
    """The name of the file that a part is of."""
    return str(PurePosixPath(part).parent).removesuffix(PARTS)


def _state(file: Path) -> _State:
    found = file.stat()
    return _State(found.st_ino, found.st_size, found.st_mtime_ns)
