"""One episode on the seam: its plan, its clock, and whoever watches."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from sealegs.faults.call import Call, Layer, Outcome
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import Clock, RealClock
from sealegs.inject.injector import Injector, Strike
from sealegs.inject.seam import drive, drive_async, over, stacked, within

UNARMED = Plan(name="no faults")


class Watcher(Protocol):
    """Who is told what happens on the seam (a recorder)."""

    def around(self, layer: Layer) -> Layer:
        """The layer with the watcher outside it."""

    def struck(self, strike: Strike) -> None:
        """A fault was at work."""


class Session:
    """The seam of one episode. Make a new one for every episode: nothing carries over.

    Args:
        plan: the faults; none by default.
        episode: names the episode, and is part of the key of every random decision.
        specs: what is known of the tools.
        layers: layers between the watcher and the injector, the outermost first (recovery stands here).
        clock: real by default.
        timeout: seconds after which the caller gives up waiting for one call; None waits for ever.
        watcher: told everything.
    """

    def __init__(
        self,
        plan: Plan = UNARMED,
        *,
        episode: str = "",
        specs: Iterable[ToolSpec] = (),
        layers: Sequence[Layer] = (),
        clock: Clock | None = None,
        timeout: float | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.episode = episode
        self.clock: Clock = clock or RealClock()
        on_strike = watcher.struck if watcher is not None else None
        injector = Injector(plan, episode=episode, specs=specs, on_strike=on_strike)
        inner: Layer = over(stacked(layers), injector.layer) if layers else injector.layer
        if timeout is not None:
            inner = within(timeout, inner)
        self._layer = inner if watcher is None else watcher.around(inner)
        self._idle = None if (layers or watcher is not None) else injector.concerns
        self._ids = itertools.count(1)

    def idle(self, tool: str) -> bool:
        """Whether calls of this tool pass as they are, unseen and unchanged."""
        return self._idle is not None and not self._idle(tool)

    def call(self, tool: str, arguments: Mapping[str, Any], run: Callable[[Call], Outcome]) -> Outcome:
        """Make a call in this thread; `run` runs the tool."""
        return drive(self._layer, Call(tool, arguments, f"call-{next(self._ids)}"), run, self.clock)

    async def call_async(
        self, tool: str, arguments: Mapping[str, Any], run: Callable[[Call], Awaitable[Outcome]]
    ) -> Outcome:
        """Make a call in this task; `run` runs the tool."""
        call = Call(tool, arguments, f"call-{next(self._ids)}")
        return await drive_async(self._layer, call, run, self.clock)
