"""Limits on recovery: further calls, seconds of waiting and money in an episode; calls a minute in a service."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of an episode, and of one call of the agent's.

    Attributes:
        calls: further calls in the episode, 0 or more.
        calls_each: further calls for one call of the agent's.
        seconds: of waiting in the episode.
        money: for further calls, in any one currency; None where it is not counted.
        prices: what a call of a tool costs; a tool that is not named costs nothing.
    """

    calls: int = 24
    calls_each: int = 5
    seconds: float = 300.0
    money: float | None = None
    prices: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServiceRates:
    """Limits on the further calls of a service in a minute, over all its sessions.

    A minute's worth can be spent at once; what was spent comes back evenly.

    Attributes:
        tries: in all; None for as many as wanted.
        tries_each: of one tool; None for as many as wanted.
    """

    tries: float | None = None
    tries_each: float | None = None


class Meter:
    """Rates while they are spent: a token bucket for all tools and one for each.

    Args:
        rates: the limits.
        now: seconds on a clock that all sessions share.
    """

    __slots__ = ("_lock", "_now", "_of", "_rates")

    def __init__(self, rates: ServiceRates, now: Callable[[], float]) -> None:
        self._rates = rates
        self._now = now
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another
        self._of: dict[str, tuple[float, float]] = {}  # by tool ("": all): what is left, and when that was so

    def claim(self, tools: Sequence[str]) -> str:
        """Spend a call of each of these tools; return why not, where too many were made recently."""
        wanted = self._wanted(tools)
        with self._lock:
            now = self._now()
            left = {tool: self._left(tool, now) for tool in wanted}
            for tool, count in wanted.items():
                if left[tool] + 1e-9 < count:  # a third and two thirds are a whole
                    of = f" of {tool}" if tool else ""
                    return f"more than {self._limit(tool):g} further calls{of} in a minute"
            for tool, count in wanted.items():
                self._of[tool] = left[tool] - count, now
        return ""

    def give_back(self, tools: Sequence[str]) -> None:
        """Give back calls that were claimed and not made."""
        with self._lock:
            now = self._now()
            for tool, count in self._wanted(tools).items():
                self._of[tool] = min(self._limit(tool), self._left(tool, now) + count), now

    def _wanted(self, tools: Sequence[str]) -> Counter[str]:
        counted = Counter(tools) if self._rates.tries_each is not None else Counter[str]()
        if self._rates.tries is not None and tools:
            counted[""] = len(tools)
        return counted

    def _limit(self, tool: str) -> float:
        limit = self._rates.tries_each if tool else self._rates.tries
        return float("inf") if limit is None else limit

    def _left(self, tool: str, now: float) -> float:
        limit = self._limit(tool)
        left, then = self._of.get(tool, (limit, now))
        return min(limit, left + max(0.0, now - then) * limit / MINUTE)


class BudgetTracker:
    """A budget while it is spent. What is claimed is spent at once, so concurrent calls cannot overdraw it.

    Args:
        budget: of the episode.
        meter: the rates of the service that the episode is in.
    """

    __slots__ = ("_budget", "_lock", "_meter", "calls", "money", "seconds")

    def __init__(self, budget: Budget, meter: Meter | None = None) -> None:
        self._budget = budget
        self._meter = meter
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another
        self.calls = 0
        self.seconds = 0.0
        self.money = 0.0

    def claim(self, tools: Sequence[str], made: int, seconds: float = 0.0) -> bool:
        """Return whether further calls of these tools after so many seconds can be afforded; if so, they are spent."""
        return not self.short(tools, made, seconds)

    def short(self, tools: Sequence[str], made: int, seconds: float = 0.0) -> str:
        """Spend what further calls of these tools after so many seconds cost; return why not, where it is too much.

        What is claimed and not used because the caller went away stays spent.

        Args:
            tools: one for each call.
            made: further calls that were made for this call of the agent's.
            seconds: of waiting before them.
        """
        with self._lock:
            short = self._short(tools, made, seconds) or (self._meter.claim(tools) if self._meter is not None else "")
            if not short:
                self.calls += len(tools)
                self.seconds += seconds
                self.money += self._price(tools)
            return short

    def give_back(self, tools: Sequence[str]) -> None:
        """Give back calls that were claimed and not made."""
        with self._lock:
            self.calls -= len(tools)
            self.money -= self._price(tools)
        if self._meter is not None:
            self._meter.give_back(tools)

    def _short(self, tools: Sequence[str], made: int, seconds: float) -> str:
        budget = self._budget
        if self.calls + len(tools) > budget.calls:
            return f"{self.calls} of {budget.calls} further calls of the episode are spent"
        if made + len(tools) > budget.calls_each:
            return f"{made} of {budget.calls_each} further calls for this one are spent"
        if self.seconds + seconds > budget.seconds:
            return f"{self.seconds:.3g} of {budget.seconds:g} s of waiting are spent"
        if (
            budget.money is not None and self.money + self._price(tools) > budget.money + 1e-9
        ):  # 0.1 + 0.2: no overdraft
            return f"{self.money:g} of {budget.money:g} are spent on further calls"
        return ""

    def _price(self, tools: Sequence[str]) -> float:
        return sum(self._budget.prices.get(tool, 0.0) for tool in tools)
