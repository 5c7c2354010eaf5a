"""The seam between an agent and its tools, and the layer that injects faults.

The only room that lets time pass. Adapters make a `Session` for each episode and send every tool call through it.
"""

from sealegs.inject.clock import Clock, Hung, RealClock, VirtualClock
from sealegs.inject.injector import Injector, Strike
from sealegs.inject.seam import bare, drive, drive_async, over, stacked, within
from sealegs.inject.session import Session, Watcher

__all__ = [
    "Clock",
    "Hung",
    "Injector",
    "RealClock",
    "Session",
    "Strike",
    "VirtualClock",
    "Watcher",
    "bare",
    "drive",
    "drive_async",
    "over",
    "stacked",
    "within",
]
