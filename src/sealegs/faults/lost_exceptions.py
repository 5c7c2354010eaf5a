"""Exceptions of signal handlers that Python must ignore where they are raised, and how they are raised after all.

Python runs the handler of a signal between any two instructions of the main thread, also within a finalizer or a
callback of a weak reference; what is raised in there reaches nobody, and the signal would be lost.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SOON = 0.01  # seconds, after which the finalizer will usually have ended; else it is tried again


@contextmanager
def lost_exceptions(kind: type[BaseException], again: Callable[[], object]) -> Iterator[None]:
    """Call `again`, while the block runs, for each exception of a kind that was ignored.

    It is called where that exception was raised, so it must see to it that the next comes later.
    """
    before = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if isinstance(lost.exc_value, kind):
            again()
        else:
            before(lost)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def interrupt_main(number: signal.Signals) -> None:
    """Have the main thread run the handler of a signal, also where it waits for something.

    Nothing happens where Python does not handle the signal: the system's own way would be to kill the process.
    """
    if not callable(signal.getsignal(number)):
        return
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(number)  # is seen when the wait is over


def interrupt_soon(number: signal.Signals) -> None:
    """Do the same, a moment from now."""

    def interrupt() -> None:
        time.sleep(SOON)
        interrupt_main(number)

    _thread.start_new_thread(interrupt, ())
