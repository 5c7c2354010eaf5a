"""The two drivers of a conversation: one for threads, one for tasks. The only place of this room that waits."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, TypeVar

from sealegs.faults.call import Outcome
from sealegs.sandbox.conversation import Read, Request, Write

AT_ONCE = 1 << 16  # what a pipe holds

T = TypeVar("T")
Answer = Callable[[str, Mapping[str, Any]], Outcome | Awaitable[Outcome]]


def drive_conversation(talk: Generator[Request, Any, T], requests: int, replies: int, answer: Answer) -> T:
    """Run a conversation in this thread. What `answer` raises passes through.

    Raises:
        TypeError: `answer` is async.
    """
    reading, writing = select.poll(), select.poll()
    reading.register(replies, select.POLLIN)
    writing.register(requests, select.POLLOUT)
    came: Any = None
    try:
        while True:
            try:
                request = talk.send(came)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(request, Read):
                came = _taken(replies) if reading.poll(_milliseconds(request.seconds)) else None
            elif isinstance(request, Write):
                came = _given(requests, request.data) if writing.poll(_milliseconds(request.seconds)) else 0
            else:
                came = answer(request.tool, request.arguments)
                if isinstance(came, Awaitable):
                    if asyncio.iscoroutine(came):
                        # Else Python would warn of a coroutine that was never awaited, behind the error that says what
                        # is wrong.
                        came.close()
                    raise TypeError("the functions are async; use run_async")
    finally:
        talk.close()


async def drive_conversation_async(talk: Generator[Request, Any, T], requests: int, replies: int, answer: Answer) -> T:
    """Run a conversation in this task. What `answer` raises passes through; so does cancellation."""
    came: Any = None
    try:
        while True:
            try:
                request = talk.send(came)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(request, Read):
                came = _taken(replies) if await _ready(replies, request.seconds, writing=False) else None
            elif isinstance(request, Write):
                usable = await _ready(requests, request.seconds, writing=True)
                came = _given(requests, request.data) if usable else 0
            else:
                came = answer(request.tool, request.arguments)
                if isinstance(came, Awaitable):
                    came = await came
    finally:
        talk.close()


async def _ready(descriptor: int, seconds: float, writing: bool) -> bool:
    """Return whether the descriptor can be used, waiting for it in this task."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT if writing else select.POLLIN)
    if poll.poll(0):
        return True
    loop = asyncio.get_running_loop()
    usable: asyncio.Future[None] = loop.create_future()
    add, remove = (loop.add_writer, loop.remove_writer) if writing else (loop.add_reader, loop.remove_reader)
    add(descriptor, _resolve, usable)
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await usable
    except TimeoutError:
        return bool(poll.poll(0))  # where this process was stopped meanwhile, time and data may have come together
    finally:
        remove(descriptor)
    return True


def _resolve(usable: asyncio.Future[None]) -> None:
    if not usable.done():
        usable.set_result(None)


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _taken(descriptor: int) -> bytes:
    return os.read(descriptor, AT_ONCE)


def _given(descriptor: int, data: bytes | memoryview) -> int:
    """The number of bytes that were taken; none if the other end is gone."""
    try:
        return os.write(descriptor, data[:AT_ONCE])
    except (BlockingIOError, BrokenPipeError):
        return 0
