"""A tool's own code learns which call it is run for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import sealegs
from sealegs.adapters.bridge import ToolCallBridge
from sealegs.adapters.python import tool, wrap
from sealegs.faults import ToolSpec
from sealegs.faults.call import Call, PartialExecution
from sealegs.faults.kinds import Duplicate, Error, Poisoned, SilentNoop
from sealegs.inject import Session, VirtualClock, current_call
from sealegs.recovery.layer import RecoveryLayer
from sealegs.traces import Recorder, build_record
from tests.inject.staging import plan, rule


def watched(*rules: Any, **more: Any) -> tuple[Session, Recorder]:
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("episode", {})
    return Session(plan(*rules), clock=clock, watcher=recorder, **more), recorder


def id_of() -> str:
    call = current_call()
    return "" if call is None else call.id


async def id_in_a_task() -> str:
    await asyncio.sleep(0)
    return await asyncio.to_thread(id_of)


def test_there_is_none_outside() -> None:
    session, _ = watched()
    with session:
        assert sealegs.current_call() is None
        assert wrap(id_of, session)() == "call-1"
        assert current_call() is None
    assert tool(id_of)() == ""


def test_a_sync_tool_and_what_it_calls() -> None:
    session, _ = watched()
    inner = wrap(id_of, session)

    def outer() -> list[str]:
        return [id_of(), inner(), id_of()]

    assert wrap(outer, session)() == ["call-1", "call-2", "call-1"]


async def test_tasks_and_their_threads() -> None:
    session, _ = watched()
    wrapped = wrap(id_in_a_task, session)
    assert await asyncio.gather(*(wrapped() for _ in range(5))) == [f"call-{n}" for n in range(1, 6)]
    assert current_call() is None


def test_a_thread_of_the_tool_s_own_knows_nothing() -> None:
    session, _ = watched()
    found: list[str] = []

    def starts() -> None:
        thread = threading.Thread(target=lambda: found.append(id_of()))
        thread.start()
        thread.join()

    wrap(starts, session)()
    assert found == [""]


def test_chunks_are_made_under_the_call_and_shown_outside_of_it() -> None:
    session, _ = watched()

    def stream() -> Iterator[str]:
        yield id_of()
        yield id_of()

    seen = [(chunk, id_of()) for chunk in wrap(stream, session)()]
    assert seen == [("call-1", ""), ("call-1", "")]


async def test_the_chunks_of_an_async_stream() -> None:
    session, _ = watched()

    async def stream() -> AsyncIterator[str]:
        yield await id_in_a_task()
        yield id_of()

    seen = [(chunk, id_of()) async for chunk in wrap(stream, session)()]
    assert seen == [("call-1", ""), ("call-1", "")]


@pytest.mark.parametrize("session", [watched(layers=[RecoveryLayer()])[0], Session(layers=[RecoveryLayer()])])
async def test_under_recovery(session: Session) -> None:
    assert wrap(id_of, session)() == "call-1"
    assert await wrap(id_in_a_task, session)() == "call-2"


async def test_any_adapter() -> None:
    session, _ = watched(rule(Poisoned()))
    bridge = ToolCallBridge(session)
    assert bridge.call("a", {}, lambda given: id_of()).startswith("call-1")
    assert (await bridge.call_async("a", {}, lambda given: id_in_a_task())).startswith("call-2")


def test_a_tool_honours_dry_and_cut() -> None:
    done: list[str] = []
    calls: list[Call] = []

    def book(city: str) -> Any:
        call = current_call()
        assert call is not None
        calls.append(call)
        deeds = ["reserve", "pay"]
        done.extend(deeds[: call.cut])
        return PartialExecution({"city": city}) if call.cut else {"city": city}

    session, recorder = watched(rule(Error(), moment="during"), specs=[ToolSpec("book", effects=True, parts=2)])
    with pytest.raises(Exception, match="The tool failed"):
        wrap(book, session)("Oslo")
    assert (calls[0].cut, calls[0].arguments, done) == (1, {"city": "Oslo"}, ["reserve"])
    recorder.finish("answered")
    assert [injection.moment for turn in build_record(recorder.events).turns for injection in turn.injections] == [
        "during"
    ]


def test_the_ledger_of_a_tool_of_one_s_own() -> None:
    """Each entry carries the id under which the record tells what came of the call."""
    ledger: list[str] = []
    session, recorder = watched(rule(Duplicate(), "pay"), rule(SilentNoop(), "send"))

    def pay() -> str:
        ledger.append(f"pay {id_of()}")
        return "paid"

    def send() -> str:
        ledger.append(f"send {id_of()}")
        return "sent"

    wrap(pay, session)()
    wrap(send, session, dry=lambda: "sent")()
    assert ledger == ["pay call-1", "pay call-1"]
    recorder.finish("answered")
    assert [turn.call.id for turn in build_record(recorder.events).turns] == ["call-1", "call-2"]


def test_a_session_that_nobody_watches_follows_only_what_is_struck() -> None:
    session = Session(plan(rule(Poisoned(), "struck")), clock=VirtualClock())
    assert wrap(id_of, session)() == ""
    assert wrap(id_of, session, name="struck")().startswith("call-1")
