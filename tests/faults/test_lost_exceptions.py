"""Exceptions of signal handlers within finalizers: raised after all, others as Python has it."""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from typing import Any

import pytest

from sealegs.experiments.run_guards import RunOverTime, time_limited
from sealegs.faults.lost_exceptions import interrupt_soon, lost_exceptions
from tests import needs


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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason=needs.reason("POSIX timers", "run on Linux or macOS"))
def test_a_time_limit_holds_within_a_finalizer() -> None:
    with pytest.raises(RunOverTime), time_limited(0.2):
        finalize_and_wait(lambda: time.sleep(60))
