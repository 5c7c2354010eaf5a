"""Guards that others back, each left alone: it stops an attempt by itself, which succeeds once it is gone too.

Where a guard is taken away from the whole sandbox, the one behind it stops the attempt, and nobody sees what the first
was worth. So everything else is taken away here. Capabilities and the user and uts namespaces are tried on a
machine of their own (`test_mutants.py`), since what succeeds without them changes it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.sandbox import Limits, launching
from sealegs.sandbox.confinement import Handshake
from sealegs.sandbox.escapes import Escape, EscapeVerdict, escapes, try_escape
from sealegs.sandbox.launching import Bare
from sealegs.sandbox.python_files import python_files
from tests import needs
from tests.sandbox.places import Unconfined, Without, place

MIB = 1 << 20
ESCAPES = {escape.name: escape for escape in escapes()}
CORE_FILES = Path("/proc/sys/kernel/core_pattern")


# Each with an attempt, and a limit under which it succeeds.
LIMITS: dict[str, tuple[str, int]] = {
    "RLIMIT_CORE": (
        """
def core():
    libc.prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, which is the guard before this one
    child = os.fork()
    if child == 0:
        os.abort()
    return os.WCOREDUMP(os.waitpid(child, 0)[1]) or 1 / 0
attempt("it", core)
""",
        MIB,
    ),
    "RLIMIT_MEMLOCK": (
        """
here = ctypes.create_string_buffer(4096)
attempt("it", lambda: syscall(149, 228, here, 4096))
""",
        MIB,
    ),
    "RLIMIT_MSGQUEUE": (
        """
name = f"sealegs-{os.getpid()}".encode()
attempt("it", lambda: (syscall(240, 180, name, 0o102, 0o600, 0), syscall(241, 181, name)))
""",
        500_000,
    ),
    "RLIMIT_NPROC": (
        """
def child():
    made = os.fork()
    if made == 0:
        os._exit(0)
    return os.waitpid(made, 0)
attempt("it", child)
""",
        10_000,
    ),
    "RLIMIT_STACK": (
        """
sys.setrecursionlimit(10**6)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
deeper = kind(lambda left: deeper(left - 1) if left else 0)  # each call takes some of the stack of C
attempt("it", lambda: deeper(40_000))
""",
        256 * MIB,
    ),
}


def tried(folder: Path, limit: str, value: int) -> EscapeVerdict:
    """The verdict on an attempt that only this limit can stop."""
    if limit == "RLIMIT_NPROC" and os.getuid() == 0:
        pytest.skip(needs.NOT_ROOT)  # Linux does not count the processes of root
    if limit == "RLIMIT_CORE" and CORE_FILES.read_text(encoding="utf-8").strip() != "core":
        pytest.skip(needs.CORE_FILES)
    escape = Escape(
        name="lone",
        tries="",
        code=LIMITS[limit][0],
        says="REFUSED it|killed by signal 11",
        stopped="",
        ends=("finished", "died"),
    )
    return try_escape(Unconfined({limit: value}, folder), escape)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_stops_by_itself(tmp_path: Path, limit: str) -> None:
    place("weak")
    set_limits = Bare().confinement(Handshake(os.uname().machine, 1, 1), Limits())["limits"]
    assert not tried(tmp_path, limit, set_limits[limit]).why


@pytest.mark.parametrize("limit", LIMITS)
def test_without_the_limit_it_succeeds(tmp_path: Path, limit: str) -> None:
    place("weak")
    verdict = tried(tmp_path, limit, LIMITS[limit][1])
    assert any(why.startswith("ESCAPED it") for why in verdict.why), verdict


@pytest.fixture
def sharing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bubblewrap that makes all namespaces but one."""
    left_out = {f"--unshare-{request.param}"} | ({"--as-pid-1"} if request.param == "pid" else set())
    words = tuple(word for word in launching._wrapping(python_files()) if word not in left_out)
    monkeypatch.setattr(launching, "_wrapping", lambda python: words)


SEGMENT = Escape(
    name="segment",
    tries="attach a segment of shared memory that a process of the host made",
    code='attempt("it", lambda: syscall(29, 194, 0x5EA1E65, 4096, 0))',
    says="REFUSED it",
    stopped="ipc namespace",
)
BY_NAMESPACE = [
    ("net", ESCAPES["tcp"]),
    ("net", ESCAPES["abstract-socket"]),
    ("pid", ESCAPES["other-processes"]),
    ("ipc", SEGMENT),
]
IDS = [f"{name}-{escape.name}" for name, escape in BY_NAMESPACE]


@pytest.fixture
def segment() -> Iterator[None]:
    """A segment of shared memory, with the key that the attempt knows."""
    libc = ctypes.CDLL(None, use_errno=True)
    made = libc.shmget(0x5EA1E65, 4096, 0o1666)
    assert made >= 0, os.strerror(ctypes.get_errno())
    yield
    libc.shmctl(made, 0, None)  # IPC_RMID


@pytest.mark.usefixtures("segment")
@pytest.mark.parametrize("escape", [escape for _, escape in BY_NAMESPACE], ids=IDS)
def test_a_namespace_stops_by_itself(escape: Escape) -> None:
    assert reached(try_escape(Without("bubblewrap", "landlock", "seccomp"), escape)) == []


@pytest.mark.usefixtures("segment", "sharing")
@pytest.mark.parametrize(("sharing", "escape"), BY_NAMESPACE, indirect=["sharing"], ids=IDS)
def test_without_the_namespace_it_succeeds(escape: Escape) -> None:
    assert reached(try_escape(Without("bubblewrap", "landlock", "seccomp"), escape))


def reached(verdict: EscapeVerdict) -> list[str]:
    """What of the host was reached, as the attempt says; its own parts may succeed, such as making a socket."""
    return [why for why in verdict.why if why.startswith("ESCAPED") and "v6" not in why and "parent" not in why]


@pytest.mark.parametrize(
    "name", ["proc-memory", "database", "package", "system-files", "secret-file", "change-outside"]
)
def test_without_landlock_and_what_backs_it_it_succeeds(name: str) -> None:
    assert try_escape(Without("weak", "landlock", "seccomp"), ESCAPES[name]).escaped
