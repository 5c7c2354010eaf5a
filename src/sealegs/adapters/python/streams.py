"""The wrappers of tools that answer chunk by chunk: generators, sync and async.

To faults and records the answer is the list of the chunks. Chunks pass as they come, until a fault that must know them
all strikes the call: then they are gathered first. An answer that a fault has made something else than a list is shown
as one chunk. A generator works only as far as its chunks are taken, so where the agent is shown a part of an answer
although the tool did its work, the others are taken and not shown.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import aclosing, closing, suppress
from itertools import islice
from types import FunctionType
from typing import Any

from sealegs.adapters.python.exceptions import (
    exception_from_failure,
    failure_from_exception,
    seen_from_outside,
    without_own_frames,
)
from sealegs.adapters.python.guards import AnyTool, Route, let_out, module_of
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults.call import Call, Failure, Outcome, PartialExecution, PartialResult, Value
from sealegs.inject import NO_DRY_RUN, StreamEnd


def _run_of(
    function: AnyTool,
    dry: AnyTool | None,
    parameters: Parameters,
    arguments: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """A function that runs the generator function below the seam, for a call with these arguments."""

    def run(call: Call) -> Generator[Any, None, None]:
        target = dry if call.dry else function
        if target is None:
            yield StreamEnd(NO_DRY_RUN)
            return
        given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
        chunks: list[Any] = []
        outcome: Outcome | None = None
        source = _generator(())
        try:
            source = _generator(target(*given, **named))
            for chunk in source:
                # One further chunk was asked for to know whether there is one: an answer of no more chunks is whole.
                if len(chunks) == call.chunks:
                    outcome = _part(chunks, sum(1 for _ in islice(source, call.beyond)), call.beyond)
                    break
                chunks.append(chunk)
                try:
                    yield chunk
                except GeneratorExit:
                    break
            else:
                outcome = Value(chunks)
        except Exception as error:
            outcome = failure_from_exception(error)
        # Not while the exit is handled, which would be the context of what the tool's clean-up raises.
        if outcome is None:
            source.close()
            return
        with suppress(Exception):  # the caller does not hear how a tool ends that is left in the middle
            source.close()
        yield StreamEnd(outcome)

    return run


def stream_guard(
    function: AnyTool, name: str, parameters: Parameters, dry: AnyTool | None, route: Route
) -> FunctionType:
    """The wrapper of a generator function."""
    module, read, session_of, spec = module_of(function), parameters.named, route.session, route.spec

    def guarded(*args: Any, **kwargs: Any) -> Any:
        if (session := session_of()) is None or (
            intercepted := session.intercept(name, read, args, kwargs, spec)
        ) is None:
            return (yield from function(*args, **kwargs))
        left = False  # by the caller, which takes no more
        try:
            run = _run_of(function, dry, parameters, intercepted.arguments, args, kwargs)
            with closing(intercepted.stream(run, answer_chunks)) as chunks:
                for chunk in chunks:
                    if type(chunk) is not StreamEnd:
                        left = True
                        yield chunk
                        left = False
        except BaseException as error:
            raise _left_with(error) if left else let_out(error)  # noqa: B904
        if isinstance(chunk.outcome, Value):
            return None
        try:
            raise exception_from_failure(chunk.outcome, module)
        finally:
            del chunk  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def _async_run(
    function: AnyTool,
    dry: AnyTool | None,
    parameters: Parameters,
    arguments: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The same for an async generator function."""

    async def run(call: Call) -> AsyncGenerator[Any, None]:
        target = dry if call.dry else function
        if target is None:
            yield StreamEnd(NO_DRY_RUN)
            return
        given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
        chunks: list[Any] = []
        outcome: Outcome | None = None
        source: Any = None
        try:
            source = target(*given, **named)
            async for chunk in source:
                # As in a sync tool: only a further chunk shows that those before are a part.
                if len(chunks) == call.chunks:
                    outcome = _part(chunks, await _count(source, call.beyond), call.beyond)
                    break
                chunks.append(chunk)
                try:
                    yield chunk
                except GeneratorExit:
                    break
            else:
                outcome = Value(chunks)
        except Exception as error:
            outcome = failure_from_exception(error)
        if outcome is None:
            await source.aclose()
            return
        if isinstance(outcome, Value):
            with suppress(Exception):
                await source.aclose()
        yield StreamEnd(outcome)

    return run


def async_stream_guard(
    function: AnyTool, name: str, parameters: Parameters, dry: AnyTool | None, route: Route
) -> FunctionType:
    """The wrapper of an async generator function."""
    module, read, session_of, spec = module_of(function), parameters.named, route.session, route.spec

    async def guarded(*args: Any, **kwargs: Any) -> Any:
        if (session := session_of()) is None or (
            intercepted := session.intercept(name, read, args, kwargs, spec)
        ) is None:
            # What `yield from` does for a sync tool.
            source = function(*args, **kwargs)
            thrown: BaseException | None = None
            try:
                chunk = await anext(source)
                while True:
                    try:
                        sent = yield chunk
                    except BaseException as error:
                        thrown = seen_from_outside(error)
                    # Not while the exception is handled, which would be the context of what the tool then raises.
                    if thrown is None:
                        chunk = await (anext(source) if sent is None else source.asend(sent))
                    else:
                        chunk = await source.athrow(thrown)
                        thrown = None
            except StopAsyncIteration:
                return
            finally:
                del thrown  # its traceback and this frame would hold one another
        left = False
        try:
            run = _async_run(function, dry, parameters, intercepted.arguments, args, kwargs)
            async with aclosing(intercepted.stream_async(run, answer_chunks)) as chunks:
                async for chunk in chunks:
                    if type(chunk) is not StreamEnd:
                        left = True
                        yield chunk
                        left = False
        except BaseException as error:
            raise _left_with(error) if left else let_out(error)  # noqa: B904
        if isinstance(chunk.outcome, Value):
            return
        try:
            raise exception_from_failure(chunk.outcome, module)
        finally:
            del chunk  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def _generator(chunks: Iterable[Any]) -> Generator[Any, None, None]:
    """The generator of these chunks; a version of a tool that runs dry may answer with any."""
    return chunks if isinstance(chunks, Generator) else (chunk for chunk in chunks)


def _left_with(error: BaseException) -> BaseException:
    """The exception that ends a call that its caller left: the exit itself, or what the tool's clean-up then raised.

    Call it in the frame that caught it.
    """
    inner = error
    while (context := inner.__context__) is not None:
        if context.__traceback__ is not None and without_own_frames(context.__traceback__) is None:
            inner.__context__ = None  # the exits of the drivers, one after the other
            break
        inner = context
    below = error.__traceback__
    while below is not None and below.tb_frame.f_code.co_filename != __file__:  # down to the run, which called the tool
        below = below.tb_next
    return seen_from_outside(error) if below is None else error.with_traceback(without_own_frames(below))


async def _count(source: AsyncGenerator[Any, None], most: int) -> int:
    """Take so many chunks at most, and return how many there were."""
    count = 0
    while count < most:
        try:
            await anext(source)
        except StopAsyncIteration:
            break
        count += 1
    return count


def _part(chunks: list[Any], more: int, most: int) -> Value:
    """The answer of which only these chunks are shown: its tool did all of its work where it gave less than `most`."""
    part = PartialResult(chunks)
    return Value(part) if more < most else PartialExecution(part)


def answer_chunks(outcome: Outcome) -> Iterable[Any]:
    """The chunks of an answer that faults may have changed; none of a failure."""
    if isinstance(outcome, Failure):
        return ()
    return outcome.value if isinstance(outcome.value, list) else (outcome.value,)
