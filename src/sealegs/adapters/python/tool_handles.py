"""Tools as layers may call them in place of one another: recovery that switches."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults.call import Call, Outcome, Value
from sealegs.inject import NO_DRY_RUN, ToolHandle


def tool_handle(function: Callable[..., Any]) -> ToolHandle:
    """The handle by which layers call this function, an async one only in a task. A generator's chunks are one list."""
    parameters = Parameters(function)

    def run(call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        try:
            value = _called(function, parameters, call)
            return Value(list(value) if inspect.isgenerator(value) else value)
        except Exception as error:
            return failure_from_exception(error)

    async def run_async(call: Call) -> Outcome:
        if call.dry:
            return NO_DRY_RUN
        try:
            value = _called(function, parameters, call)
            if isinstance(value, AsyncGenerator):
                return Value([chunk async for chunk in value])
            if isinstance(value, Awaitable):
                value = await value
            return Value(list(value) if inspect.isgenerator(value) else value)
        except Exception as error:
            return failure_from_exception(error)

    # In a thread there is no loop that would run it, so that a layer there cannot call it at all.
    of_tasks = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    return ToolHandle(None if of_tasks else run, run_async)


def _called(function: Callable[..., Any], parameters: Parameters, call: Call) -> Any:
    given, named = parameters.given(call.arguments, ())
    return function(*given, **named)
