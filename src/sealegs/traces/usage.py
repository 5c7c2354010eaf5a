"""The cost of a run in tokens and money, as far as the agent's own code reports it.

The seam sees tools, not models. An agent that knows its usage says so with `sealegs.report_usage`, as often as it
likes; the experiment that plays the run adds it up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class UsageMeter:
    """Adds up what is reported during one run.

    Attributes:
        tokens, cost: the sums so far; None where nothing was reported.
    """

    def __init__(self) -> None:
        self.tokens: int | None = None
        self.cost: float | None = None
        self._lock = threading.Lock()

    def add(self, tokens: int | None, cost: float | None) -> None:
        """Add to the sums."""
        with self._lock:
            if tokens is not None:
                self.tokens = (self.tokens or 0) + tokens
            if cost is not None:
                self.cost = (self.cost or 0.0) + cost

    def data(self) -> dict[str, float]:
        """The sums as a record notes them; empty where nothing was reported."""
        return {name: total for name, total in (("tokens", self.tokens), ("cost", self.cost)) if total is not None}


_OWN: ContextVar[UsageMeter | None] = ContextVar("sealegs_usage", default=None)
_LIVE: list[UsageMeter] = []


@contextmanager
def metering() -> Iterator[UsageMeter]:
    """Give a meter that takes what is reported inside the block, also from threads if it is the only one."""
    meter = UsageMeter()
    token = _OWN.set(meter)
    _LIVE.append(meter)
    try:
        yield meter
    finally:
        _LIVE.remove(meter)
        _OWN.reset(token)


def report_usage(*, tokens: int | None = None, cost: float | None = None) -> None:
    """Report what the agent has used since it last did; outside an experiment nothing happens.

    Args:
        tokens: of all models, input and output.
        cost: in whatever currency your contracts use.

    Raises:
        ValueError: a number is negative.
    """
    if (tokens or 0) < 0 or (cost or 0) < 0:
        raise ValueError(f"usage cannot be negative: tokens={tokens}, cost={cost}")
    # A thread that the agent started has no context of its run; with one run at a time it is clear whose it is.
    meter = _OWN.get() or (_LIVE[0] if len(_LIVE) == 1 else None)
    if meter is not None:
        meter.add(tokens, cost)
