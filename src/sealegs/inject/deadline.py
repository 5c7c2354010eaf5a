"""A deadline for a tool's own run, in seconds of real time whatever the episode's clock.

In a task, the run is a task of its own that is cancelled; one that does not heed it is left behind after a moment. In a
thread, the run has a worker thread of its own, and nobody waits for it after the deadline: Python cannot end a thread,
so it continues, holds what it holds, and may have its effect late. Either way it is not known what the tool did, and
the failure says so (408). It is not for answers that come chunk by chunk, tools that must run in the caller's own
thread (an open SQLite connection, a GUI), or C code that holds the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable

from sealegs.faults.call import Call, Failure, Outcome

LEFT_BEHIND = "_left_behind"  # the mark of an exception; its type is the one that everybody catches
GRACE = 1.0  # seconds that a cancelled run has to end


def with_deadline(run: Callable[[Call], Outcome], seconds: float) -> Callable[[Call], Outcome]:
    """Make a function that runs the tool in a thread and gives up after these seconds. Its exceptions pass through."""

    def timed(call: Call) -> Outcome:
        answers: list[Outcome] = []
        errors: list[BaseException] = []
        over = threading.Event()
        # so that the tool finds its session and the current call in the new thread
        context = contextvars.copy_context()

        def work() -> None:
            try:
                answers.append(context.run(run, call))
            except BaseException as error:  # whatever it is, it is the caller's
                errors.append(error)
            finally:
                over.set()

        # A daemon: a tool that never ends must not keep the process from ending.
        threading.Thread(target=work, name=f"sealegs {call.tool} {call.id}", daemon=True).start()
        if not over.wait(seconds):  # set only after the answer was stored, so that the lists need no lock
            return deadline_failure(call, seconds, "It may still be at work")
        if errors:
            try:
                raise errors[0]
            finally:
                errors.clear()  # the exception and this frame would hold one another
        return answers[0]

    return timed


def with_deadline_async(
    run: Callable[[Call], Awaitable[Outcome]], seconds: float
) -> Callable[[Call], Awaitable[Outcome]]:
    """The same in a task."""

    async def timed(call: Call) -> Outcome:
        # `create_task` takes coroutines only, and a run may return any awaitable.
        async def work() -> Outcome:
            return await run(call)

        task = asyncio.create_task(work(), name=f"sealegs {call.tool} {call.id}")
        try:
            # Not `wait_for`: it waits for the cancelled run to end, and one that ignores the cancellation never does.
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:  # the caller was cancelled; `wait` does not pass that on
            await _cancelled(task)
            raise
        if not task.done() and not await _cancelled(task):
            return deadline_failure(call, seconds, "It was cancelled and may have done its work before")
        return task.result()

    return timed


def deadline_failure(call: Call, seconds: float, state: str) -> Failure:
    """The failure of a call whose tool gave no answer in time."""
    message = f"{call.tool} gave no answer within {seconds:g} s. {state}: find out before you ask again."
    error = TimeoutError(message)
    setattr(error, LEFT_BEHIND, True)
    return Failure(message, type="Timeout", status=408, exception=error)


def was_left_running(failure: Failure) -> bool:
    """Return whether the run behind a failure was given up at its deadline: it may still be at work."""
    return getattr(failure.exception, LEFT_BEHIND, False) is True


async def _cancelled(task: asyncio.Task[Outcome]) -> bool:
    """Cancel it, and give it a moment to end; whether it came to an answer of its own all the same.

    A failure is none: many clients turn a cancellation into an error of their own, whatever was done by then.
    """
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE)
    if not task.done():
        task.add_done_callback(_heard)  # it is left behind, and nobody asks for what becomes of it
        return False
    return not _heard(task) and not isinstance(task.result(), Failure)


def _heard(task: asyncio.Task[Outcome]) -> bool:
    """Return whether it came to nothing; asking says that its exception is known."""
    return task.cancelled() or task.exception() is not None
