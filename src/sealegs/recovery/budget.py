"""What recovery may spend in an episode: further calls, seconds of waiting, money."""

from __future__ import annotations

from collections.abc import Mapping
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
    """A budget while it is spent."""

    __slots__ = ("_budget", "calls", "money", "seconds")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.calls = 0
        self.seconds = 0.0
        self.money = 0.0

    def lacks(self, tool: str, made: int, seconds: float = 0.0) -> str:
        """Why a further call of this tool after so many seconds cannot be afforded; empty where it can.

        Args:
            made: further calls that were made for this call of the agent's.
        """
        budget = self._budget
        if self.calls >= budget.calls:
            return f"the {budget.calls} further calls of the episode are used up"
        if made >= budget.calls_each:
            return f"the {budget.calls_each} further calls for one call are used up"
        if self.seconds + seconds > budget.seconds:
            return f"another {seconds:g} s would exceed the {budget.seconds:g} s that may be waited"
        if budget.money is not None and self.money + budget.prices.get(tool, 0.0) > budget.money:
            return f"another call would exceed the {budget.money:g} that may be spent"
        return ""

    def spend(self, tool: str) -> None:
        """A further call is made."""
        self.calls += 1
        self.money += self._budget.prices.get(tool, 0.0)

    def wait(self, seconds: float) -> None:
        """Time is waited."""
        self.seconds += seconds
