"""The switch of a proxy: faults on or off, another plan, and what was counted, while requests come and go."""

from __future__ import annotations

import asyncio
from typing import Any

from sealegs.adapters.http_proxy.proxy_episode import ProxyEpisode
from sealegs.adapters.http_proxy.proxy_settings import ProxySettings
from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import read_plan
from sealegs.faults.problems import PlanError
from sealegs.faults.user_error import UserError


class PlanSwitch:
    """The switch of a proxy: the plan that requests are under now, and whether its faults strike.

    Args:
        settings: those of the proxy.

    Attributes:
        on: whether faults strike.
        requests: how many were answered.
        untouched: how many of them went through no session.
    """

    def __init__(self, settings: ProxySettings) -> None:
        self.on = True
        self.requests = 0
        self.untouched = 0
        self._settings = settings
        self._episode: ProxyEpisode | None = ProxyEpisode(settings, settings.plan, settings.episode)
        self._loading = asyncio.Lock()

    async def episode(self) -> ProxyEpisode | None:
        """The episode that a request belongs to; None where it passes untouched."""
        if self.on and self._loading.locked():
            async with self._loading:
                pass
        return self._episode if self.on else None

    def turn(self, on: bool) -> None:
        """Switch the faults on or off. Off is at once: calls that wait on a fault are cut off."""
        if on and self._episode is None:
            raise UserError("there is no plan to switch on; load one")
        if on != self.on:
            self.on = on
            if self._episode is not None:
                self._episode.switched(on)

    async def load(self, plan: Plan, name: str) -> None:
        """Take another plan, as a new episode, and switch it on. Requests that come meanwhile wait.

        Raises:
            UserError: the episode cannot be recorded; then faults are off.
        """
        async with self._loading:
            if self._episode is not None:
                await self._episode.end("another plan was loaded")
            self._episode, self.on = None, False
            self._episode = ProxyEpisode(self._settings, plan, name)
            self.on = True

    async def read_again(self) -> str:
        """Switch on, with the plan as its file is now; a file that has not changed continues its episode.

        Returns:
            What came of it, in words.
        """
        file, now = self._settings.plan_file, self._episode
        try:
            plan = self._settings.plan if file is None else read_plan(file)
            if now is not None and plan == now.plan:
                self.turn(on=True)
                return "faults are on"
            await self.load(plan, self._settings.episode)
        except (PlanError, UserError) as error:
            return f"the plan stays as it was: {error}"
        return f"faults are on, with {plan.name!r} read again"

    async def end(self, detail: str) -> None:
        """The proxy ends."""
        async with self._loading:
            if self._episode is not None:
                await self._episode.end(detail)
            self._episode, self.on = None, False

    def state(self) -> dict[str, Any]:
        """The state of the switch, and the counts since the start and since the plan was loaded."""
        now = self._episode
        state: dict[str, Any] = {"on": self.on, "requests": self.requests, "untouched": self.untouched}
        if now is not None:
            state |= {"plan": now.plan.name, "digest": now.plan.digest()[:16], "episode": now.name}
            state |= {"calls": now.calls, "rules": now.counts()}
        return state
