"""Which isolation is found and reported, what is refused; other users, other places; kernels kept warm."""

import errno
import os
import select
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.user_error import UserError
from sealegs.sandbox import Isolation, Kernel, Launcher, Limits, Pool, StartFailed, available_isolation
from sealegs.sandbox.confinement import Handshake, KernelEnvironment, Unsupported, confinement
from sealegs.sandbox.launching import PYTHON, Bare
from sealegs.sandbox.process import KernelProcess, spawn
from tests import needs
from tests.sandbox.places import place

SOURCE = Path(__file__).parents[2] / "src"
TRY = """
import sys
from sealegs.sandbox import Kernel, find_isolation, launcher
from sealegs.sandbox.available_isolation import weakest
from sealegs.sandbox.escapes import escapes, try_escape
print(find_isolation().name)
for place in (launcher(allow_weak=True), weakest()):
    for escape in escapes():
        if escape.name in sys.argv[1:]:
            print(place.isolation.name, escape.name, try_escape(place, escape).why)
"""


@pytest.fixture
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Any:
    yield
    monkeypatch.undo()
    available_isolation._tried.cache_clear()


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str = "") -> None:
    """No bubblewrap in the path, or one that does what the script says."""
    available_isolation._tried.cache_clear()
    monkeypatch.setenv("PATH", str(folder))
    if script:
        program = folder / "bwrap"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)


@pytest.mark.usefixtures("_fresh")
def test_without_bubblewrap_it_is_weak_and_must_be_allowed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place("weak")
    without_bubblewrap(monkeypatch, tmp_path)
    assert available_isolation.find_isolation().name == "weak"
    assert "bubblewrap (bwrap) is not installed" in available_isolation.find_isolation().words
    assert available_isolation.find_isolation().words.startswith("WEAK")
    with pytest.raises(UserError, match="--allow-weak-sandbox"):
        available_isolation.launcher()
    with Kernel(available_isolation.launcher(allow_weak=True)) as kernel:
        assert kernel.isolation.name == "weak"
        assert kernel.start().run("1 + 1").output == "2\n"


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'bwrap: No permissions to create a new namespace' >&2; exit 1", "No permissions to create"),
        ("exit 0", "ended by itself with status 0"),
        ("kill -9 $$", "it was killed by signal 9"),
    ],
)
def test_a_bubblewrap_that_does_not_work_is_found_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, message: str
) -> None:
    place("weak")
    without_bubblewrap(monkeypatch, tmp_path, script)
    found = available_isolation.find_isolation()
    assert found.name == "weak"
    assert "bubblewrap does not work here" in found.missing
    assert message in found.missing


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize(
    ("hello", "message"),
    [
        (Handshake("riscv64", 1, 7), "system calls of riscv64 are not known"),
        (Handshake("x86_64", 1, 0), "no Landlock"),
    ],
)
def test_with_nothing_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hello: Handshake, message: str
) -> None:
    place("weak")
    without_bubblewrap(monkeypatch, tmp_path)
    honest = Bare.confinement
    monkeypatch.setattr(Bare, "confinement", lambda self, _, limits: honest(self, hello, limits))
    assert available_isolation.find_isolation().name == "none"
    for allow_weak in (False, True):
        with pytest.raises(UserError, match=message):
            available_isolation.launcher(allow_weak)
    with pytest.raises(UserError, match=message):
        available_isolation.weakest()


@pytest.mark.usefixtures("_fresh")
def test_a_passing_want_says_nothing_of_the_isolation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that went on with weaker isolation would be another run, and its folder would refuse the next one."""
    found = available_isolation.find_isolation()
    available_isolation._tried.cache_clear()
    with monkeypatch.context() as starved:
        starved.setattr(os, "pipe", lambda: (_ for _ in ()).throw(OSError(errno.EMFILE, "Too many open files")))
        with pytest.raises(OSError, match="Too many open files"):
            available_isolation.find_isolation()
    assert available_isolation.find_isolation() == found


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize("failure", ["kill -9 $$", "echo 'bwrap: Creating new namespace failed' >&2; exit 1"])
def test_a_bubblewrap_that_fails_once_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: str
) -> None:
    """A process that was not to be had for a moment must not change what a run measures."""
    place("bubblewrap")
    failed = tmp_path / "failed"
    real = shutil.which("bwrap")
    without_bubblewrap(monkeypatch, tmp_path, f'[ -e {failed} ] && exec {real} "$@"; : >{failed}; {failure}')
    assert available_isolation.find_isolation().name == "bubblewrap"
    assert failed.exists()


def test_what_a_machine_cannot_do_is_reported() -> None:
    ground = KernelEnvironment("/", scratch=False, readable=[])
    with pytest.raises(Unsupported, match="riscv64"):
        confinement(Handshake("riscv64", 1, 7), ground, Limits())
    old = confinement(Handshake("aarch64", 1, 1), ground, Limits())["landlock"]
    assert (old["size"], old["net"], old["scoped"], old["files"]) == (8, 0, 0, 0x1FFF)
    new = confinement(Handshake("aarch64", 1, 99), ground, Limits())["landlock"]
    assert (new["size"], new["net"], new["scoped"], new["files"]) == (24, 3, 3, 0xFFFF)


def test_a_confinement_that_fails_stops_the_start() -> None:
    class Odd(Bare):
        def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
            return {**super().confinement(hello, limits), "scratch": {"path": "/nowhere", "bytes": 1, "files": 1}}

    place("weak")
    with Kernel(Odd()) as kernel, pytest.raises(StartFailed, match="mount of the scratch folder"):
        kernel.start()
    assert not kernel.alive


def test_the_isolation_is_plain_in_words() -> None:
    assert Isolation("bubblewrap", ("a", "b")).words == "strong: namespaces of its own by bubblewrap (a, b)"
    assert Isolation("none", (), "no Linux").words == "NONE: nothing here can keep hostile code in; no Linux"


@pytest.mark.parametrize("name", ["memory", "files", "seconds", "message"])
def test_limits_that_cannot_be(name: str) -> None:
    with pytest.raises(UserError, match=name):
        Limits(**{name: 1 if name != "seconds" else 0})
    with pytest.raises(UserError, match=r"grace=-1.*memory=1 is too little"):
        Limits(grace=-1, memory=1)


@pytest.mark.skipif(os.getuid() != 0, reason=needs.ROOT)
def test_an_unprivileged_user() -> None:
    """The same list of escapes for `nobody`, under both isolations."""
    pydantic = find_spec("pydantic")
    assert pydantic is not None
    assert pydantic.origin is not None
    paths = f"{SOURCE}:{Path(pydantic.origin).parents[1]}"
    pythons = (sys.executable, f"/usr/bin/python3.{sys.version_info[1]}")
    python = next((one for one in pythons if usable(one, paths)), None)
    if python is None:
        pytest.skip(needs.USABLE_PYTHON)
    names = [
        "proc-memory",
        "kill-all",
        "write-outside",
        "fork-bomb",
        "fill-inodes",
        "become-root",
        "tcp",
        "secret-file",
    ]
    command = ["runuser", "-u", "nobody", "--", "env", f"PYTHONPATH={paths}", python, "-c", TRY, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, cwd="/")
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first == ("bubblewrap" if available_isolation.find_isolation().name == "bubblewrap" else "weak")
    assert len(lines) == 2 * len(names)
    assert all(line.endswith(" ()") for line in lines), lines


def usable(python: str, paths: str) -> bool:
    """Whether `nobody` can run this Python with what it imports."""
    if shutil.which("runuser") is None:
        return False
    program = ["runuser", "-u", "nobody", "--", "env", f"PYTHONPATH={paths}", python, "-c", "import pydantic, sealegs"]
    return subprocess.run(program, capture_output=True, cwd="/").returncode == 0


class Elsewhere:
    """A launcher as somebody else might write it: the same kernel in another place, which keeps it in by itself."""

    isolation = Isolation("elsewhere", ("a container",))

    def launch(self, limits: Limits) -> KernelProcess:
        return spawn(["env", "-i", sys.executable, *PYTHON], {"PATH": os.environ["PATH"]})

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        ground = KernelEnvironment("/", scratch=False, readable=["/"])
        return {**confinement(hello, ground, limits), "seccomp": None, "landlock": None}


def test_another_place_runs_the_same_kernel() -> None:
    place("weak")
    with Kernel(Elsewhere()) as kernel:
        assert kernel.start().run("6 * 7").output == "42\n"
        assert kernel.isolation.strong


def test_a_pool_gives_each_kernel_once() -> None:
    with Pool(place("weak"), size=2) as pool:
        first, second = pool.take(), pool.take()
        assert first is not second
        first.start().run("x = 1")
        assert "NameError" in (second.start().run("x").error or "")
        first.close()
        third = pool.take()
        assert third not in (first, second)
        with third, second:
            assert third.start().run("'x' in globals()").output == "False\n"
    with pytest.raises(RuntimeError, match="closed"):
        pool.take()


class Counting:
    """A launcher that remembers what it launched."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self.isolation = launcher.isolation
        self.launched: list[KernelProcess] = []

    def launch(self, limits: Limits) -> KernelProcess:
        self.launched.append(self._launcher.launch(limits))
        return self.launched[-1]

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        return self._launcher.confinement(hello, limits)


def test_a_warm_kernel_is_there_sooner() -> None:
    """Its process has begun to speak before anybody talks to it: the start is behind it."""
    launcher = Counting(place("bubblewrap"))
    with Pool(launcher, size=1) as pool:
        (waiting,) = launcher.launched
        assert select.select([waiting.replies], [], [], 60)[0]
        with pool.take() as kernel:
            assert kernel.start().run("1 + 1").output == "2\n"
            assert len(launcher.launched) == 2  # the next one, which begins to start
            assert kernel._process is waiting


def test_a_dropped_kernel_leaves_nothing() -> None:
    launcher = place("weak")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        Kernel(launcher).start().run("1")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_process_that_ends_at_once_is_reported_at_the_first_message() -> None:
    class Ends(Elsewhere):
        def launch(self, limits: Limits) -> KernelProcess:
            return spawn(["sh", "-c", "echo sorry >&2; exit 3"], {"PATH": os.environ["PATH"]})

    for _ in range(5):
        with Kernel(Ends()) as kernel:
            time.sleep(0.02)
            with pytest.raises(StartFailed, match="status 3: sorry"):
                kernel.start()
