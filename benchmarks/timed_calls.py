"""The tool that benchmarks of single calls make, and the loops that time it, sync and async."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Made = Callable[..., Any]  # the tool as it is called: bare, or made by a library


def forecast(city: str, days: int = 3) -> dict[str, Any]:
    return {"city": city, "days": days}


async def forecast_async(city: str, days: int = 3) -> dict[str, Any]:
    return {"city": city, "days": days}


def timed(made: Made, calls: int, clock: Callable[[], float]) -> float:
    """What a clock says that so many calls took; those that fail count like any other."""
    rounds = range(calls)
    began = clock()
    for _ in rounds:
        try:  # noqa: SIM105  # suppress() would be timed too
            made("Oslo", days=2)
        except Exception:
            pass
    return clock() - began


async def timed_async(made: Made, calls: int, clock: Callable[[], float]) -> float:
    """The same of an async tool, one call after another on one loop."""
    rounds = range(calls)
    began = clock()
    for _ in rounds:
        try:  # noqa: SIM105
            await made("Oslo", days=2)
        except Exception:
            pass
    return clock() - began
