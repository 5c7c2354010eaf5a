"""The system calls that a kernel may make, as a seccomp filter.

An allow list: whatever is not in `syscalls.csv` is refused with EPERM, so an unforeseen system call is
refused too. `clone` is not in it, so there are no processes and no threads. The program is classic BPF (Linux,
Documentation/userspace-api/seccomp_filter.rst), written by the small assembler below.

Marks in the table: `always`; `scratch` where there is a folder to write to; `checked` where the arguments decide (see
`checks`); `unknown` is refused with ENOSYS, so that the C library takes its older way; `answered` never reaches Linux
and is answered that all went well. `takes` is the form of the arguments, with which the call is tried on what is shared
(`allowed_calls`). Numbers are from Linux's headers; an empty one does not exist on that machine.

Locks are answered so (`flock`, and those of `fcntl`): on a file that several kernels share they would hold up the
others and carry word between them, while one process without children never meets a lock of its own on the files of its
scratch folder. SQLite works there as it should.
"""

from __future__ import annotations

import errno
import functools
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sealegs.faults.csv_tables import table_rows

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*; both are little-endian
KILL, ALLOW = 0x80000000, 0x7FFF0000
REFUSE, UNKNOWN, DONE = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS, 0x00050000
ANSWERS = {"unknown": UNKNOWN, "answered": DONE}
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
    """The condition on an argument: one of these values, in the bits of the mask."""

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFFFFFF


class SyscallEntry(NamedTuple):
    """A row of the table."""

    name: str
    numbers: Mapping[str, int]
    when: str
    takes: str


@functools.cache
def syscall_table() -> tuple[SyscallEntry, ...]:
    """The known system calls."""
    text = Path(__file__).with_name("syscalls.csv").read_text(encoding="utf-8")
    rows = table_rows(text)
    return tuple(
        SyscallEntry(row["name"], {one: int(row[one]) for one in ARCHITECTURES if row[one]}, row["when"], row["takes"])
        for row in rows
    )


def checks(pid: int) -> dict[str, tuple[ArgumentCheck, ...]]:
    """The conditions on the arguments of the checked calls.

    No signal reaches another process, neither by `kill` nor by `fcntl` (an owner and a signal of input could be set,
    F_SETOWN and F_SETSIG); limits are those of this process; the only sockets are unnamed pairs, which `asyncio` needs.
    Nobody is woken at a page of a shared file, and no page of one is put out of the machine's memory. A socket does not
    tell the number of its network namespace (SO_NETNS_COOKIE), by which a kernel could count those of the machine.
    """
    return {
        "kill": (ArgumentCheck(0, (pid,)),),
        "tgkill": (ArgumentCheck(0, (pid,)),),
        "prlimit64": (ArgumentCheck(0, (0, pid)),),
        # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_DUPFD_CLOEXEC, F_GETPIPE_SZ
        "fcntl": (ArgumentCheck(1, (0, 1, 2, 3, 4, 5, 1030, 1032)),),
        "futex": (ArgumentCheck(1, (0x80,), mask=0x80),),  # FUTEX_PRIVATE_FLAG
        # MADV_NORMAL, RANDOM, SEQUENTIAL, WILLNEED, DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE
        "madvise": (ArgumentCheck(2, (0, 1, 2, 3, 4, 8, 14, 15)),),
        # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
        "ioctl": (ArgumentCheck(1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),),
        "socketpair": (ArgumentCheck(0, (1,)), ArgumentCheck(1, (1,), mask=0xF)),  # AF_UNIX, SOCK_STREAM
        "sendto": (ArgumentCheck(4, (0,)),),  # to no address
        # SO_TYPE, ERROR, SNDBUF, RCVBUF, LINGER, RCVTIMEO, SNDTIMEO, ACCEPTCONN, PROTOCOL, DOMAIN of SOL_SOCKET
        "getsockopt": (ArgumentCheck(1, (1,)), ArgumentCheck(2, (3, 4, 7, 8, 13, 20, 21, 30, 38, 39))),
    }


LOCKS = ArgumentCheck(1, (6, 7))  # of fcntl: F_SETLK, F_SETLKW


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
        # First, because a number means another call on another architecture (a 32-bit one on x86-64).
        BpfInstruction(LOAD, constant=ARCHITECTURE_AT),
        BpfInstruction(EQUAL, 1, 0, architecture),
        BpfInstruction(RETURN, constant=KILL),
        BpfInstruction(LOAD, constant=NUMBER_AT),
        # The second interface has the same calls under other numbers, past all that is checked below.
        BpfInstruction(AT_LEAST, 0, 1, X32),
        BpfInstruction(RETURN, constant=KILL),
    ]
    checked = checks(pid)
    for entry in syscall_table():
        if machine in entry.numbers and (scratch or entry.when != "scratch"):
            body = _answered(LOCKS) if entry.name == "fcntl" else []
            body += _checked(checked.get(entry.name, ()))
            body.append(BpfInstruction(RETURN, constant=ANSWERS.get(entry.when, ALLOW)))
            code += [BpfInstruction(EQUAL, 0, len(body), entry.numbers[machine]), *body]
    code.append(BpfInstruction(RETURN, constant=REFUSE))
    return assembled(code)


def assembled(code: Iterable[BpfInstruction]) -> bytes:
    """The statements as the kernel reads them (struct sock_filter)."""
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def _answered(check: ArgumentCheck) -> list[BpfInstruction]:
    """Statements that say that all went well where the check holds; otherwise they continue after their end.

    Linux takes no more than the lower half of such a number; `_checked` refuses what has an upper half.
    """
    code = [BpfInstruction(LOAD, constant=ARGUMENTS_AT + 8 * check.argument)]
    for value in check.values:
        code += [BpfInstruction(EQUAL, 0, 1, value), BpfInstruction(RETURN, constant=DONE)]
    return code


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
