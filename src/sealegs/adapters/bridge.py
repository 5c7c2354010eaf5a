"""One call of a framework across the seam and back: what the adapters of frameworks have in common.

An adapter says how a result of its framework reads as data and how data is written as a result (`ResultCodec`). A
result that nothing touched is handed back as the very object; what a tool raised, as the very exception. Where in a
framework the calls are caught is up to its adapter.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.python.exceptions import exception_from_failure, failure_from_exception
from sealegs.faults.call import Call, Failure, Outcome, PartialExecution, Value, render
from sealegs.faults.spec import ToolSpec
from sealegs.inject import NO_DRY_RUN, InterceptedCall, Session, as_given, current

Arguments = Mapping[str, Any]


def _read(result: Any) -> Outcome:
    return Value(result)


def _written(value: Any, result: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class ResultCodec:
    """The conversion of a framework's results to outcomes and back.

    Attributes:
        read: a result as an outcome; a result that is itself an error reads as a failure.
        written: data as a result. Its second argument is what the tool returned last, None where it never did.
        failed: what becomes of a failure that is not the tool's own: a result, or an exception raised. By default the
            exception that plain Python shows.
        passing: exceptions by which the framework steers itself. They pass as if no session were there.
        dry: the answer to a call with these arguments that is to have no effect; None where there is no such answer.
    """

    read: Callable[[Any], Outcome] = _read
    written: Callable[[Any, Any], Any] = _written
    failed: Callable[[Failure], Any] | None = None
    passing: tuple[type[Exception], ...] = ()
    dry: Callable[[Arguments], Outcome] | None = None

    def without_effect(self, arguments: Arguments) -> Outcome:
        """The answer without effect."""
        return NO_DRY_RUN if self.dry is None else self.dry(arguments)


AS_IT_IS = ResultCodec()


def exception_text(failure: Failure) -> str:
    """The text by which a failure is shown where no exception can be: that of the exception."""
    return str(exception_from_failure(failure, "tools"))


def data_of(text: str) -> Any:
    """The data in a text, where a framework has only the text of a result: its object or list as JSON, else the text.

    Faults work on data; `result_text` writes what they leave as the tools of such a framework would.
    """
    # A bare number or `true` stays text: the tool may have meant the word.
    if text[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def result_text(value: Any) -> str:
    """The value as the text of a result."""
    return render(Value(value))


class ToolCallBridge:
    """The way of a framework's calls over the seam.

    Args:
        session: the episode; None takes the one that is active when a call is made, and none if none is.
        form: how results look.
        module: the module that injected exceptions claim to come from.
        spec: what the framework's own marks say of the tool (`marks.spec_from_marks`), where the bridge is one
            tool's.
    """

    __slots__ = ("_form", "_module", "_session", "_spec")

    def __init__(
        self,
        session: Session | None,
        form: ResultCodec = AS_IT_IS,
        module: str = "tools",
        spec: ToolSpec | None = None,
    ) -> None:
        self._session = session
        self._form = form
        self._module = module
        self._spec = spec

    def intercept(
        self,
        tool: str,
        arguments: Arguments,
        read: Callable[[Any], Arguments] = as_given,
        spec: ToolSpec | None = None,
    ) -> BridgedCall | None:
        """Say what becomes of a call, and count it: ask once for each call.

        Args:
            tool: its name.
            arguments: its arguments by name.
            read: gives them as data, where they are not; called only where something can happen to the call.
            spec: as of the bridge, where that has none because it is the way of several tools.

        Returns:
            The call, to be made through it; None where it passes as it is, and the adapter runs the tool itself.
        """
        session, spec = self._session or current(), spec or self._spec
        if session is None:
            return None
        intercepted = session.intercept(tool, read, arguments, spec=spec)
        return None if intercepted is None else BridgedCall(intercepted, self._form, self._module)

    def call(self, tool: str, arguments: Arguments, run: Callable[[Arguments], Any]) -> Any:
        """Make a call in this thread.

        Args:
            tool: its name.
            arguments: its arguments by name, as data.
            run: runs the tool with these arguments, or with others; may raise.

        Returns:
            What the framework is to see as the tool's result. Raises what it is to see raised.
        """
        bridged = self.intercept(tool, arguments)
        return run(arguments) if bridged is None else bridged.call(run)

    async def call_async(self, tool: str, arguments: Arguments, run: Callable[[Arguments], Awaitable[Any]]) -> Any:
        """Make a call in this task; see `call`."""
        bridged = self.intercept(tool, arguments)
        return await (run(arguments) if bridged is None else bridged.call_async(run))


class BridgedCall:
    """A framework's call to which something can happen; made once, in a thread or in a task.

    Attributes:
        arguments: by name, as data.
    """

    __slots__ = ("_call", "_form", "_kept", "_module", "arguments")

    def __init__(self, call: InterceptedCall, form: ResultCodec, module: str) -> None:
        self._call = call
        self._form = form
        self._module = module
        self._kept = _Kept()
        self.arguments = call.arguments

    def call(self, run: Callable[[Arguments], Any]) -> Any:
        """Make it in this thread; see `ToolCallBridge.call`."""
        kept = self._kept

        def once(call: Call) -> Outcome:
            if call.dry:
                return self._form.without_effect(call.arguments)
            try:
                kept.outcome = self._read(run(call.arguments))
            # Before the general case: these are not failures but the framework's way to steer.
            except self._form.passing:
                raise
            except Exception as error:
                # All of them: recovery may show an earlier failure than the last.
                kept.errors.append(error)
                kept.outcome = failure_from_exception(error)
            return kept.outcome

        return self._shown(self._call.call(once))

    async def call_async(self, run: Callable[[Arguments], Awaitable[Any]]) -> Any:
        """Make it in this task."""
        kept = self._kept

        async def once(call: Call) -> Outcome:
            if call.dry:
                return self._form.without_effect(call.arguments)
            try:
                kept.outcome = self._read(await run(call.arguments))
            except self._form.passing:
                raise
            except Exception as error:
                kept.errors.append(error)
                kept.outcome = failure_from_exception(error)
            return kept.outcome

        return self._shown(await self._call.call_async(once))

    def _read(self, result: Any) -> Outcome:
        """A result as an outcome. What the tool's own code says of a call that was cut is no part of the result."""
        part = type(result) is PartialExecution
        self._kept.last = result.value if part else result
        outcome = self._form.read(self._kept.last)
        return PartialExecution(outcome.value) if part and isinstance(outcome, Value) else outcome

    def _shown(self, outcome: Outcome) -> Any:
        kept, self._kept = self._kept, _Kept()  # else this object and an exception's frames hold one another
        if isinstance(outcome, Value):
            # Compared by identity, so that the framework gets an untouched result as the very same object.
            return kept.last if outcome is kept.outcome else self._form.written(outcome.value, kept.last)
        if outcome.exception is None and outcome is kept.outcome:  # a result of the tool's that is itself an error
            return kept.last
        try:
            # The tool's own exception is raised as it would be without us.
            if self._form.failed is None or any(outcome.exception is own for own in kept.errors):
                raise exception_from_failure(outcome, self._module)
            return self._form.failed(outcome)
        finally:
            del outcome, kept  # else this frame, the failure and the exception hold one another


async def chunks_before_answer(
    call: Callable[[Callable[[Mapping[str, Any]], Awaitable[Any]]], Awaitable[Any]],
    stream: Callable[[Mapping[str, Any]], AsyncGenerator[Any, None]],
    answers: Callable[[Any], bool],
) -> AsyncGenerator[Any, None]:
    """Make a call whose tool streams, and yield what comes before the answer as it comes, last what the call gives.

    Args:
        call: makes the call with what runs the tool.
        stream: the tool's stream for its arguments.
        answers: whether a chunk could be the answer.
    """
    passed: asyncio.Queue[Any] = asyncio.Queue()
    over = object()

    async def running(given: Mapping[str, Any]) -> Any:
        last: list[Any] = []
        try:
            async with aclosing(stream(given)) as chunks:
                async for chunk in chunks:
                    last.append(chunk)
                    # Only the last chunk can be the answer, so one is held back until another comes.
                    while last and (len(last) > 1 or not answers(last[0])):
                        passed.put_nowait(last.pop(0))
        except Exception:
            for chunk in last:  # it was not an answer after all
                passed.put_nowait(chunk)
            raise
        return last[0] if last else None  # only this passes through the seam

    task = asyncio.ensure_future(call(running))
    # The end goes through the queue as well, so that no chunk is overtaken.
    task.add_done_callback(lambda _: passed.put_nowait(over))
    try:
        while (chunk := await passed.get()) is not over:
            yield chunk
        yield await task
    finally:
        task.cancel()  # also where the reader stops early
        await asyncio.gather(task, return_exceptions=True)


class _Kept:
    """The tool's own work in one call: its last result and outcome, and all exceptions that it raised."""

    __slots__ = ("errors", "last", "outcome")

    def __init__(self) -> None:
        self.last: Any = None
        self.outcome: Outcome = NO_DRY_RUN
        self.errors: list[Exception] = []
