"""One process at a time in a folder: the lock that every command takes before it looks at what the folder holds.

The lock is the folder itself, so nothing is left in it, and it ends with the process, however that ends. Windows has no
locks on folders: there it is a file in the folder, which is removed at the end. Some network disks have no locks; there
the lock on the records' file (`traces.store`) is the only one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import ParamSpec, TypeVar

from sealegs.faults.user_error import UserError
from sealegs.traces import file_locks
from sealegs.traces.atomic_files import make_folder
from sealegs.traces.file_locks import lock_file

P = ParamSpec("P")
R = TypeVar("R")
Inode = tuple[int, int]
LOCK_FILE = ".sealegs-lock"  # on Windows alone
REMEDY = "name another folder with --out"
_HELD: ContextVar[frozenset[Inode]] = ContextVar("folders that this thread or task holds", default=frozenset())


class FolderLock:
    """Holds a folder, which is made if it is not there. A holder may take the same folder again.

    Where the folder was made for this and is empty at the end (a mistake was found first), it is removed.

    Args:
        folder: what is written to.
        remedy: what the message advises instead of waiting.
        wait: whether to wait until another process lets go.

    Raises:
        UserError: another process holds it, or it cannot be made.
    """

    def __init__(self, folder: Path, remedy: str = REMEDY, *, wait: bool = False) -> None:
        self._made = [place for place in (folder, *folder.parents) if not place.exists()]
        self._descriptor: int | None = None
        self._taken = frozenset[Inode]()
        while True:
            make_folder(folder, remedy)
            with _opened(folder, remedy) as descriptor:
                if descriptor is None or _inode(os.fstat(descriptor)) in _HELD.get():
                    return
                if not _locked(descriptor, folder, remedy, wait):
                    return
                locked = _locked_place(folder)
                if not locked.exists() or _inode(os.fstat(descriptor)) != _inode(locked.stat()):
                    continue  # its holder has removed it meanwhile
                self._folder = folder
                self._descriptor = os.dup(descriptor)
                self._taken = frozenset({_inode(os.fstat(descriptor))})
                _HELD.set(_HELD.get() | self._taken)
                return

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go, where this one is the holder."""
        if self._descriptor is None:
            return
        if file_locks.WINDOWS:
            os.close(self._descriptor)
            with suppress(OSError):  # another process waits for it
                _locked_place(self._folder).unlink()
        with suppress(OSError):  # something is in it
            for place in self._made:
                place.rmdir()
        _HELD.set(_HELD.get() - self._taken)
        if not file_locks.WINDOWS:
            os.close(self._descriptor)
        self._descriptor = None


def locks_folder(parameter: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function hold the folder that this parameter names, from before its first line until it returns.

    The function then raises `UserError` where another process holds the folder.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)

        @wraps(function)
        def alone(*args: P.args, **kwargs: P.kwargs) -> R:
            with FolderLock(parameters.bind(*args, **kwargs).arguments[parameter]):
                return function(*args, **kwargs)

        return alone

    return decorate


@contextmanager
def _opened(folder: Path, remedy: str) -> Iterator[int | None]:
    """A descriptor of the folder; None where there is none to be had."""
    descriptor = None
    try:
        descriptor = _open_place(folder)
    except (PermissionError, FileNotFoundError):  # not to be read; removed by its holder
        pass
    except OSError as error:
        raise UserError(f"cannot open the folder {folder}: {error.strerror}; {remedy}") from error
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _locked(descriptor: int, folder: Path, remedy: str, wait: bool) -> bool:
    """Lock it; False on a system or a file system without locks."""
    try:
        return lock_file(descriptor, wait=wait)
    except BlockingIOError as error:
        raise UserError(f"another process is writing to {folder}; wait for it, or {remedy}") from error


def _locked_place(folder: Path) -> Path:
    """The path that is locked: the folder, or on Windows a file in it."""
    return folder / LOCK_FILE if file_locks.WINDOWS else folder


def _open_place(folder: Path) -> int:
    if file_locks.WINDOWS:
        return os.open(_locked_place(folder), os.O_RDWR | os.O_CREAT)
    return os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))  # Windows lacks this flag


def _inode(place: os.stat_result) -> Inode:
    return place.st_dev, place.st_ino
