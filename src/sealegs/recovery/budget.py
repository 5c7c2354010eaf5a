"""What recovery may spend in an episode: further calls, seconds of waiting, money."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


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


class Purse:
    """A budget while it is spent. What is claimed is spent at once, so that calls side by side cannot overdraw it."""

    __slots__ = ("_budget", "_lock", "calls", "money", "seconds")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another
        self.calls = 0
        self.seconds = 0.0
        self.money = 0.0

    def claim(self, tools: Sequence[str], made: int, seconds: float = 0.0) -> bool:
        """Spend what further calls of these tools after so many seconds take; false where it cannot be afforded.

        What is claimed and not used because the caller went away stays spent.

        Args:
            made: further calls that were made for this call of the agent's.
        """
        budget = self._budget
        price = self._price(tools)
        with self._lock:
            if self.calls + len(tools) > budget.calls or made + len(tools) > budget.calls_each:
                return False
            if self.seconds + seconds > budget.seconds:
                return False
            if budget.money is not None and self.money + price > budget.money + 1e-9:  # 0.1 + 0.2 is no overdraft
                return False
            self.calls += len(tools)
            self.seconds += seconds
            self.money += price
        return True

    def give_back(self, tools: Sequence[str]) -> None:
        """Calls that were claimed are not made after all."""
        with self._lock:
            self.calls -= len(tools)
            self.money -= self._price(tools)

    def _price(self, tools: Sequence[str]) -> float:
        return sum(self._budget.prices.get(tool, 0.0) for tool in tools)
