"""The isolation that works here, found by starting a kernel in it: a program that is installed may still not work."""

from __future__ import annotations

import errno
import functools

from sealegs.faults.user_error import UserError
from sealegs.sandbox.code_kernel import Kernel
from sealegs.sandbox.confinement import Unsupported
from sealegs.sandbox.conversation import StartFailed
from sealegs.sandbox.isolation_status import Isolation
from sealegs.sandbox.launching import Bare, Bubblewrap, Launcher

# What a machine may lack for a moment. It says nothing of the isolation, so a run must not continue with another one.
PASSING = {errno.EAGAIN, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}


def find_isolation() -> Isolation:
    """The strongest isolation that works here, and why it is not stronger.

    Raises:
        OSError: it cannot be tried at the moment, because descriptors, memory, processes or disk space ran out.
    """
    return _tried()[0]


def launcher(allow_weak: bool = False) -> Launcher:
    """The launcher of kernels in the strongest isolation that works here.

    Args:
        allow_weak: take weak isolation where there is no strong one.

    Raises:
        UserError: the isolation here is too weak; the message says why, and what would do.
    """
    isolation, found = _tried()
    isolation.accepted(allow_weak)
    assert found is not None
    return found


def weakest() -> Launcher:
    """The launcher of kernels without bubblewrap, even where that works.

    Raises:
        UserError: it does not work either.
    """
    if wrong := _trial(Bare()):
        raise UserError(f"no code can be run without bubblewrap here: {wrong}")
    return Bare("bubblewrap was not used")


@functools.cache
def _tried() -> tuple[Isolation, Launcher | None]:
    strong = _trial(Bubblewrap())
    if not strong:
        found = Bubblewrap()
        return found.isolation, found
    missing = f"bubblewrap does not work here: {strong}"
    weak = _trial(Bare())
    if not weak:
        bare = Bare(missing)
        return bare.isolation, bare
    return Isolation("none", (), f"{missing}; without it: {weak}"), None


def _trial(launcher: Launcher) -> str:
    """The reason why a kernel cannot be started; empty if it can.

    What does not work is tried once more: bubblewrap and the kernel may meet a passing want, too, or be killed, and
    their words do not say so.
    """
    return _attempt(launcher) and _attempt(launcher)


def _attempt(launcher: Launcher) -> str:
    try:
        with Kernel(launcher) as kernel:
            turn = kernel.start().run("6 * 7")
    except (OSError, StartFailed, Unsupported) as error:
        if isinstance(error, OSError) and error.errno in PASSING:
            raise
        return " ".join(str(error).split())
    return "" if turn.output == "42\n" else f"a trial turn printed {turn.output!r} ({turn.error or turn.how})"
