"""Faults under the system calls of a command and all its processes: killed at the n-th, or failing there.

The kernel stops every write, rename, fsync, lock, fork and unlink and hands it to this process (a seccomp filter with
a listener), which counts those that concern files under one folder, and lets them go on, fail, or kills who made
them. So it covers every thread and child, whatever library makes the call, and knows nothing of Sealegs.

Linux 5.9 or later on x86-64. It does not cover writes through mapped memory.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from typing import Literal

Way = Literal["kill", "torn", "full", "ENOSPC", "EIO", "EMFILE", "EAGAIN", "ENOLCK"]
NUMBERS = {  # of system calls, by what they do
    1: "write", 18: "write", 20: "write", 296: "write", 40: "write", 326: "write", 285: "write",
    2: "open", 257: "open", 85: "open",
    82: "rename", 264: "rename", 316: "rename",
    74: "fsync", 75: "fsync", 76: "truncate", 77: "truncate", 73: "lock",
    57: "fork", 58: "fork", 56: "fork", 435: "fork",
    84: "unlink", 87: "unlink", 263: "unlink", 83: "mkdir", 258: "mkdir",
    86: "link", 265: "link", 88: "link", 266: "link",
    22: "pipe", 293: "pipe", 53: "pipe",
}  # fmt: skip
WAYS: dict[str, tuple[Way, ...]] = {  # what each may meet; a kernel gives no other errors there
    "write": ("kill", "torn", "ENOSPC", "full", "EIO"),
    "open": ("kill", "ENOSPC", "EIO", "EMFILE"),
    "read": ("kill", "EIO", "EMFILE"),  # an open that only reads
    "rename": ("kill", "ENOSPC", "EIO"),
    "fsync": ("kill", "ENOSPC", "EIO"),
    "truncate": ("kill", "EIO"),
    "lock": ("kill", "ENOLCK"),
    "fork": ("kill", "EAGAIN"),
    "unlink": ("kill", "EIO"),
    "mkdir": ("kill", "ENOSPC", "EIO"),
    "link": ("kill", "ENOSPC", "EIO"),
    "pipe": ("kill", "EMFILE"),
}
OF_DESCRIPTORS = {1, 18, 20, 296, 285, 74, 75, 77, 73}  # their first argument is one
SECOND_PATH = {264: 3, 316: 3, 82: 1, 86: 1, 265: 3}  # where the path is that a call makes
PATH_AT = {2: 0, 85: 0, 257: 1, 76: 0, 84: 0, 87: 0, 263: 1, 83: 0, 258: 1, 88: 1, 266: 2, **SECOND_PATH}
AT = {257: 0, 263: 0, 258: 0, 264: 2, 316: 2, 265: 2, 266: 1}  # where the folder's descriptor is that it starts from
NEEDS_SPACE = {"write", "open", "rename", "mkdir", "link"}
CLONE_THREAD = 0x10000
RECEIVE, SEND = 0xC0502100, 0xC0182101
REQUEST, ANSWER = struct.Struct("QIIiIQ6Q"), struct.Struct("QqiI")
GO_ON = 1
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class CallPoint:
    """One of the counted calls: its number, what it does, and to which file."""

    number: int
    kind: str
    file: str


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended.

    Attributes:
        code: its exit code; negative for a signal, None where it did not end in time.
        output: what it wrote to standard output and error.
        points: the calls that were counted, in their order.
        faulted: the call that the fault was put into; None where it did not come.
        seconds: until it ended.
        late: whether processes of its were still there `PATIENCE` seconds later.
    """

    code: int | None
    output: str
    points: tuple[CallPoint, ...]
    faulted: CallPoint | None
    seconds: float
    late: bool


PATIENCE = 10.0  # seconds that processes of a command may outlive it


def run_with_fault(
    work: Callable[[], int], folder: Path, at: int = 0, way: Way = "kill", limit: float = 120.0
) -> CommandEnd:
    """Run a function in a process of its own, with a fault in one call.

    Args:
        work: what is run; its result is the exit code.
        folder: files under it are those that count.
        at: the number of the call, from 1; 0 for none.
        way: what happens there.
        limit: seconds after which everything is killed.
    """
    ours, theirs = socket.socketpair()
    with open(folder.with_name(f"{folder.name}.output"), "w+b") as output:  # noqa: PTH123
        pid = os.fork()
        if not pid:
            _child(work, theirs, ours, output.fileno())
        theirs.close()
        _, (listener, *_), _, _ = socket.recv_fds(ours, 1, 1)
        ours.sendall(b"g")
        ours.close()
        watch = _Watch(listener, folder.resolve(), pid, at, way)
        begun = time.monotonic()
        code = watch.until_end(begun + limit)
        seconds = time.monotonic() - begun
        late = not watch.until_alone(time.monotonic() + PATIENCE)
        os.close(listener)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return CommandEnd(code, text, tuple(watch.points), watch.faulted, seconds, late)


def _child(work: Callable[[], int], line: socket.socket, other: socket.socket, output: int) -> None:
    code = 99
    try:
        os.setsid()
        other.close()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        listener = _listen()
        socket.send_fds(line, [b"f"], [listener])
        os.close(listener)
        line.recv(1)
        line.close()
        code = work()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _listen() -> int:
    """Put this process under the filter; returns the listener."""
    load, equal, give = 0x20, 0x15, 0x06
    wanted = sorted(NUMBERS)
    rules = [(load, 0, 0, 0)]  # the call's number
    rules += [(equal, len(wanted) - place, 0, number) for place, number in enumerate(wanted)]
    rules += [(give, 0, 0, 0x7FFF0000), (give, 0, 0, 0x7FC00000)]  # allow; notify
    code = b"".join(struct.pack("HBBI", *rule) for rule in rules)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(rules), ctypes.addressof(buffer))
    if os.geteuid():
        _libc.prctl(38, 1, 0, 0, 0)  # no new privileges, without which only root may filter
    listener = _libc.syscall(317, 1, 8, ctypes.create_string_buffer(program, len(program)))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp cannot listen here")
    return int(listener)


class _Watch:
    """Answers the calls of one command, whose own process begins a session."""

    def __init__(self, listener: int, folder: Path, pid: int, at: int, way: Way) -> None:
        self._listener, self._folder, self._pid, self._at, self._way = listener, str(folder), pid, at, way
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._full = False
        self._seen: set[int] = set()
        self.points: list[CallPoint] = []
        self.faulted: CallPoint | None = None

    def until_end(self, until: float) -> int | None:
        """Answer until the command's own process ends; its exit code."""
        while True:
            if time.monotonic() > until:
                self._kill_all()
                os.waitpid(self._pid, 0)
                return None
            self._answer_all(20)
            found, status = os.waitpid(self._pid, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)

    def until_alone(self, until: float) -> bool:
        """Answer until no process of the command is left; whether that came in time. Those that stay are killed."""
        while time.monotonic() < until:
            if self._answer_all(20):
                return True
        self._kill_all()
        while not self._answer_all(20):
            pass
        return False

    def _kill_all(self) -> None:
        """Kill those that made a call, and all that come from them: a process that only waits makes none."""
        for one in [*self._seen, *_of_sessions({self._pid, *self._seen})]:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def _answer_all(self, milliseconds: int) -> bool:
        """Answer what waits; True where nobody is left who could call."""
        for _, event in self._poll.poll(milliseconds):
            if event & select.POLLHUP:
                return True
            data = bytearray(REQUEST.size)
            try:
                ioctl(self._listener, RECEIVE, data)
            except OSError as error:  # who called is dead
                if error.errno not in (errno.ENOENT, errno.EINTR):
                    raise
                continue
            id, thread, _, number, _, _, *arguments = REQUEST.unpack(data)
            value, failure, flags = self._decided(thread, number, arguments)
            with suppress(OSError):  # who called is dead
                ioctl(self._listener, SEND, ANSWER.pack(id, value, -failure, flags))
        return False

    def _decided(self, thread: int, number: int, arguments: list[int]) -> tuple[int, int, int]:
        """Result, error, and flags of the answer to a call."""
        try:
            process = _process_of(thread)
            self._seen.add(process)
            kind, file = self._concerned(thread, number, arguments)
        except OSError:
            return 0, 0, GO_ON
        if not kind:
            return 0, 0, GO_ON
        point = CallPoint(len(self.points) + 1, kind, file)
        self.points.append(point)
        if self._full and kind in NEEDS_SPACE:
            return 0, errno.ENOSPC, 0
        if point.number != self._at:
            return 0, 0, GO_ON
        self.faulted = point
        if self._way in ("torn", "full"):
            done = _half_written(thread, process, number, arguments)
            self._full = self._way == "full"
            if self._full:
                return done, 0 if done else errno.ENOSPC, 0
        if self._way in ("kill", "torn"):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            return 0, errno.EINTR, 0
        return 0, int(getattr(errno, self._way)), 0

    def _concerned(self, thread: int, number: int, arguments: list[int]) -> tuple[str, str]:
        """What a call does, and to which file under the folder; nothing where it concerns none."""
        kind = NUMBERS[number]
        if kind == "pipe":
            return kind, ""
        if kind == "fork":
            flags = arguments[0] if number == 56 else _number_at(thread, arguments[0]) if number == 435 else 0
            return ("", "") if flags & CLONE_THREAD else (kind, "")
        if number in PATH_AT:
            name = _text_at(thread, arguments[PATH_AT[number]])
            start = ctypes.c_int(arguments[AT[number]]).value if number in AT else -100
            base = f"/proc/{thread}/cwd" if start == -100 else f"/proc/{thread}/fd/{start}"
            file = name if name.startswith("/") else os.path.normpath(f"{os.readlink(base)}/{name}")  # noqa: PTH115
        else:
            descriptor = arguments[1] if number == 326 else arguments[0]
            place = arguments[2] if number == 326 else descriptor
            file = os.readlink(f"/proc/{thread}/fd/{place}")  # noqa: PTH115
        if not (file == self._folder or file.startswith(self._folder + "/")):
            return "", ""
        if kind == "open":
            flags = os.O_CREAT | os.O_WRONLY if number == 85 else arguments[2 if number == 257 else 1]
            kind = "open" if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) else "read"
        return kind, os.path.relpath(file, self._folder)


def _of_sessions(leaders: Collection[int]) -> Iterator[int]:
    """The processes of these sessions."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            session = file.read_text().rpartition(")")[2].split()[3]
            if int(session) in leaders:
                yield int(file.parent.name)


def _process_of(thread: int) -> int:
    for line in Path(f"/proc/{thread}/status").read_text().splitlines():
        if line.startswith("Tgid:"):
            return int(line.split()[1])
    raise ProcessLookupError(thread)


def _memory(thread: int, place: int, size: int) -> bytes:
    with Path(f"/proc/{thread}/mem").open("rb", buffering=0) as memory:
        memory.seek(place)
        return memory.read(size)


def _text_at(thread: int, place: int) -> str:
    room = 4096 - place % 4096
    found = _memory(thread, place, room)
    if b"\0" not in found:
        found += _memory(thread, place + room, 4096)
    return os.fsdecode(found.partition(b"\0")[0])


def _number_at(thread: int, place: int) -> int:
    return int.from_bytes(_memory(thread, place, 8), "little")


def _half_written(thread: int, process: int, number: int, arguments: list[int]) -> int:
    """Write the first half of what a call would write; how many bytes that is."""
    if number not in (1, 18):
        return 0
    data = _memory(thread, arguments[1], arguments[2] // 2)
    if not data:
        return 0
    pidfd = os.pidfd_open(process)
    try:
        descriptor = _libc.syscall(438, pidfd, arguments[0], 0)  # a copy of theirs, with its place in the file
        if descriptor < 0:
            return 0
        try:
            return os.write(descriptor, data) if number == 1 else os.pwrite(descriptor, data, arguments[3])
        finally:
            os.close(descriptor)
    finally:
        os.close(pidfd)


def points_by_kind(points: Iterator[CallPoint] | tuple[CallPoint, ...]) -> dict[str, int]:
    """How many calls of each kind there are."""
    found: dict[str, int] = {}
    for point in points:
        found[point.kind] = found.get(point.kind, 0) + 1
    return dict(sorted(found.items()))
