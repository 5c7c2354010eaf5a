"""The system calls that a kernel may make, as a seccomp filter.

An allow list: whatever is not in `syscalls.csv` is refused with EPERM, so an unforeseen system call is
refused too. `clone` is not in it, so there are no processes and no threads. The program is classic BPF (Linux,
Documentation/userspace-api/seccomp_filter.rst), written by the small assembler below.

Marks in the table: `always`; `scratch` where there is a folder to write to; `checked` where the arguments decide (see
`checks`); `unknown` is refused with ENOSYS, so that the C library takes its older way. Numbers are from Linux's
headers; an empty one does not exist on that machine.
"""

from __future__ import annotations

import csv
import errno
import functools
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*; both are little-endian
KILL, ALLOW = 0x80000000, 0x7FFF0000
REFUSE, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16  # in struct seccomp_data
X32 = 0x40000000  # numbers of x86-64's second interface begin here


class BpfInstruction(NamedTuple):
    """One instruction of classic BPF: what, how far to jump if so and if not, and its constant."""

    code: int
    then: int = 0
    otherwise: int = 0
    constant: int = 0


class ArgumentCheck(NamedTuple):
    """What an argument must be: one of these values, in the bits of the mask."""

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFFFFFF


class SyscallEntry(NamedTuple):
    """A row of the table."""

    name: str
    numbers: Mapping[str, int]
    when: str


@functools.cache
def syscall_table() -> tuple[SyscallEntry, ...]:
    """The known system calls."""
    text = Path(__file__).with_name("syscalls.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(
        SyscallEntry(row["name"], {one: int(row[one]) for one in ARCHITECTURES if row[one]}, row["when"])
        for row in rows
    )


def checks(pid: int) -> dict[str, tuple[ArgumentCheck, ...]]:
    """What the arguments of the checked calls must be.

    No signal reaches another process, neither by `kill` nor by `fcntl` (an owner and a signal of input could be set,
    F_SETOWN and F_SETSIG); limits are those of this process; the only sockets are unnamed pairs, which `asyncio` needs.
    """
    return {
        "kill": (ArgumentCheck(0, (pid,)),),
        "tgkill": (ArgumentCheck(0, (pid,)),),
        "prlimit64": (ArgumentCheck(0, (0, pid)),),
        # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC, F_GETPIPE_SZ
        "fcntl": (ArgumentCheck(1, (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032)),),
        # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
        "ioctl": (ArgumentCheck(1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),),
        "socketpair": (ArgumentCheck(0, (1,)), ArgumentCheck(1, (1,), mask=0xF)),  # AF_UNIX, SOCK_STREAM
        "sendto": (ArgumentCheck(4, (0,)),),  # to no address
    }


def program(machine: str, pid: int, scratch: bool) -> bytes:
    """The filter for a process, ready to be set.

    Args:
        machine: as `uname -m` names it.
        pid: the process's id as it sees it.
        scratch: whether there is a folder to write to.

    Raises:
        KeyError: the numbers of this machine are not known.
    """
    architecture = ARCHITECTURES[machine]
    code = [
        BpfInstruction(LOAD, constant=ARCHITECTURE_AT),
        BpfInstruction(EQUAL, 1, 0, architecture),
        BpfInstruction(RETURN, constant=KILL),
        BpfInstruction(LOAD, constant=NUMBER_AT),
        BpfInstruction(AT_LEAST, 0, 1, X32),
        BpfInstruction(RETURN, constant=KILL),
    ]
    checked = checks(pid)
    for entry in syscall_table():
        if machine in entry.numbers and (scratch or entry.when != "scratch"):
            answer = UNKNOWN if entry.when == "unknown" else ALLOW
            body = [*_checked(checked.get(entry.name, ())), BpfInstruction(RETURN, constant=answer)]
            code += [BpfInstruction(EQUAL, 0, len(body), entry.numbers[machine]), *body]
    code.append(BpfInstruction(RETURN, constant=REFUSE))
    return assembled(code)


def assembled(code: Iterable[BpfInstruction]) -> bytes:
    """The statements as the kernel reads them (struct sock_filter)."""
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def _checked(given: Sequence[ArgumentCheck]) -> list[BpfInstruction]:
    """Statements that refuse unless every check holds; otherwise they continue after their end."""
    code: list[BpfInstruction] = []
    for check in given:
        at = ARGUMENTS_AT + 8 * check.argument
        code += [
            BpfInstruction(LOAD, constant=at + 4),  # the upper half
            BpfInstruction(EQUAL, 1, 0, 0),
            BpfInstruction(RETURN, constant=REFUSE),
            BpfInstruction(LOAD, constant=at),
            BpfInstruction(AND, constant=check.mask),
        ]
        rest = len(check.values)
        for value in check.values:
            code.append(BpfInstruction(EQUAL, rest, 0, value))
            rest -= 1
        code.append(BpfInstruction(RETURN, constant=REFUSE))
    return code
