"""The forecast of a run while it is played: the time, tokens and dollars left, by what has been done so far.

Inspect's display shows it beside its own counters. Where standard error is not a terminal, a line says it now and then.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model._model import sample_model_usage
from inspect_ai.solver import TaskState
from inspect_ai.util import display_counter

from sealegs.engines.run_estimate import EpisodeUse, dollars, from_finished, ranged, short_number, spoken_time
from sealegs.inject.clock import RealClock

LINES = 10  # plain lines until all is done


class TimeSource(Protocol):
    """A source of the time."""

    def now(self) -> float:
        """Seconds since it was made."""


class Forecast:
    """Counts what is done, and says what is left.

    Args:
        total: episodes that this command plays.
        before: what finished episodes of the same run used.
        clock: measures how long it takes.
    """

    def __init__(self, total: int, before: Sequence[EpisodeUse] = (), clock: TimeSource | None = None) -> None:
        self._total, self._done = total, 0
        self._uses = list(before)
        self._clock = clock or RealClock()
        self._reported = 0

    def add(self, use: EpisodeUse) -> str:
        """Count an episode.

        Returns:
            the line that is due now; empty for none.
        """
        self._uses.append(use)
        self._done += 1
        part = LINES * self._done // self._total
        if part <= self._reported:
            return ""
        self._reported = part
        return f"{self._done:,} of {self._total:,} episodes{self.left and '; '}{self.left}"

    @property
    def left(self) -> str:
        """The rest of the run in words; empty at the end."""
        left = self._total - self._done
        if not left or not self._done:
            return ""
        parts = [f"about {spoken_time(self._clock.now() * left / self._done)}"]
        found = from_finished(left, self._uses)
        if found is not None and found.tokens:
            parts.append(f"{ranged(found.tokens, short_number)} tokens")
        if found is not None and found.cost:
            parts.append(ranged(found.cost, dollars))
        return f"{', '.join(parts)} left"


def forecasting(forecast: Forecast) -> Callable[[TaskState], Awaitable[None]]:
    """The hook of a task that runs when a sample has ended: it counts the sample and shows what is left."""

    async def ended(state: TaskState) -> None:
        used = sample_model_usage().values()
        questions = sum(isinstance(event, ModelEvent) for event in transcript().events)
        cost = sum(one.total_cost or 0.0 for one in used)
        line = forecast.add(EpisodeUse(questions, sum(one.total_tokens for one in used), cost, 0.0))
        display_counter("left", forecast.left.removesuffix(" left") or "–")
        if line and not sys.stderr.isatty():
            sys.stderr.write(f"{line}\n")

    return ended
