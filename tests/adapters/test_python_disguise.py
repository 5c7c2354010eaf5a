"""The injector stays out of sight: no text that a framework could show an agent speaks of it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import io
import os
import pickle
import re
import subprocess
import sys
import traceback
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
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
from sealegs.faults.triggers import Nth
from sealegs.inject import RealClock, Session
from tests.adapters.shop import Episode, frames, silent, weather, weather_async, without_places
from tests.inject.staging import plan, rule

PACKAGE = str(Path(sealegs.__file__).parent)

CAUSES = "ValueError('cause')", "KeyError('context')"


class Skipped(BaseException):
    """An end of a library's own, as pytest and trio have them."""


ENDS = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError, Skipped)
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


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("in_task", [False, True])
@pytest.mark.parametrize("ends", ENDS)
def test_what_ends_more_than_a_call_shows_no_injector(ends: type[BaseException], in_task: bool, recorded: bool) -> None:
    """On the long way, which the first calls take, and on the short one; its cause and context stay what they are."""

    def leave() -> None:
        try:
            raise KeyError("context")
        except KeyError:
            raise ends("own") from ValueError("cause")

    async def leave_later() -> None:
        leave()

    session = Episode().session if recorded else Session(plan(rule(Error(), when=Nth(99))), clock=RealClock())
    called = wrap(leave_later if in_task else leave, session)
    for _ in range(20):
        with pytest.raises(ends) as caught:
            called().send(None) if in_task else called()
        assert PACKAGE not in "".join(traceback.format_exception(caught.value))
        assert frames(caught.value)[1:] == (["leave_later"] * 2 + ["leave"] if in_task else ["leave"] * 2)
        assert (repr(caught.value.__cause__), repr(caught.value.__context__)) == CAUSES


@pytest.mark.parametrize("in_task", [False, True])
@pytest.mark.parametrize("ends", ENDS)
def test_what_ends_more_than_a_stream_shows_no_injector(ends: type[BaseException], in_task: bool) -> None:
    def leave() -> Iterator[int]:
        yield 1
        try:
            raise KeyError("context")
        except KeyError:
            raise ends("own") from ValueError("cause")

    async def leave_later() -> AsyncIterator[int]:
        for one in leave():
            yield one

    called = wrap(leave_later if in_task else leave, Episode().session)()
    step = (lambda: anext(called).send(None)) if in_task else (lambda: next(called))
    with contextlib.suppress(StopIteration):  # how an awaited chunk comes
        assert step() == 1
    with pytest.raises(ends) as caught:
        step()
    assert PACKAGE not in "".join(traceback.format_exception(caught.value))
    assert frames(caught.value)[-1] == "leave"
    assert (repr(caught.value.__cause__), repr(caught.value.__context__)) == CAUSES


@pytest.mark.parametrize("in_task", [False, True])
def test_an_error_keeps_its_context_where_the_agent_handles_another(in_task: bool) -> None:
    """As in a retry: on the long way, which the first calls take, and on the short one."""

    def ask() -> None:
        try:
            raise KeyError("root cause")
        except KeyError:
            raise LookupError("visible")  # noqa: B904

    async def ask_later() -> None:
        ask()

    called = wrap(ask_later if in_task else ask, Episode().session)
    for _ in range(12):
        try:
            raise OSError("agent")
        except OSError:
            with pytest.raises(LookupError) as caught:
                called().send(None) if in_task else called()
        assert repr(caught.value.__context__) == "KeyError('root cause')"
        assert repr(caught.value.__context__.__context__) == "OSError('agent')"


@pytest.mark.parametrize("entry", ["src", "./src", "/./src", "//src"])
def test_frames_are_known_by_the_folder_however_it_is_written(entry: str, tmp_path: Path) -> None:
    """And a package whose name only begins with ours is not ours."""
    shop = tmp_path / "src" / "sealegs_shop.py"
    shop.parent.mkdir()
    shop.write_text("def pay():\n    helper()\n\n\ndef helper():\n    raise ValueError('own')\n")
    (shop.parent / "sealegs").symlink_to(PACKAGE)
    folder = entry if entry[0] in "s." else f"{tmp_path}{entry}"
    code = f"""
import sys, traceback
sys.path.insert(0, {folder!r})
from sealegs import wrap, Session
from sealegs.inject import VirtualClock
from sealegs.traces import Recorder
from sealegs.faults import naming
import sealegs_shop
assert naming.import_object.__code__.co_filename.startswith(naming.NOT_THEIRS[-1])
pay = wrap(sealegs_shop.pay, Session(watcher=Recorder(VirtualClock())))
for _ in range(12):
    try:
        pay()
    except ValueError as error:
        frames = traceback.extract_tb(error.__traceback__)
        assert [one.name for one in frames] == ["<module>", "pay", "pay", "helper"], frames
        assert not any("/sealegs/" in one.filename for one in frames), frames
"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


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
