"""One plan at work in a proxy: its session, what is recorded of it, and how often its rules fired."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from sealegs.adapters.http_proxy.proxy_settings import ProxySettings
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.inject import Injection, RealClock, Session, Watcher

if TYPE_CHECKING:
    from sealegs.inject.clock import Clock
    from sealegs.traces.recorder import Recorder

PATIENCE = 1.0  # seconds that calls have to end when their episode does


class ProxyEpisode:
    """The episode of one plan.

    Args:
        settings: those of the proxy.
        plan: the faults.
        name: the episode's name.

    Attributes:
        session: the session that requests go through.
        calls: how many requests went through it.

    Raises:
        UserError: a file cannot be written, or spans cannot be made.
    """

    def __init__(self, settings: ProxySettings, plan: Plan, name: str) -> None:
        self.plan = plan
        self.name = name
        self.calls = 0
        self._counts = {rule.id: [0, 0] for rule in plan.rules}
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._switches: list[dict[str, Any]] = []
        self._files = ExitStack()
        self._clock: Clock = RealClock()
        self._recorder = self._recording(settings)
        watchers: list[Watcher] = [] if self._recorder is None else [self._recorder]
        if settings.spans:
            watchers.append(_spans(name, plan))
        self.session = Session(
            plan,
            episode=name,
            specs=settings.operations.specs,
            layers=settings.layers(plan),
            clock=self._clock,
            timeout=settings.timeout,
            watcher=_joined(watchers),
            on_injection=self._injected,
        )

    def _recording(self, settings: ProxySettings) -> Recorder | None:
        """The recorder of the episode until its files are closed; None where no record is wanted."""
        if settings.records is None and settings.events is None:
            return None
        from sealegs.traces.episode_file import recorded_episode
        from sealegs.traces.specs import TOOLS, spec_data

        about: dict[str, Any] = {"adapter": "http proxy", "upstream": settings.upstream, "plan": self.plan.as_data()}
        if settings.operations.specs:
            about[TOOLS] = [spec_data(spec) for spec in settings.operations.specs]
        return self._files.enter_context(
            recorded_episode(settings.records, settings.events, about, self.name, self._clock)
        )

    @contextmanager
    def call(self) -> Iterator[None]:
        """A call is under way."""
        self.calls += 1
        self._under_way += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    def counts(self) -> dict[str, dict[str, int]]:
        """The number of times that each rule fired, and the number of those that something came of."""
        return {rule: {"fired": fired, "delivered": came} for rule, (fired, came) in self._counts.items()}

    def switched(self, on: bool) -> None:
        """Record that the faults were switched on or off; while they are off nothing is recorded."""
        self._switches.append({"at": round(self._clock.now(), 6), "on": on})
        if self._recorder is not None:
            self._recorder.note({"switched": list(self._switches)})
        if not on:
            self._clock.release()

    async def end(self, detail: str) -> None:
        """End the episode: calls that wait on a fault are cut off, others have a moment to end."""
        self._clock.release()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._idle.wait()
        if self._recorder is not None:
            self._recorder.finish("answered", detail=detail)
        self._files.close()

    def _injected(self, injection: Injection) -> None:
        counts = self._counts.get(injection.rule)
        if counts is not None:
            counts[0] += 1
            counts[1] += injection.delivered


def _joined(watchers: list[Watcher]) -> Watcher | None:
    """Join watchers into one, or return None if there are none."""
    if len(watchers) < 2:
        return next(iter(watchers), None)
    from sealegs.traces.watchers import Watchers

    return Watchers(*watchers)


def _spans(episode: str, plan: Plan) -> Watcher:
    try:
        from sealegs.traces.spans import Spans
    except ImportError as error:
        raise UserError(f'--spans needs {error.name}; run: pip install "sealegs[otel]"') from error
    return Spans(episode=episode, attributes={"sealegs.plan": plan.name})
