"""The two drivers of calls whose answer comes chunk by chunk.

They run the same layers as `seam`'s, and yield the chunks that the agent is shown, each as it comes; last an
`StreamEnd` with the outcome of the whole. Where a layer wants to know the whole answer before any of it is shown,
nothing is yielded until then; where one holds chunks back, the next chunk is requested of the tool when the last was
shown. Closing a driver closes the tool and every layer: the agent has heard enough.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import AsyncExitStack, ExitStack, aclosing, closing, suppress
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import MORE_TO_COME, Call, Layer, Outcome
from sealegs.inject.call_context import running
from sealegs.inject.clock import Clock
from sealegs.inject.seam import NO_ANSWER

Run = Callable[[Call], Generator[Any, None, None]]
RunAsync = Callable[[Call], AsyncGenerator[Any, None]]
Split = Callable[[Outcome], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The end of a stream after its last chunk: the whole answer as one outcome."""

    outcome: Outcome


def drive_stream(layer: Layer, call: Call, run: Run, split: Split, clock: Clock) -> Generator[Any, None, None]:
    """Run a call through a layer, in the thread that asks for the chunks.

    Args:
        layer: the layer.
        call: the call; its `chunks` say that chunks are wanted as they come.
        run: runs the tool: yields chunks (as many as `Call.chunks` says, where it says so), last an `StreamEnd`. What
            it raises passes through.
        split: the chunks of an outcome that was not shown as it came; none of a failure.
        clock: lets time pass.
    """
    answer: Outcome = NO_ANSWER
    latest: Outcome = NO_ANSWER  # the answer to the last call; `MORE_TO_COME` while `chunk` is still to be shown
    coming: Generator[Any, None, None] | None = None  # the chunks after it; None where all are held back in `latest`
    ahead = False  # something was shown before the layers were done
    generator = layer(call)
    try:
        with ExitStack() as runs:
            request = next(generator)
            while True:
                # The run before may still be open, its chunks held: this call takes its place.
                if isinstance(request, Call):
                    runs.close()
                    coming = runs.enter_context(_Closing(_within(request, run)))
                    # Shown as they come, so the outcome must not be split and shown once more at the end.
                    ahead = ahead or request.chunks is not None
                    latest, chunk = _taken(next(coming))
                    while latest is MORE_TO_COME and not request.buffered:
                        if request.chunks is not None:
                            yield chunk
                        latest, chunk = _taken(next(coming))
                    answer = latest
                    # A run whose chunks are held stays open: waits that follow let them through one by one.
                    if not request.buffered:
                        runs.close()
                        coming = None
                else:
                    clock.sleep(request.seconds, generator.close)
                    answer = NO_ANSWER
                    if request.chunks and call.chunks is not None:
                        # The layers have the whole answer already, as one that was not held; it is cut again, to be let
                        # through in parts.
                        if coming is None:
                            coming = runs.enter_context(closing(_known(latest, split)))
                            latest, chunk = _taken(next(coming))
                        for _ in range(request.chunks):
                            if latest is MORE_TO_COME:
                                ahead = True
                                yield chunk
                                latest, chunk = _taken(next(coming))
                        answer = latest
                request = generator.send(answer)
    except StopIteration as stop:
        outcome: Outcome = stop.value
    finally:
        generator.close()
        answer = latest = NO_ANSWER  # its exception and this frame would hold one another
    if not ahead:
        yield from split(outcome)
    yield StreamEnd(outcome)


async def drive_stream_async(
    layer: Layer, call: Call, run: RunAsync, split: Split, clock: Clock
) -> AsyncGenerator[Any, None]:
    """Run a call through a layer, in the task that asks for the chunks; see `drive_stream`."""
    answer: Outcome = NO_ANSWER
    latest: Outcome = NO_ANSWER  # the answer to the last call; `MORE_TO_COME` while `chunk` is still to be shown
    coming: AsyncGenerator[Any, None] | None = None  # the chunks after it; None where all are held back in `latest`
    ahead = False  # something was shown before the layers were done
    generator = layer(call)
    try:
        async with AsyncExitStack() as runs:
            request = next(generator)
            while True:
                if isinstance(request, Call):
                    await runs.aclose()
                    coming = await runs.enter_async_context(_AsyncClosing(_within_async(request, run)))
                    ahead = ahead or request.chunks is not None
                    latest, chunk = _taken(await anext(coming))
                    while latest is MORE_TO_COME and not request.buffered:
                        if request.chunks is not None:
                            yield chunk
                        latest, chunk = _taken(await anext(coming))
                    answer = latest
                    if not request.buffered:
                        await runs.aclose()
                        coming = None
                else:
                    await clock.sleep_async(request.seconds, generator.close)
                    answer = NO_ANSWER
                    if request.chunks and call.chunks is not None:
                        if coming is None:
                            coming = await runs.enter_async_context(aclosing(_known_async(latest, split)))
                            latest, chunk = _taken(await anext(coming))
                        for _ in range(request.chunks):
                            if latest is MORE_TO_COME:
                                ahead = True
                                yield chunk
                                latest, chunk = _taken(await anext(coming))
                        answer = latest
                request = generator.send(answer)
    except StopIteration as stop:
        outcome: Outcome = stop.value
    finally:
        generator.close()
        answer = latest = NO_ANSWER  # its exception and this frame would hold one another
    if not ahead:
        for chunk in split(outcome):
            yield chunk
    yield StreamEnd(outcome)


class _Closing:
    """A run that is closed at last. What the tool's clean-up raises is heard by a caller that left, and by no other."""

    def __init__(self, chunks: Generator[Any, None, None]) -> None:
        self._chunks = chunks

    def __enter__(self) -> Generator[Any, None, None]:
        return self._chunks

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with suppress(*_unheard(kind)):
            self._chunks.close()


class _AsyncClosing:
    """The same of an async run."""

    def __init__(self, chunks: AsyncGenerator[Any, None]) -> None:
        self._chunks = chunks

    async def __aenter__(self) -> AsyncGenerator[Any, None]:
        return self._chunks

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with suppress(*_unheard(kind)):
            await self._chunks.aclose()


def _unheard(kind: type[BaseException] | None) -> tuple[type[Exception], ...]:
    return () if kind is GeneratorExit else (Exception,)


def _within(call: Call, run: Run) -> Generator[Any, None, None]:
    """The chunks of a run, each made while its call counts as the current one, which it does not in between."""
    # `running` is reset around each chunk because the generator's frame runs in its consumer's context.
    with closing(run(call)) as chunks:
        while True:
            before = running.get()
            running.set(call)
            try:
                chunk = next(chunks)
            finally:
                running.set(before)
            yield chunk
            # Stops here instead of at the generator's end: whatever a tool yields afterwards is not part of its answer.
            if isinstance(chunk, StreamEnd):
                return


async def _within_async(call: Call, run: RunAsync) -> AsyncGenerator[Any, None]:
    """The same of an async run."""
    async with aclosing(run(call)) as chunks:
        while True:
            before = running.get()
            running.set(call)
            try:
                chunk = await anext(chunks)
            finally:
                running.set(before)
            yield chunk
            if isinstance(chunk, StreamEnd):
                return


def _taken(found: Any) -> tuple[Outcome, Any]:
    """The outcome that a layer is given for what comes next, and the chunk to show if it is one."""
    return (found.outcome, None) if isinstance(found, StreamEnd) else (MORE_TO_COME, found)


def _known(outcome: Outcome, split: Split) -> Generator[Any, None, None]:
    yield from split(outcome)
    yield StreamEnd(outcome)


async def _known_async(outcome: Outcome, split: Split) -> AsyncGenerator[Any, None]:
    for chunk in _known(outcome, split):
        yield chunk
