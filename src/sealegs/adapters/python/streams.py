"""The wrappers of tools that answer piece by piece: generators, sync and async.

To faults and records the answer is the list of the pieces. Pieces pass as they come, until a fault that must know them
all strikes the call: then they are gathered first. An answer that a fault has made something else than a list is shown
as one piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import aclosing, closing
from types import FunctionType
from typing import Any

from sealegs.adapters.python.exceptions import exception_from_failure, failure_from_exception, without_own_frames
from sealegs.adapters.python.guards import AnyTool, Route, module_of
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults.call import Call, Failure, Outcome, PartialResult, Value
from sealegs.inject import NO_DRY_RUN, StreamEnd


def stream_guard(
    function: AnyTool, name: str, parameters: Parameters, dry: AnyTool | None, route: Route
) -> FunctionType:
    """The wrapper of a generator function."""
    module, read, (sessions, find) = module_of(function), parameters.named, route

    def running(arguments: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        def run(call: Call) -> Generator[Any, None, None]:
            target = dry if call.dry else function
            if target is None:
                yield StreamEnd(NO_DRY_RUN)
                return
            given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
            pieces: list[Any] = []
            try:
                for piece in target(*given, **named):
                    # One further piece was asked for to know whether there is one: an answer of no more pieces is
                    # whole.
                    if len(pieces) == call.pieces:
                        yield StreamEnd(Value(PartialResult(pieces)))
                        return
                    pieces.append(piece)
                    yield piece
            except Exception as error:
                yield StreamEnd(failure_from_exception(error))
                return
            yield StreamEnd(Value(pieces))

        return run

    def guarded(*args: Any, **kwargs: Any) -> Any:
        if (
            not sessions
            or (session := find()) is None
            or (crossing := session.intercept(name, read, args, kwargs)) is None
        ):
            return (yield from function(*args, **kwargs))
        with closing(crossing.pieces(running(crossing.arguments, args, kwargs), answer_chunks)) as pieces:
            for piece in pieces:
                if type(piece) is not StreamEnd:
                    yield piece
        if isinstance(piece.outcome, Value):
            return None
        try:
            raise exception_from_failure(piece.outcome, module)
        finally:
            del piece  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def _async_run(
    function: AnyTool,
    dry: AnyTool | None,
    parameters: Parameters,
    arguments: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A function that runs the generator function below the seam, for a call with these arguments."""

    async def run(call: Call) -> AsyncGenerator[Any, None]:
        target = dry if call.dry else function
        if target is None:
            yield StreamEnd(NO_DRY_RUN)
            return
        given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
        pieces: list[Any] = []
        try:
            async with aclosing(target(*given, **named)) as source:
                async for piece in source:
                    # As in a sync tool: only a further piece shows that those before are a part.
                    if len(pieces) == call.pieces:
                        yield StreamEnd(Value(PartialResult(pieces)))
                        return
                    pieces.append(piece)
                    yield piece
        except Exception as error:
            yield StreamEnd(failure_from_exception(error))
            return
        yield StreamEnd(Value(pieces))

    return run


def async_stream_guard(
    function: AnyTool, name: str, parameters: Parameters, dry: AnyTool | None, route: Route
) -> FunctionType:
    """The wrapper of an async generator function."""
    module, read, (sessions, find) = module_of(function), parameters.named, route

    async def guarded(*args: Any, **kwargs: Any) -> Any:
        if (
            not sessions
            or (session := find()) is None
            or (crossing := session.intercept(name, read, args, kwargs)) is None
        ):
            async with aclosing(function(*args, **kwargs)) as source:
                async for piece in source:
                    yield piece
            return
        try:
            run = _async_run(function, dry, parameters, crossing.arguments, args, kwargs)
            async with aclosing(crossing.pieces_async(run, answer_chunks)) as pieces:
                async for piece in pieces:
                    if type(piece) is not StreamEnd:
                        yield piece
        except asyncio.CancelledError as gone:
            raise gone.with_traceback(without_own_frames(gone.__traceback__ and gone.__traceback__.tb_next)) from None
        if isinstance(piece.outcome, Value):
            return
        try:
            raise exception_from_failure(piece.outcome, module)
        finally:
            del piece  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def answer_chunks(outcome: Outcome) -> Iterable[Any]:
    """The pieces of an answer that faults may have changed; none of a failure."""
    if isinstance(outcome, Failure):
        return ()
    return outcome.value if isinstance(outcome.value, list) else (outcome.value,)
