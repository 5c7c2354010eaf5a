"""The call that is being run, for a tool's own code.

A tool may write the call's id beside what it does (a ledger), leave out its effect where a fault asks for that
(`dry`), or stop after some of its effects (`cut`). The drivers set the call in the context in which they run the
tool: tasks and `asyncio.to_thread` inherit it, threads that the tool starts by itself do not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TypeVar

from sealegs.faults.call import Call

T = TypeVar("T")

running: ContextVar[Call | None] = ContextVar("sealegs_call", default=None)  # only the drivers set it


def current_call() -> Call | None:
    """The call that this code is run for.

    Returns:
        The call as it reached the tool: its arguments may be others than the agent's, and `nth` counts only where a
        fault strikes it. None outside of a tool, and in a session that nobody watches where nothing strikes the call:
        there is no record then to which its id could belong.
    """
    return running.get()


def run_as_current(call: Call, run: Callable[[Call], T]) -> T:
    """Run a call as the current one, and return its result."""
    before = running.get()
    running.set(call)
    try:
        return run(call)
    finally:
        running.set(before)


async def run_as_current_async(call: Call, run: Callable[[Call], Awaitable[T]]) -> T:
    """The same in a task."""
    before = running.get()
    running.set(call)
    try:
        return await run(call)
    finally:
        running.set(before)
