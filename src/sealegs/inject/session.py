"""One episode on the seam: its plan, its clock, and whoever watches."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ParamSpec, Protocol, Self, TypeVar

from sealegs.faults.call import ALL, Call, Layer, Outcome, Wait
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.inject import active
from sealegs.inject.clock import Clock, RealClock
from sealegs.inject.injector import Injector
from sealegs.inject.pieces import Run, RunAsync, Split, drive_pieces, drive_pieces_async
from sealegs.inject.seam import drive, drive_async, over, stacked, within
from sealegs.inject.strike import Strike

P = ParamSpec("P")
T = TypeVar("T")

UNARMED = Plan(name="unarmed")


class Watcher(Protocol):
    """Who is told what happens on the seam (a recorder)."""

    def around(self, layer: Layer) -> Layer:
        """The layer with the watcher outside it."""

    def struck(self, strike: Strike) -> None:
        """A fault fired."""


class Session:
    """The seam of one episode. Make a new one for every episode: nothing carries over.

    As a context manager it is the active session: tools that were made before it find it (see `active`). When the block
    ends, calls that still wait are let go of, so that no hanging thread outlives the episode.

    Args:
        plan: the faults; none by default.
        episode: names the episode, and is part of the key of every random decision.
        specs: what is known of the tools.
        layers: layers between the watcher and the injector, the outermost first (recovery stands here).
        clock: real by default.
        timeout: seconds of waiting after which the caller gives up on one call; None waits for ever.
        watcher: told everything.

    Attributes:
        idle: whether all calls of the named tool pass as they are, unseen and unchanged.
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
        self._timeout = timeout
        on_strike = watcher.struck if watcher is not None else None
        self._injector = Injector(plan, episode=episode, specs=specs, on_strike=on_strike)
        inner: Layer = self._injector.layer
        inner = self._patient(over(stacked((*layers, _whole)), inner) if layers else inner)
        self._layer = inner if watcher is None else watcher.around(inner)
        self._alone = watcher is None and not layers  # then a call that nothing strikes need not be followed
        self.idle: Callable[[str], bool] = self._injector.idle if self._alone else _never
        self._ids = itertools.count(1)

    def know(self, specs: Iterable[ToolSpec]) -> None:
        """Learn of tools that are announced late; one that was called already stays as it was known then."""
        self._injector.know(specs)

    def through(self, tool: str, arguments: Mapping[str, Any]) -> Layer | None:
        """What a call made now must go through; None where it passes as it is. A short cut for adapters.

        Asking counts the call: ask once, and give the answer to `call`.
        """
        if not self._alone:
            return self._layer
        volley = self._injector.aim(tool, arguments)
        return None if volley is None else self._patient(partial(self._injector.struck, volley))

    def call(
        self, tool: str, arguments: Mapping[str, Any], run: Callable[[Call], Outcome], layer: Layer | None = None
    ) -> Outcome:
        """Make a call in this thread; `run` runs the tool. `layer` is what `through` answered, if it was asked."""
        call = Call(tool, arguments, f"call-{next(self._ids)}")
        return drive(layer or self._layer, call, run, self.clock)

    async def call_async(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        run: Callable[[Call], Awaitable[Outcome]],
        layer: Layer | None = None,
    ) -> Outcome:
        """Make a call in this task; see `call`."""
        call = Call(tool, arguments, f"call-{next(self._ids)}")
        return await drive_async(layer or self._layer, call, run, self.clock)

    def pieces(
        self, tool: str, arguments: Mapping[str, Any], run: Run, split: Split, layer: Layer | None = None
    ) -> Generator[Any, None, None]:
        """Make a call whose answer comes piece by piece, in the thread that asks for the pieces: see `drive_pieces`.

        Returns:
            The pieces as they are to be shown, last an `End`. The call is made when the first is asked for.
        """
        call = Call(tool, arguments, f"call-{next(self._ids)}", pieces=ALL)
        return drive_pieces(layer or self._layer, call, run, split, self.clock)

    def pieces_async(
        self, tool: str, arguments: Mapping[str, Any], run: RunAsync, split: Split, layer: Layer | None = None
    ) -> AsyncGenerator[Any, None]:
        """Make such a call in the task that asks for the pieces; see `pieces`."""
        call = Call(tool, arguments, f"call-{next(self._ids)}", pieces=ALL)
        return drive_pieces_async(layer or self._layer, call, run, split, self.clock)

    def carry(self, function: Callable[P, T]) -> Callable[P, T]:
        """The function with this session as that of every call made inside it, in whatever thread it runs."""
        return active.carried(self, function)

    def __enter__(self) -> Self:
        active.enter(self)
        return self

    def __exit__(self, *error: object) -> None:
        active.leave(self)
        self.clock.release()

    def _patient(self, layer: Layer) -> Layer:
        return layer if self._timeout is None else within(self._timeout, layer)


def _whole(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
    """Below the layers of others: they may try again or answer otherwise, so nothing is shown before they have."""
    return (yield call if call.pieces is None else replace(call, pieces=None))


def _never(tool: str) -> bool:
    return False
