"""Locks and atomic files as they are done on Windows, with that system's rules played here."""

import fcntl
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.user_error import UserError
from sealegs.traces import Store, file_locks
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.file_locks import BYTE, lock_file
from sealegs.traces.folder_lock import LOCK_FILE, FolderLock
from sealegs.traces.store import StoreError


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """`msvcrt.locking` locks bytes from the file's position on, and refuses with EACCES; here by locks of Linux."""
    msvcrt: Any = types.ModuleType("msvcrt")
    msvcrt.LK_NBLCK = 2

    def locking(descriptor: int, mode: int, count: int) -> None:
        assert (mode, count) == (msvcrt.LK_NBLCK, 1)
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == BYTE
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(13, "Permission denied") from error

    msvcrt.locking = locking
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setattr(file_locks, "WINDOWS", True)


def test_one_locks_and_the_next_is_refused_until_it_lets_go(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abc")
    with file.open("r+b", buffering=0) as one, file.open("r+b", buffering=0) as two:
        one.seek(2)
        assert lock_file(one.fileno(), wait=False)
        assert one.read() == b"c"  # where it was
        with pytest.raises(BlockingIOError):
            lock_file(two.fileno(), wait=False)
        one.close()
        assert lock_file(two.fileno(), wait=True)


def test_a_folder_is_held_by_a_file_that_goes_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with FolderLock(folder) as lock:
        assert (folder / LOCK_FILE).exists()
        with FolderLock(folder):  # a holder may take it again
            pass
        assert (folder / LOCK_FILE).exists()
        assert lock is not None
    assert not (tmp_path / "new").exists()


def test_another_process_is_refused(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        with pytest.raises(UserError, match="another process is writing"):
            FolderLock(tmp_path)
    finally:
        os.close(descriptor)
    with FolderLock(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_a_file_of_records_is_locked(tmp_path: Path) -> None:
    store = Store(tmp_path / "records.jsonl")
    try:
        with pytest.raises(StoreError, match="another process"):
            Store(tmp_path / "records.jsonl")
    finally:
        store.close()


def test_no_open_file_is_renamed_or_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows neither can be done; `open` is counted by the descriptors that the process has on the file."""

    def closed(path: Path) -> bool:
        links = Path("/proc/self/fd").iterdir()
        return not any(link.exists() and link.samefile(path) for link in links)

    replace, unlink = Path.replace, Path.unlink

    def replaced(self: Path, target: Any) -> Any:
        assert closed(self)
        return replace(self, target)

    def unlinked(self: Path, missing_ok: bool = False) -> None:
        assert not self.exists() or closed(self)
        unlink(self, missing_ok)

    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(Path, "unlink", unlinked)
    file = tmp_path / "file"
    (tmp_path / ".file.aside").write_bytes(b"left by a killed process")
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"

    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match="No space left"):
        write_atomically(file, chunks())
    assert file.read_bytes() == b"new"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
