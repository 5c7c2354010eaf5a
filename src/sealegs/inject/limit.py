"""An end for an agent that would never stop: a layer that stops the episode after so many calls.

It does not stop an agent that loops without calling a tool. One that catches `BaseException` and continues is stopped
by whatever `exceeded` does, if anything.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from typing import ClassVar

from sealegs.faults.call import Call, Outcome, Wait


class TooManyCalls(BaseException):
    """The episode's calls are used up. Like `EndlessWait` not an `Exception`, which agents take for a tool's error."""


class CallLimit:
    """A layer for one episode that lets this many calls pass and raises `TooManyCalls` on the next.

    Attributes:
        calls: how many calls pass, 1 or more.
        reached: whether it had to stop the agent, whatever the agent then made of that.
        exceeded: is called with each call beyond the limit.
    """

    passes_chunks: ClassVar[bool] = True

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.reached = False
        self.exceeded: Callable[[], object] | None = None
        self._made = itertools.count(1)

    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """Pass the call on.

        Raises:
            TooManyCalls: the limit is reached.
        """
        if next(self._made) > self.calls:
            self.reached = True
            if self.exceeded is not None:
                self.exceeded()
            raise TooManyCalls(f"the agent made more than {self.calls} calls and did not stop")
        return (yield call)
