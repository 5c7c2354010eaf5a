"""The injector stays out of sight: no text that a framework could show an agent speaks of it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import io
import pickle
import re
import traceback
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.adapters.python import ToolFault, wrap
from sealegs.faults import Fault
from sealegs.faults.kinds import (
    Connection,
    Delay,
    Error,
    Hang,
    LostAck,
    Poisoned,
    RateLimit,
)
from sealegs.inject import RealClock, Session
from tests.adapters.shop import Episode, frames, silent, weather, weather_async, without_places
from tests.inject.staging import plan, rule

PACKAGE = str(Path(sealegs.__file__).parent)

SIGHTINGS = re.compile("sealegs|inject|fault|seam|guard", re.IGNORECASE)


def error_text(call: Callable[[], Any]) -> str:
    """Everything that a framework could put into a prompt about what a call raised."""
    try:
        found = call()
        if inspect.iscoroutine(found):
            asyncio.run(found)
    except Exception as error:
        text = io.StringIO()
        traceback.print_exception(error, file=text)
        return f"{text.getvalue()}\n{error!r}\n{error}\n{type(error)}\n{type(error).__module__}"
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("fault", [Error(status=503), Error(exception="OSError"), RateLimit(), Connection(), LostAck()])
def test_no_traceback_shows_the_injector(fault: Fault, tmp_path: Path) -> None:
    module = tmp_path / "errands.py"
    module.write_text(
        "def fetch(what):\n    '''Fetch.'''\n    return [what]\n\n\n"
        "async def fetch_later(\n    what,\n):\n    return [what]\n"
    )
    scope: dict[str, Any] = {"__name__": "errands"}
    exec(compile(module.read_text(), str(module), "exec"), scope)
    session = silent(fault)
    for name in ("fetch", "fetch_later"):
        text = error_text(lambda name=name: wrap(scope[name], session)("tea"))  # type: ignore[misc]
        own = "\n".join(line for line in text.splitlines() if "lambda" not in line)
        own = re.sub(r"\n.*wrap\(scope.*", "", own).replace("found = call()", "")
        own = without_places(own, tmp_path)
        assert not SIGHTINGS.search(own), own
        assert f'"{module}", line ' in text


def test_the_tools_own_trouble_is_shown_as_without_us() -> None:
    def breaks() -> None:
        raise ValueError("no such city")

    bare, wrapped = error_text(breaks), error_text(wrap(breaks, Episode().session))
    assert PACKAGE not in wrapped
    assert [line for line in wrapped.splitlines() if line not in bare.splitlines()] == []


async def test_a_hang_that_the_caller_ends_shows_no_injector() -> None:
    session = Session(plan(rule(Hang())), clock=RealClock())
    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.02):
            await wrap(weather_async, session)("Oslo")
    text = "".join(traceback.format_exception(raised.value))
    assert PACKAGE not in text
    assert "weather_async" in text


async def test_a_tool_that_the_caller_ends_shows_where_it_was() -> None:
    async def slow() -> None:
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError) as raised:
        async with asyncio.timeout(0.02):
            await wrap(slow, Episode().session)()
    cancelled = raised.value.__cause__ or raised.value.__context__  # the cause: from 3.11.3 on
    assert cancelled is not None
    assert frames(cancelled)[1:4] == ["slow", "slow", "sleep"]


def test_faults_travel_between_processes() -> None:
    with pytest.raises(ToolFault) as raised:
        wrap(weather, silent(RateLimit(retry_after=2.0)))("Oslo")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (type(copy), str(copy), copy.failure) == (type(raised.value), str(raised.value), raised.value.failure)


def test_no_exception_keeps_its_call_alive() -> None:
    """What a call held must go with the last reference to its error, without a garbage collection."""

    class Big:
        pass

    def breaks(big: Big) -> None:
        raise LookupError

    def attempt(call: Callable[..., Any]) -> weakref.ref[Big]:
        big = Big()
        kept = weakref.ref(big)
        with contextlib.suppress(ToolFault, LookupError):
            call(big)
        return kept

    gc.collect()
    gc.disable()
    try:
        found = [attempt(wrap(breaks, silent(fault))) for fault in (Poisoned(), Delay(seconds=1.0), Error(status=500))]
        bare = attempt(breaks)
    finally:
        gc.enable()
    assert [kept() for kept in found] == [bare()] * 3
