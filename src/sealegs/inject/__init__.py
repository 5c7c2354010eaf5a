"""The seam between an agent and its tools, and the layer that injects faults.

The only room that lets time pass. Adapters make a `Session` for each episode and send every tool call through it.
"""

from sealegs.inject.active import AmbiguousSession
from sealegs.inject.call_context import current_call
from sealegs.inject.clock import Clock, EndlessWait, RealClock, VirtualClock
from sealegs.inject.injection import Injection, safely_equal
from sealegs.inject.injector import Injector, MisfireWarning
from sealegs.inject.layer_context import LayerAction, LayerContext, ToolHandle, Watcher, as_given
from sealegs.inject.seam import NO_DRY_RUN, compose_layers, drive, drive_async, pass_through, stack_layers, with_timeout
from sealegs.inject.session import InterceptedCall, Session, current
from sealegs.inject.stream_drivers import StreamEnd, drive_stream, drive_stream_async
from sealegs.inject.turn import ModelTurn

__all__ = [
    "NO_DRY_RUN",
    "AmbiguousSession",
    "Clock",
    "EndlessWait",
    "Injection",
    "Injector",
    "InterceptedCall",
    "LayerAction",
    "LayerContext",
    "MisfireWarning",
    "ModelTurn",
    "RealClock",
    "Session",
    "StreamEnd",
    "ToolHandle",
    "VirtualClock",
    "Watcher",
    "as_given",
    "compose_layers",
    "current",
    "current_call",
    "drive",
    "drive_async",
    "drive_stream",
    "drive_stream_async",
    "pass_through",
    "safely_equal",
    "stack_layers",
    "with_timeout",
]
