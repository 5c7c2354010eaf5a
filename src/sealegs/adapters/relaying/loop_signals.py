"""Signals for a running loop, also on Windows, where loops have no handlers of signals and most signals are unknown."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Mapping

ENDING = ("SIGINT", "SIGTERM", "SIGBREAK")  # those that end a process; Windows has the last
WINDOWS = sys.platform == "win32"


def on_signals(handlers: Mapping[str, Callable[[], object]], windows: bool = WINDOWS) -> None:
    """Have the running loop call these at signals, by their names; a name that the system lacks is left out."""
    loop = asyncio.get_running_loop()
    for name, handler in handlers.items():
        number: signal.Signals | None = getattr(signal, name, None)
        if number is None:
            continue
        if windows:  # Python's own handlers wake the loop
            signal.signal(number, lambda *_, handler=handler: loop.call_soon_threadsafe(handler))
        else:
            loop.add_signal_handler(number, handler)
