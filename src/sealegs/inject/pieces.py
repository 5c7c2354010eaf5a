"""The two drivers of calls whose answer comes piece by piece.

They run the same layers as `seam`'s, and yield the pieces that the agent is shown, each as it comes; last an `End` with
the outcome of the whole. Where a layer wants to know the whole answer before any of it is shown, nothing is yielded
until then. Closing a driver closes the tool and every layer: the agent has heard enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call, Layer, Outcome, Value, Wait
from sealegs.inject.clock import Clock
from sealegs.inject.seam import NO_ANSWER

Run = Callable[[Call], Generator[Any, None, None]]
RunAsync = Callable[[Call], AsyncGenerator[Any, None]]
Split = Callable[[Outcome], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class End:
    """What comes after the last piece: the whole answer as one outcome."""

    outcome: Outcome


class _Showing:
    """What has been shown of an answer.

    Args:
        split: the pieces of an outcome of the whole.
    """

    __slots__ = ("_ahead", "_split", "_waiting")

    def __init__(self, split: Split) -> None:
        self._split = split
        self._ahead = False  # something was shown before the layers were done
        self._waiting: deque[Any] | None = None  # pieces of the last whole answer that are held back

    def flows(self, request: Call) -> bool:
        """Whether the pieces of the run that begins now are shown as they come."""
        self._waiting = None
        self._ahead = self._ahead or request.pieces is not None
        return request.pieces is not None

    def next(self, wait: Wait, answer: Outcome) -> Sequence[Any]:
        """What is shown after a wait."""
        if self._waiting is None:
            self._waiting = deque(self._split(answer))
        self._ahead = True
        return [self._waiting.popleft() for _ in range(min(wait.pieces, len(self._waiting)))]

    def left(self) -> Value:
        """How many pieces are still held back."""
        return Value(len(self._waiting or ()))

    def rest(self, outcome: Outcome) -> Iterable[Any]:
        """What is to be shown when the layers are done: all, or nothing where it has been."""
        return () if self._ahead else self._split(outcome)


def drive_pieces(layer: Layer, call: Call, run: Run, split: Split, clock: Clock) -> Generator[Any, None, None]:
    """Run a call through a layer, in the thread that asks for the pieces.

    Args:
        layer: the layer.
        call: the call; its `pieces` say that pieces are wanted as they come.
        run: runs the tool: yields pieces (as many as `Call.pieces` says, where it says so), last an `End`. What it
            raises passes through.
        split: the pieces of an outcome that was not shown as it came; none of a failure.
        clock: lets time pass.
    """
    answer: Outcome = NO_ANSWER
    said: Outcome = NO_ANSWER
    showing = _Showing(split)
    generator = layer(call)
    try:
        request = next(generator)
        while True:
            if isinstance(request, Call):
                flows = showing.flows(request)
                with closing(run(request)) as pieces:
                    for piece in pieces:
                        if isinstance(piece, End):
                            answer = said = piece.outcome
                            break
                        if flows:
                            yield piece
            else:
                clock.sleep(request.seconds, generator.close)
                answer = NO_ANSWER
                if request.pieces and call.pieces is not None:
                    yield from showing.next(request, said)
                    answer = showing.left()
            request = generator.send(answer)
    except StopIteration as stop:
        outcome: Outcome = stop.value
    finally:
        generator.close()
        answer = said = NO_ANSWER  # its exception and this frame would hold one another
    yield from showing.rest(outcome)
    yield End(outcome)


async def drive_pieces_async(
    layer: Layer, call: Call, run: RunAsync, split: Split, clock: Clock
) -> AsyncGenerator[Any, None]:
    """Run a call through a layer, in the task that asks for the pieces; see `drive_pieces`."""
    answer: Outcome = NO_ANSWER
    said: Outcome = NO_ANSWER
    showing = _Showing(split)
    generator = layer(call)
    try:
        request = next(generator)
        while True:
            if isinstance(request, Call):
                flows = showing.flows(request)
                async with aclosing(run(request)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, End):
                            answer = said = piece.outcome
                            break
                        if flows:
                            yield piece
            else:
                await clock.sleep_async(request.seconds, generator.close)
                answer = NO_ANSWER
                if request.pieces and call.pieces is not None:
                    for piece in showing.next(request, said):
                        yield piece
                    answer = showing.left()
            request = generator.send(answer)
    except StopIteration as stop:
        outcome: Outcome = stop.value
    finally:
        generator.close()
        answer = said = NO_ANSWER  # its exception and this frame would hold one another
    for piece in showing.rest(outcome):
        yield piece
    yield End(outcome)
