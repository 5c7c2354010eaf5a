"""The rights that a kernel gives up before any code runs. Sent as text behind `inside`, as a part of it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct

TYPE_CHECKING = False  # what is imported here is waited for at every start, so it is little
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

MOUNT_SETATTR = 442
LANDLOCK = {"create": 444, "add": 445, "restrict": 446}


class LimitRefused(Exception):
    """A limit could not be set."""


def _must(done: int, what: str) -> int:
    if done < 0:
        raise LimitRefused(f"{what}: {os.strerror(ctypes.get_errno())}")
    return done


def landlock_abi(libc: ctypes.CDLL) -> int:
    """The version of Landlock here; 0 where there is none."""
    return max(0, int(libc.syscall(LANDLOCK["create"], None, ctypes.c_size_t(0), 1)))


def confine(libc: ctypes.CDLL, how: Json) -> None:
    """Give up everything that the host's confinement names. The order matters: each step needs what a later one takes.

    Raises:
        LimitRefused: a step failed; nothing may run then.
    """
    # Mounts first, as they need a capability that is dropped below; the filter last, as it refuses what the steps
    # before call.
    for path in how["sealed"]:
        read_only = struct.pack("<4Q", 1, 0, 0, 0)  # struct mount_attr: set MOUNT_ATTR_RDONLY
        done = libc.syscall(MOUNT_SETATTR, -100, path.encode(), 0, read_only, ctypes.c_size_t(len(read_only)))
        _must(done, f"read-only mount of {path}")
    scratch = how["scratch"]
    if scratch is not None:
        options = f"size={scratch['bytes']},nr_inodes={scratch['files']},mode=0700".encode()
        flags = ctypes.c_ulong(2 | 4 | 8)  # MS_NOSUID, MS_NODEV, MS_NOEXEC
        _must(libc.mount(b"tmpfs", scratch["path"].encode(), b"tmpfs", flags, options), "mount of the scratch folder")
    os.chdir(how["folder"])
    for name, value in how["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    resource.setrlimit(resource.RLIMIT_CPU, (how["cpu"], how["cpu"] + 1))  # the first sends a signal, the second kills
    no = ctypes.c_ulong(0)
    # Linux lets an ordinary process restrict itself by Landlock and seccomp only then; setuid programs gain nothing
    # either.
    _must(libc.prctl(38, ctypes.c_ulong(1), no, no, no), "no new privileges")  # PR_SET_NO_NEW_PRIVS
    _drop_capabilities(libc)
    _must(libc.prctl(1, ctypes.c_ulong(signal.SIGKILL), no, no, no), "death with the parent")  # PR_SET_PDEATHSIG
    _must(libc.prctl(4, no, no, no, no), "no core dumps")  # PR_SET_DUMPABLE
    if how["landlock"] is not None:
        _landlock(libc, how["landlock"])
    if how["seccomp"] is not None:
        _seccomp(libc, bytes.fromhex(how["seccomp"]))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    no = ctypes.c_ulong(0)
    for capability in range(64):  # beyond the last one the kernel says no, and so it does without the right to drop
        libc.prctl(24, ctypes.c_ulong(capability), no, no, no)  # PR_CAPBSET_DROP
    libc.prctl(47, ctypes.c_ulong(4), no, no, no)  # PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL
    header = struct.pack("<Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    _must(libc.capset(header, b"\0" * 24), "drop of all capabilities")


def _landlock(libc: ctypes.CDLL, how: Json) -> None:
    attributes = struct.pack("<QQQ", how["files"], how["net"], how["scoped"])[: how["size"]]
    ruleset = _must(libc.syscall(LANDLOCK["create"], attributes, ctypes.c_size_t(len(attributes)), 0), "Landlock")
    for path, rights in how["rules"]:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("<Qi", rights, beneath)
        _must(libc.syscall(LANDLOCK["add"], ruleset, 1, rule, 0), f"Landlock rule for {path}")
        os.close(beneath)
    _must(libc.syscall(LANDLOCK["restrict"], ruleset, 0), "Landlock")
    os.close(ruleset)


def _seccomp(libc: ctypes.CDLL, program: bytes) -> None:
    held = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    no = ctypes.c_ulong(0)
    _must(libc.prctl(22, ctypes.c_ulong(2), filter_, no, no), "seccomp")  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
