"""The filter, run by a small machine of this file's own, against what the table says; the numbers against Linux's."""

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.sandbox.seccomp import ALLOW, ARCHITECTURES, DONE, KILL, REFUSE, UNKNOWN, checks, program, syscall_table
from tests import needs

PID = 4242
NUMBERS = st.integers(0, 600) | st.integers(0, 2**32 - 1)
ARGUMENT = st.sampled_from(
    [0, 1, 2, 4, 6, 7, 9, 21, 0x80, 0x81, PID, 2**32 + 7, 2**32 + PID, 0x5412, 0x541B, 1030, 2**64 - 1]
) | st.integers(0, 2**64 - 1)
HEADERS = {
    "x86_64": (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), r"#define __NR_(\w+) (\d+)"),
    "aarch64": (Path("/usr/include/asm-generic/unistd.h"), r"#define __NR(?:3264)?_(\w+)\s+(\d+)"),
}
OTHER_NAMES = {"newfstatat": "fstatat"}  # in the generic header
UNCONDITIONAL = {"always", "scratch"}


def run(code: bytes, number: int, architecture: int, arguments: tuple[int, ...]) -> int:
    """What a filter answers (Documentation/networking/filter.rst: the instructions that it may hold)."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments)
    accumulator, at = 0, 0
    while True:
        op, then, otherwise, constant = struct.unpack_from("<HBBI", code, 8 * at)
        at += 1
        if op == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, constant)
        elif op == 0x15:
            at += then if accumulator == constant else otherwise
        elif op == 0x35:
            at += then if accumulator >= constant else otherwise
        elif op == 0x54:
            accumulator &= constant
        elif op == 0x06:
            return int(constant)
        else:
            raise AssertionError(f"no instruction {op:#x}")


def expected(machine: str, number: int, arguments: tuple[int, ...], scratch: bool) -> int:
    """What the table says."""
    if number >= 0x40000000:
        return KILL
    for entry in syscall_table():
        if entry.numbers.get(machine) == number:
            if entry.when == "unknown":
                return UNKNOWN
            if entry.when == "answered" or (entry.name == "fcntl" and arguments[1] & 0xFFFFFFFF in (6, 7)):
                return DONE  # Linux takes the command of fcntl as an unsigned int: its upper half means nothing
            if entry.when == "scratch" and not scratch:
                return REFUSE
            wanted = checks(PID).get(entry.name, ())
            held = [
                arguments[one.argument] >> 32 == 0 and arguments[one.argument] & one.mask in one.values
                for one in wanted
            ]
            return ALLOW if all(held) else REFUSE
    return REFUSE


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("scratch", [True, False])
@given(number=NUMBERS, arguments=st.tuples(*[ARGUMENT] * 6))
def test_the_filter_does_what_the_table_says(
    machine: str, scratch: bool, number: int, arguments: tuple[int, ...]
) -> None:
    code = program(machine, PID, scratch)
    assert run(code, number, ARCHITECTURES[machine], arguments) == expected(machine, number, arguments, scratch)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_number_there_is(machine: str) -> None:
    code = program(machine, PID, scratch=True)
    for number in range(1000):
        for arguments in ((0,) * 6, (PID, 0, 0, 0, 0, 0), (1, 1, 0, 0, 0, 0)):
            assert run(code, number, ARCHITECTURES[machine], arguments) == expected(machine, number, arguments, True)


def test_another_architecture_kills() -> None:
    for machine in ARCHITECTURES:
        code = program(machine, PID, scratch=True)
        for other in (0x40000003, 0xC000003E, 0xC00000B7):  # i386, x86-64, aarch64
            answer = run(code, 20, other, (0,) * 6)
            assert (answer == KILL) == (other != ARCHITECTURES[machine])


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_numbers_are_linuxs(machine: str) -> None:
    header, pattern = HEADERS[machine]
    if not header.exists():
        pytest.skip(needs.HEADERS)
    numbers = {name: int(number) for name, number in re.findall(pattern, header.read_text())}
    for entry in syscall_table():
        if machine in entry.numbers:
            known = numbers.get(OTHER_NAMES.get(entry.name, entry.name), numbers.get(entry.name))
            assert entry.numbers[machine] == known, entry.name


def test_what_must_never_be_in_it() -> None:
    never = {
        "clone",
        "fork",
        "vfork",
        "execve",
        "execveat",
        "ptrace",
        "process_vm_readv",
        "process_vm_writev",
        "socket",
    }
    never |= {"connect", "bind", "mount", "unshare", "setns", "bpf", "io_uring_setup", "keyctl", "perf_event_open"}
    never |= {
        "prctl",
        "seccomp",
        "memfd_create",
        "shmget",
        "pidfd_open",
        "tkill",
        "rt_sigqueueinfo",
        "sendmsg",
        "mknod",
        "fadvise64",
        "timer_create",
        "inotify_init1",
    }
    assert not never & {entry.name for entry in syscall_table()}
    assert {entry.name for entry in syscall_table() if entry.when == "checked"} == set(checks(PID))
    assert {entry.when for entry in syscall_table()} == {"always", "scratch", "checked", "unknown", "answered"}


def test_it_fits_what_linux_takes() -> None:
    for machine in ARCHITECTURES:
        assert len(program(machine, PID, scratch=True)) // 8 <= 4096  # BPF_MAXINSNS
