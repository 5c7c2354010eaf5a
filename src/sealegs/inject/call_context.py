"""The call that is being run, for a tool's own code.

A tool may write the call's id beside what it does (a ledger), leave out its effect where a fault asks for that
(`dry`), or stop after some of its effects (`cut`). The drivers set the call in the context in which they run the
tool: tasks and `asyncio.to_thread` inherit it, threads that the tool starts by itself do not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TypeVar

from sealegs.faults.call import Call, Failure, Outcome

T = TypeVar("T")

# Only the drivers and followed calls set it.
running: ContextVar[Call | FollowedCall | None] = ContextVar("sealegs_call", default=None)


def current_call() -> Call | None:
    """The call that this code is run for.

    Returns:
        The call as it reached the tool: its arguments may be others than the agent's, and `nth` counts only where a
        fault strikes it. None outside of a tool, and in a session that nobody watches where nothing strikes the call:
        there is no record then to which its id could belong.
    """
    found = running.get()
    return found.call() if isinstance(found, FollowedCall) else found


def call_id(number: int) -> str:
    """The id of a call with this number in its episode."""
    return f"call-{number}"


class FollowedCall:  # no abstract class: to ask whether something is an instance of one costs too much
    """A call while an adapter runs its tool: nothing strikes it and a watcher follows it, or a fault takes its answer.

    The adapter begins it, runs the tool, and says what came of it, whatever that is. Between the two it is the current
    call. To make it costs a fraction of what a `Call` and its way through a session do.
    """

    __slots__ = ()

    def call(self) -> Call:
        """The call, for the tool's own code."""
        raise NotImplementedError

    def begin(self) -> None:
        """Make it the current call."""
        raise NotImplementedError

    def answered(self, value: object) -> Outcome | None:
        """End it: the tool returned this.

        Returns:
            what is shown in its place; None for the value itself.
        """
        raise NotImplementedError

    def failed(self, failure: Failure | None) -> Outcome | None:
        """End it: the tool failed, or the caller is gone (None).

        Returns:
            what is shown in its place; None for the failure itself.
        """
        raise NotImplementedError


def make_current(before: Call | FollowedCall | None, abandoned: Call | FollowedCall) -> None:
    """Make the call before one that was abandoned the current one again, unless another is by now.

    Garbage collection may end what a task left behind, in the midst of any other tool.
    """
    if running.get() is abandoned:
        running.set(before)


def run_as_current(call: Call, run: Callable[[Call], T], left: Callable[[Call], object] | None = None) -> T:
    """Run a call as the current one, and return its result. `left`: called if there is none, but an exception."""
    before = running.get()
    running.set(call)
    try:
        return run(call)
    except BaseException:
        if left is not None:
            left(call)
        raise
    finally:
        running.set(before)


async def run_as_current_async(
    call: Call, run: Callable[[Call], Awaitable[T]], left: Callable[[Call], object] | None = None
) -> T:
    """The same in a task."""
    before = running.get()
    running.set(call)
    try:
        return await run(call)
    except BaseException:
        if left is not None:
            left(call)
        raise
    finally:
        make_current(before, call)
