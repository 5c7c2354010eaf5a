"""The code that tries every permitted system call inside (`allowed_calls`): it is sent as text, like `inside`.

The words of a form become arguments here: `fd`, `path` and `map` are those of a shared thing, `own` is a file of the
scratch folder, `new` a name beside the shared thing; a number is that number.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import stat
import struct

TYPE_CHECKING = False  # it has to run where only the standard library is
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SHARED = {"fd", "path", "map", "new"}
DEVICES = ("device", "random")
DESCRIPTORS = 64  # the limit of open files
HIGHEST = 4096  # files that were open before the limit was set may have higher numbers
MANY = 1000
FAILED = ctypes.c_void_p(-1).value


class CallsInside:
    """Makes calls, and has the host look after each."""

    def __init__(self, given: dict[str, Any], seen: Callable[..., object]) -> None:
        self._given = given
        self._seen = seen
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.syscall.restype = ctypes.c_long
        self._libc.mmap.restype = ctypes.c_void_p
        self._kept = {number for number in range(DESCRIPTORS) if kind_of(number)}
        self._pipe = next(number for number in range(HIGHEST) if kind_of(number) == stat.S_IFIFO)
        self._made = 0

    def make(self, name: str, number: int, form: str, target: str, path: str) -> None:
        """Make one call, and close whatever it left open."""
        given = [self._value(word, target, path) for word in form.split()]
        words = [ctypes.c_long(one) if isinstance(one, int) else one for one in given]
        done = self._libc.syscall(ctypes.c_long(number), *words)
        code = ctypes.get_errno()
        self._seen([name, target, form], "ok" if done != -1 else errno.errorcode.get(code, str(code)))
        # Else what one call opened would change what the next can do, and in the end none could open anything.
        for descriptor in range(DESCRIPTORS):
            if descriptor not in self._kept and kind_of(descriptor):
                os.close(descriptor)

    def _value(self, word: str, target: str, path: str) -> Any:
        if word == "fd":
            # A copy for each attempt, since the call that is tried may close it.
            return os.dup(self._pipe) if target == "pipe" else opened(target, path)
        if word in ("path", "mode", "times", "oldtimes"):
            return about(word, path)
        if word == "new":
            folder = path if target == "folder" else path.rpartition("/")[0]
            return f"{folder}/new".encode()
        if word == "map":
            fixed = (ctypes.c_size_t(4096), 1, 1, opened(target, path), ctypes.c_long(0))  # PROT_READ, MAP_SHARED
            at = self._libc.mmap(None, *fixed)
            return 0 if at == FAILED else at
        if word in ("own", "own-fd", "own-new"):
            return self._own(word)
        if word == "epoll":
            return self._libc.epoll_create1(0)
        if word == "socket":
            return socket.socketpair()[0].detach()
        return self._plain(word)

    def _plain(self, word: str) -> Any:
        named: dict[str, Any] = {
            "at": -100,
            "buf": ctypes.create_string_buffer(4096),
            "empty": b"",
            "victim": self._given["victim"],
            "host": self._given["host"],
            "vector": struct.pack("@PN", ctypes.addressof(ROOM), len(ROOM)),
            "lock": bytes(32),  # of all of it, for reading
            "limit": bytes(16),
            "address": struct.pack("@H108s", socket.AF_UNIX, b"\0sealegs"),
        }
        if word in named:
            return named[word]
        return int(word, 8 if word.startswith("0") and word.isdigit() else 0)

    def _own(self, word: str) -> Any:
        if word == "own-new":
            self._made += 1
            return f"new{self._made}".encode()
        try:
            descriptor = os.open("own", os.O_CREAT | os.O_RDWR)
        except OSError:  # there is no scratch folder
            descriptor = -1
        return descriptor if word == "own-fd" else b"own"


ROOM = ctypes.create_string_buffer(16)


def kind_of(descriptor: int) -> int:
    """The kind of the file that is open there; 0 if none is."""
    try:
        return stat.S_IFMT(os.fstat(descriptor).st_mode) or 1
    except OSError:
        return 0


def opened(target: str, path: str) -> int:
    """A descriptor of a shared thing; -1 where it cannot be opened."""
    for flags in (os.O_RDWR, os.O_RDONLY) if target in DEVICES else (os.O_RDONLY,):
        try:
            return os.open(path, flags)
        except OSError:
            pass
    return -1


def about(word: str, path: str) -> Any:
    """A path, or the mode and times that it has, so that setting them does no harm where it succeeds."""
    if word == "path":
        return path.encode()
    from pathlib import Path

    was = (Path(path) if Path(path).exists() else Path("/")).stat()
    if word == "mode":
        return stat.S_IMODE(was.st_mode)
    if word == "times":
        return struct.pack("@4q", *divmod(was.st_atime_ns, 10**9), *divmod(was.st_mtime_ns, 10**9))
    return struct.pack("@4q", int(was.st_atime), int(was.st_mtime), 0, 0)


def try_all(given: dict[str, Any], seen: Callable[..., object]) -> None:
    """Make every call of the table; at the end, leave a thousand signals waiting."""
    attempts = CallsInside(given, seen)
    # A signal of real time: unlike plain ones, such signals queue up, and each that waits takes memory of the kernel's.
    own = signal.SIGRTMIN + 5
    signal.pthread_sigmask(signal.SIG_BLOCK, [own])
    machine = os.uname().machine
    for name, numbers, forms in given["table"]:
        for form in forms if machine in numbers else []:
            words = set(form.split())
            things = given["paths"] if SHARED & words else {"itself": "/"}
            for target, path in things.items():
                attempts.make(name, numbers[machine], form, target, path)
            if "fd" in words and name not in given["skip"]:
                attempts.make(name, numbers[machine], form, "pipe", "")
    for _ in range(MANY):
        os.kill(os.getpid(), own)
    seen(["kill", "itself", f"{MANY} times"], "ok")
