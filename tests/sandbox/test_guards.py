"""Each guard that keeps what is shared, taken away in turn: the attempts must see it, or they prove nothing."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from sealegs.faults.user_error import UserError
from sealegs.sandbox import Launcher, Limits, seccomp
from sealegs.sandbox.allowed_calls import SharedThings, try_calls, untried_calls
from sealegs.sandbox.confinement import Handshake
from sealegs.sandbox.escapes import escapes, try_escape
from sealegs.sandbox.launching import Bare, Bubblewrap, _wrapping
from sealegs.sandbox.python_files import python_files
from tests import needs
from tests.sandbox.places import Unconfined, place

ESCAPES = {escape.name: escape for escape in escapes()}
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason=needs.ROOT)
Patch = pytest.MonkeyPatch


def changes(launcher: Launcher) -> set[str]:
    """What was changed by any call."""
    return {what for attempt in try_calls(launcher) for what in attempt.did} - {"seen"}


def no_check(name: str) -> Callable[[Patch], None]:
    """A filter that does not look at the arguments of a call."""
    whole = seccomp.checks
    return lambda patch: patch.setattr(seccomp, "checks", lambda pid: {**whole(pid), name: ()})


def permitted(*names: str) -> Callable[[Patch], None]:
    """A filter that lets calls through to Linux."""
    rows = tuple(row._replace(when="always") if row.name in names else row for row in seccomp.syscall_table())
    return lambda patch: patch.setattr(seccomp, "syscall_table", lambda: rows)


def locks_reach_linux(patch: Patch) -> None:
    patch.setattr(seccomp, "LOCKS", seccomp.ArgumentCheck(1, ()))
    no_check("fcntl")(patch)


def signals_of_all(name: str) -> Callable[[Patch], None]:
    """A filter that lets a signal through to any process, and a Landlock that does, as those before ABI 6 did."""

    def mutate(patch: Patch) -> None:
        no_check(name)(patch)
        patch.setattr("sealegs.sandbox.confinement.SCOPED", 0)

    return mutate


def no_limit_of_signals(patch: Patch) -> None:
    for kind in (Bubblewrap, Bare):
        whole = kind.confinement

        def confinement(self: Any, hello: Handshake, limits: Limits, whole: Any = whole) -> dict[str, Any]:
            how = whole(self, hello, limits)
            how["limits"].pop("RLIMIT_SIGPENDING")
            return dict(how)

        patch.setattr(kind, "confinement", confinement)


def devices_not_sealed(patch: Patch) -> None:
    whole = Bubblewrap.confinement
    patch.setattr(Bubblewrap, "confinement", lambda *given: {**whole(*given), "sealed": []})


def shared_files_writable(patch: Patch) -> None:
    patch.setattr("sealegs.sandbox.allowed_calls.Bubblewrap", Writable)


class Writable(Bubblewrap):
    """Shared files are bound as they are."""

    def __init__(self, files: Any) -> None:
        super().__init__(files)
        self._files = ["--bind" if word == "--ro-bind" else word for word in self._files]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("isolation", "mutate", "seen"),
    [
        pytest.param("bubblewrap", devices_not_sealed, "times of null", marks=AS_ROOT),
        ("bubblewrap", shared_files_writable, "times of bound/file"),
        ("bubblewrap", no_limit_of_signals, "waiting signals of the user"),
        ("weak", no_limit_of_signals, "waiting signals of the user"),
        ("bubblewrap", permitted("flock"), "locks on bound/file"),
        ("weak", permitted("flock"), "locks on bound/file"),
        ("bubblewrap", locks_reach_linux, "locks on bound/file"),
        ("weak", permitted("chmod"), "times of outside/file"),
        ("weak", permitted("utimensat"), "times of outside/file"),
        ("weak", signals_of_all("kill"), "the process"),
        ("weak", signals_of_all("tgkill"), "the process"),
        ("weak", no_check("prlimit64"), "limits of the process"),
    ],
)
def test_the_calls_see_a_guard_that_is_missing(
    monkeypatch: Patch, isolation: str, mutate: Callable[[Patch], None], seen: str
) -> None:
    launcher = place(isolation)
    mutate(monkeypatch)
    assert seen in changes(launcher)


def hidden_folders_writable(patch: Patch) -> None:
    words = list(_wrapping(python_files()))
    if not any("-packages" in word for word in words):  # Debian's own Python keeps them elsewhere
        pytest.skip(needs.INNER_PACKAGES)
    for at in range(len(words) - 2, -1, -1):
        if words[at] == "--remount-ro" and "-packages" in words[at + 1]:
            del words[at : at + 2]
    patch.setattr("sealegs.sandbox.launching._wrapping", lambda python: tuple(words))


@pytest.mark.parametrize(
    ("isolation", "mutate", "escape"),
    [
        pytest.param("bubblewrap", devices_not_sealed, "shared-metadata", marks=AS_ROOT),
        ("bubblewrap", permitted("flock"), "shared-locks"),
        ("weak", permitted("flock"), "shared-locks"),
        ("bubblewrap", locks_reach_linux, "shared-locks"),
        ("bubblewrap", no_check("futex"), "shared-futex"),
        ("weak", no_check("futex"), "shared-futex"),
        ("bubblewrap", no_check("madvise"), "page-cache"),
        ("bubblewrap", no_limit_of_signals, "signal-quota"),
        ("weak", no_limit_of_signals, "signal-quota"),
        ("bubblewrap", hidden_folders_writable, "hidden-folders"),
        ("weak", no_check("fcntl"), "signal-by-pipe"),
        ("weak", no_check("socketpair"), "socket-pair-abuse"),
        ("weak", no_check("prlimit64"), "raise-limits"),
    ],
)
def test_an_escape_sees_a_guard_that_is_missing(
    monkeypatch: Patch, isolation: str, mutate: Callable[[Patch], None], escape: str
) -> None:
    launcher = place(isolation)
    mutate(monkeypatch)
    verdict = try_escape(launcher, ESCAPES[escape])
    assert any(why.startswith(("ESCAPED", "another process", "nothing shows")) for why in verdict.why), verdict


def test_the_calls_are_tried_in_the_places_of_sealegs_alone() -> None:
    with SharedThings() as things, pytest.raises(UserError, match="cannot be tried where code runs NONE"):
        things.launcher(Unconfined())


def test_what_is_not_tried_acts_on_its_own_process() -> None:
    assert set(untried_calls()) == {"rt_sigreturn", "rt_sigsuspend", "pause", "alarm", "exit", "exit_group"}
