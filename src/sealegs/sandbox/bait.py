"""Bait for hostile code: a secret in files, memory and environment, ears on every kind of socket, a victim.

The host looks at all of it afterwards, so an escape's own words need not be believed.
"""

from __future__ import annotations

import ctypes
import os
import resource
import secrets
import select
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sealegs.sandbox.process import BOOT

MEMORY = 64 << 10  # KiB that the host may grow by in one attempt
OPEN_FILE = -1  # in the place of a process: the lock belongs to an open file description (F_OFD_SETLK)


class Bait:
    """One set of bait, for one attempt.

    Attributes:
        secret: what must not be seen; it is in a file, a database, the environment and this process's memory.
        names: what the hostile code is given, as plain data.
    """

    def __init__(self) -> None:
        self.secret = f"sealegs-secret-{secrets.token_hex(8)}"
        self._folder = Path(tempfile.mkdtemp(prefix="bait-"))
        self._mark = f"mark-{secrets.token_hex(4)}"
        file, database = self._folder / "secret.txt", self._folder / "answers.sqlite"
        file.write_text(self.secret, encoding="utf-8")
        with closing(sqlite3.connect(database)) as made:
            made.execute("create table t (answer text)")
            made.execute("insert into t values (?)", (self.secret,))
            made.commit()
        os.environ["SEALEGS_BAIT_KEY"] = self.secret
        self._ears = [
            _ear(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _ear(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _ear(socket.AF_UNIX, socket.SOCK_STREAM, str(self._folder / "socket")),
            _ear(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self._mark}"),
        ]
        self._victim = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self._before = dict(self._outside())
        self._machine = os.uname().nodename
        self._held = ctypes.create_string_buffer(self.secret.encode())
        self._peak = _peak()
        self.names: dict[str, Any] = {
            "secret_file": str(file),
            "database": str(database),
            "outside": str(self._folder),
            "package": str(Path(__file__).parents[1]),
            "mark": self._mark,
            "tcp": self._ears[0].getsockname()[1],
            "udp": self._ears[1].getsockname()[1],
            "unix": str(self._folder / "socket"),
            "abstract": self._mark,
            "host": os.getpid(),
            "victim": self._victim.pid,
            "address": ctypes.addressof(self._held),
        }

    def harm(self) -> list[str]:
        """The harm that was done, as far as it can be seen from outside."""
        found = []
        # Compared whole, whatever the turn said: an escape that reports nothing leaves its traces here.
        if dict(self._outside()) != self._before:
            found.append("files outside were changed")
        if Path("/dev/shm", self._mark).exists():
            found.append("something was left in shared memory")
        if select.select(self._ears, [], [], 0)[0]:
            found.append("something came out of the network")
        if self._victim.poll() is not None:
            found.append("another process was killed")
        if os.uname().nodename != self._machine:
            found.append("the machine's name was changed")
        if _peak() - self._peak > MEMORY:
            found.append(f"the host's memory grew by {(_peak() - self._peak) >> 10} MiB")
        return found

    def close(self) -> None:
        """Take it all away."""
        for ear in self._ears:
            ear.close()
        self._victim.kill()
        self._victim.wait()
        os.environ.pop("SEALEGS_BAIT_KEY", None)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _outside(self) -> Iterator[tuple[str, tuple[int, int, int, bytes]]]:
        for path in sorted([self._folder, *self._folder.rglob("*")]):
            seen = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            yield str(path), (seen.st_mode, seen.st_uid, len(content), content)


def processes() -> set[int]:
    """The kernels of this process that run now, found by their command lines."""
    mark = [BOOT.encode(), str(os.getpid()).encode()]
    found = set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:  # it ended meanwhile
                continue
            if mark[0] in words and words[-2] == mark[1]:
                found.add(int(folder.name))
    return found


def locks_on(file: Path) -> int:
    """The number of locks and leases on a file that this process or one below it holds."""
    return lock_counts([file])[file]


def lock_counts(files: Iterable[Path]) -> dict[Path, int]:
    """Count the locks and leases on each of these files, in one reading of the machine's list, which may be long.

    Those of processes that are not below this one are left out: the files are the whole machine's.
    """
    held: dict[str, list[int]] = defaultdict(list)
    for line in Path("/proc/locks").read_text(encoding="ascii").split("\n"):
        # NUMBER: [->] KIND MODE ACCESS PID MAJOR:MINOR:INODE START END; `->` where it waits for the one above it
        *_, pid, place, _, _ = line.split() or [""] * 5
        held[place].append(int(pid or 0))
    seen = {file: file.stat() for file in files}
    places = {file: f"{os.major(one.st_dev):02x}:{os.minor(one.st_dev):02x}:{one.st_ino}" for file, one in seen.items()}
    return {file: sum(_is_ours(pid, place) for pid in held.get(place, ())) for file, place in places.items()}


def _is_ours(pid: int, place: str) -> bool:
    """Return whether a lock is of this process or one below it; one without a process is of whoever has it open."""
    if pid == OPEN_FILE:
        return any(_holds(int(one.name), place) for one in Path("/proc").iterdir() if one.name.isdigit())
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:  # it ended meanwhile, and its locks with it
            return False
    return False


def _holds(pid: int, place: str) -> bool:
    """Return whether a process below this one has a file open that is locked at this place."""
    try:
        texts = [one.read_text(encoding="ascii") for one in Path(f"/proc/{pid}/fdinfo").iterdir()]
    except OSError:  # it ended meanwhile, or is another user's
        return False
    return any("OFDLCK" in text and place in text for text in texts) and _is_ours(pid, place)


def _ear(family: int, kind: int, address: Any) -> socket.socket:
    ear = socket.socket(family, kind)
    ear.bind(address)
    if kind == socket.SOCK_STREAM:
        ear.listen()
    return ear


def _peak() -> int:
    """The most memory that this process had so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
