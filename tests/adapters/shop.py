"""Tools to be wrapped, and what they are wrapped in."""

from __future__ import annotations

import asyncio
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sealegs.faults import Fault
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Record, Recorder, build_record
from tests.inject.staging import plan, rule


class Shop:
    """Tools with a ledger."""

    def __init__(self) -> None:
        self.sold: list[str] = []

    def sell(self, item: str, /, count: int = 1, *notes: str, gift: bool = False, **more: Any) -> dict[str, Any]:
        """Sell an item."""
        if count < 1:
            raise ValueError(f"cannot sell {count}")
        self.sold.append(item)
        return {"item": item, "count": count, "notes": list(notes), "gift": gift, "more": more}

    async def sell_async(self, item: str, count: int = 1) -> dict[str, Any]:
        """Sell an item, later."""
        await asyncio.sleep(0)
        return self.sell(item, count)


class Episode:
    """A session on a virtual clock with its record."""

    def __init__(self, *rules: Any, specs: tuple[ToolSpec, ...] = (), timeout: float | None = None) -> None:
        clock = VirtualClock()
        self.recorder = Recorder(clock)
        self.recorder.start("episode", {})
        self.session = Session(plan(*rules), specs=specs, clock=clock, timeout=timeout, watcher=self.recorder)

    def record(self) -> Record:
        self.recorder.finish("answered")
        return build_record(self.recorder.events)


def silent(*faults: Fault) -> Session:
    """A session without a watcher."""
    return Session(plan(*(rule(fault) for fault in faults)), clock=VirtualClock())


def weather(city: str, days: int = 3) -> str:
    """The weather in a city."""
    return f"{city}: sun for {days} days"


async def weather_async(city: str, days: int = 3) -> str:
    """The weather in a city, later."""
    await asyncio.sleep(0)
    return weather(city, days)


async def raised_by(call: Callable[[str], Any]) -> Exception:
    try:
        found = call("Oslo")
        if inspect.iscoroutine(found):
            await found
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def without_places(text: str, *places: Path) -> str:
    """The text without the paths of folders: a reader may keep a checkout, or Python itself, wherever they like."""
    root = Path(__file__).parents[2]
    known = {str(one) for one in (*places, root, Path(sys.prefix), Path(sys.base_prefix), Path.home())} - {"/"}
    for place in sorted(known, key=len, reverse=True):
        text = text.replace(place, "")
    return text


def frames(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]
