"""The seam between an agent and its tools, and the layer that injects faults.

The only room that lets time pass. Adapters make a `Session` for each episode and send every tool call through it.
"""

from sealegs.inject.active import AmbiguousSession
from sealegs.inject.clock import Clock, Hung, RealClock, VirtualClock
from sealegs.inject.injector import Injector
from sealegs.inject.pieces import End, drive_pieces, drive_pieces_async
from sealegs.inject.running import current_call
from sealegs.inject.seam import NOT_DRY, bare, drive, drive_async, over, stacked, within
from sealegs.inject.seat import Act, Other, Seat
from sealegs.inject.session import Session, Watcher, current
from sealegs.inject.strike import Strike, same

__all__ = [
    "NOT_DRY",
    "Act",
    "AmbiguousSession",
    "Clock",
    "End",
    "Hung",
    "Injector",
    "Other",
    "RealClock",
    "Seat",
    "Session",
    "Strike",
    "VirtualClock",
    "Watcher",
    "bare",
    "current",
    "current_call",
    "drive",
    "drive_async",
    "drive_pieces",
    "drive_pieces_async",
    "over",
    "same",
    "stacked",
    "within",
]
