"""The confinement of a kernel before any code runs: limits, Landlock, seccomp, the scratch folder.

Decided here, done inside (`inside_confinement.confine`). Not covered: namespaces, which are the launcher's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.sandbox import seccomp
from sealegs.sandbox.limits import MIB, Limits

READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
WRITE = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13 | 1 << 14  # no devices, sockets, pipes
FILES_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # LANDLOCK_ACCESS_FS_*
NET = 0b11  # LANDLOCK_ACCESS_NET_*: bind and connect, from ABI 4
SCOPED = 0b11  # LANDLOCK_SCOPE_*: abstract sockets and signals, from ABI 6
STACK = 8 * MIB


class Unsupported(Exception):
    """The machine cannot confine a kernel; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Handshake:
    """The first message of a kernel, about its machine."""

    machine: str
    pid: int
    landlock: int


@dataclass(frozen=True, slots=True)
class KernelEnvironment:
    """The place that a kernel runs in.

    Attributes:
        folder: its working folder.
        scratch: whether a scratch folder is to be mounted there.
        readable: files, and folders with all that is in them, that it may read.
        listed: folders whose names alone it may read.
        sealed: mounts, of devices, that are to become read-only: they can be written to then, but not changed.
        contained: the place keeps the code in by itself: nothing is mounted, and Landlock is used where there is one.
    """

    folder: str
    scratch: bool
    readable: Sequence[str]
    listed: Sequence[str] = ()
    sealed: Sequence[str] = ()
    contained: bool = False


def confinement(hello: Handshake, ground: KernelEnvironment, limits: Limits) -> dict[str, Any]:
    """Everything that a kernel has to give up.

    Raises:
        Unsupported: the machine lacks seccomp numbers or Landlock.
    """
    if hello.machine not in seccomp.ARCHITECTURES:
        known = " and ".join(seccomp.ARCHITECTURES)
        raise Unsupported(f"the system calls of {hello.machine} are not known (only of {known})")
    if hello.landlock < 1 and not ground.contained:
        raise Unsupported("this Linux has no Landlock (it came with 5.13 and may be switched off)")
    scratch = {"path": ground.folder, "bytes": limits.scratch, "files": limits.scratch_files + 1}
    return {
        "folder": ground.folder,
        "sealed": list(ground.sealed),
        "scratch": scratch if ground.scratch and not ground.contained else None,
        "limits": {
            "RLIMIT_AS": limits.memory,
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": limits.scratch,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
            "RLIMIT_NOFILE": limits.files,
            "RLIMIT_NPROC": 1,
            "RLIMIT_SIGPENDING": 0,  # those of the user's processes together; timers and plain signals need none
            "RLIMIT_STACK": STACK,
        },
        "cpu": limits.cpu_seconds,
        "landlock": _landlock(hello.landlock, ground) if hello.landlock else None,
        "seccomp": seccomp.program(hello.machine, hello.pid, ground.scratch).hex(),
        "output": limits.output,
        "message": limits.message,
    }


def _landlock(abi: int, ground: KernelEnvironment) -> dict[str, Any]:
    # Landlock refuses a ruleset with rights that its version does not know.
    handled = FILES_BY_ABI[max(known for known in FILES_BY_ABI if known <= abi)]
    reading = READ_FILE | READ_FOLDER
    rules = [(path, READ_FOLDER) for path in ground.listed]
    rules += [(path, reading if path.endswith("/") else READ_FILE) for path in ground.readable]
    if ground.scratch:
        rules.append((ground.folder, (reading | WRITE) & handled))
    # 1 << 1 is the right to write to a file: nothing beside the scratch folder can be written to but this.
    rules.append(("/dev/null", READ_FILE | 1 << 1))
    return {
        "files": handled,
        "net": NET if abi >= 4 else 0,
        "scoped": SCOPED if abi >= 6 else 0,
        # Linux knows the struct's version by its size: each of its fields has 8 bytes, and versions 4 and 6 each added
        # one.
        "size": 24 if abi >= 6 else 16 if abi >= 4 else 8,
        "rules": rules,
    }
