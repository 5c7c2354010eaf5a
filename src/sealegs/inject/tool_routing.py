"""The choice of the code that runs a call: the agent's own tool, or another one that a layer calls in its place."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import aclosing
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome
from sealegs.inject.deadline import with_deadline, with_deadline_async
from sealegs.inject.layer_context import ToolHandle
from sealegs.inject.stream_drivers import Run, RunAsync, StreamEnd


class ToolRouter:
    """Run each call of a session by the tool that it names.

    Args:
        others: tools by name that layers may call in place of the one that the agent called. Looked up at each call, so
            that tools may be added meanwhile.
        deadline: seconds that a run of another tool may take; None for no limit. The agent's own tool has its deadline
            already.
    """

    __slots__ = ("_deadline", "_others")

    def __init__(self, others: Mapping[str, ToolHandle], deadline: float | None) -> None:
        self._others = others
        self._deadline = deadline

    def route(self, tool: str, run: Callable[[Call], Outcome]) -> Callable[[Call], Outcome]:
        """Return what runs calls in this thread; `run` runs those of `tool`."""
        return lambda call: run(call) if call.tool == tool else self._run(call)

    def route_async(self, tool: str, run: Callable[[Call], Awaitable[Outcome]]) -> Callable[[Call], Awaitable[Outcome]]:
        """Return what runs calls in this task."""

        async def routed(call: Call) -> Outcome:
            return await (run(call) if call.tool == tool else self._run_async(call))

        return routed

    def route_stream(self, tool: str, run: Run) -> Run:
        """Return what runs calls in this thread whose answers come chunk by chunk; those of others come whole."""

        def routed(call: Call) -> Generator[Any, None, None]:
            if call.tool == tool:
                yield from run(call)
            else:
                yield StreamEnd(self._run(call))

        return routed

    def route_stream_async(self, tool: str, run: RunAsync) -> RunAsync:
        """Return what runs such calls in this task."""

        async def routed(call: Call) -> AsyncGenerator[Any, None]:
            if call.tool != tool:
                yield StreamEnd(await self._run_async(call))
                return
            # An async generator has no `yield from`, and leaving the loop early would not close the inner one.
            async with aclosing(run(call)) as chunks:
                async for chunk in chunks:
                    yield chunk

        return routed

    def _run(self, call: Call) -> Outcome:
        other = self._others[call.tool]
        if other.run is None:
            return _async_only(call)
        run = other.run if self._deadline is None else with_deadline(other.run, self._deadline)
        return run(call)

    async def _run_async(self, call: Call) -> Outcome:
        other = self._others[call.tool]
        if other.run_async is not None:
            run = other.run_async
            return await (run(call) if self._deadline is None else with_deadline_async(run, self._deadline)(call))
        return self._run(call)


def handle_of_runner(given: ToolHandle | Callable[[Call], Any]) -> ToolHandle:
    """Return a handle for a tool: a plain callable may answer with an outcome, or in a task with an awaitable."""
    if isinstance(given, ToolHandle):
        return given

    def run(call: Call) -> Outcome:
        answer = given(call)
        if isinstance(answer, Coroutine):
            answer.close()  # it will never be awaited, and Python would warn of that
            return _async_only(call)
        return _async_only(call) if isinstance(answer, Awaitable) else answer

    async def run_async(call: Call) -> Outcome:
        answer = given(call)
        outcome: Outcome = await answer if isinstance(answer, Awaitable) else answer
        return outcome

    return ToolHandle(run, run_async)


def _async_only(call: Call) -> Failure:
    return Failure(f"{call.tool} is async and cannot be called from a thread.", type="ToolNotFound")
