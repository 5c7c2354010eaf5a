"""Exceptions of signal handlers within finalizers: raised after all, others as Python has it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from typing import Any

import pytest

from sealegs.faults.lost_exceptions import interrupt_soon, lost_exceptions


class Finalized:
    """What sends a signal, or fails, when it goes."""

    def __init__(self, act: Any) -> None:
        self.act = act

    def __del__(self) -> None:
        self.act()


def finalize_and_wait(*acts: Any) -> None:
    for act in acts:
        Finalized(act)
    time.sleep(60)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_is_raised_after_all() -> None:
    again = partial(interrupt_soon, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), lost_exceptions(KeyboardInterrupt, again):
        finalize_and_wait(interrupt)


def test_it_is_tried_until_no_finalizer_runs() -> None:
    tries: list[int] = []

    def again() -> None:
        tries.append(1)
        interrupt_soon(signal.SIGINT)

    def long_finalizer() -> None:
        interrupt()
        time.sleep(60)  # never begun

    with pytest.raises(KeyboardInterrupt), lost_exceptions(KeyboardInterrupt, again):
        finalize_and_wait(long_finalizer, lambda: time.sleep(60))  # the second interrupt comes in the second
    assert len(tries) == 2


def test_others_are_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: seen.append(lost.exc_type))

    def fail() -> None:
        raise LookupError

    with lost_exceptions(KeyboardInterrupt, lambda: pytest.fail("this was none")):
        Finalized(fail)
    Finalized(fail)
    assert seen == [LookupError, LookupError]


def test_a_signal_that_nobody_handles_kills_nothing() -> None:
    code = (
        "import signal; from sealegs.faults.lost_exceptions import interrupt_main;"
        "interrupt_main(signal.SIGTERM); print('alive')"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "alive\n")
