"""A recorded episode, played again under other faults: the agent is real, the tools answer from the record.

`Replay` is a session in which no tool runs: whatever adapter the agent's tools are wired with, the archive answers in
their place. Without an agent, the recorded calls themselves are made again in their order, whatever comes of them. What
it does not cover: the model's side of the episode; an agent that calls a model calls it anew. Answers come as the JSON
that was recorded, and at once: recorded latencies are not played.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sealegs.faults.call import Beginning, Call, Layer, Outcome, Value
from sealegs.faults.plan import Plan
from sealegs.inject.clock import Clock, Hung, VirtualClock
from sealegs.inject.pieces import End, Run, RunAsync, Split
from sealegs.inject.session import UNARMED, Session, Watcher
from sealegs.traces.archive import Archive, Served
from sealegs.traces.events import Event
from sealegs.traces.observed import Trace
from sealegs.traces.record import Record, record
from sealegs.traces.recorder import Recorder

Agent = Callable[["Replay"], Any]


class Replay(Session):
    """A session whose tools are a trace's archive. Give it to the agent's adapters as any other session.

    Args:
        trace: the recorded episode. Its name is this one's too, and so part of the key of every random decision.
        archive: answers in place of the tools.
        plan, clock, timeout, watcher: as for every session.

    Attributes:
        trace: the recorded episode; `trace.about` holds what was noted of it.
    """

    def __init__(
        self,
        trace: Trace,
        archive: Archive,
        plan: Plan = UNARMED,
        *,
        clock: Clock | None = None,
        timeout: float | None = None,
        watcher: Watcher,
    ) -> None:
        # The watcher is needed: a session without one lets calls pass unseen, and then the tool itself would run.
        super().__init__(plan, episode=trace.name, clock=clock, timeout=timeout, watcher=watcher)
        self.trace = trace
        self._archive = archive

    def call(
        self, tool: str, arguments: Mapping[str, Any], run: Callable[[Call], Outcome], layer: Layer | None = None
    ) -> Outcome:
        """Make a call in this thread; `run` is left alone."""
        return super().call(tool, arguments, self._archive.run, layer)

    async def call_async(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        run: Callable[[Call], Awaitable[Outcome]],
        layer: Layer | None = None,
    ) -> Outcome:
        """Make a call in this task; `run` is left alone."""

        async def answer(call: Call) -> Outcome:
            return self._archive.run(call)

        return await super().call_async(tool, arguments, answer, layer)

    def pieces(
        self, tool: str, arguments: Mapping[str, Any], run: Run, split: Split, layer: Layer | None = None
    ) -> Generator[Any, None, None]:
        """Make a call whose answer comes piece by piece; `run` is left alone."""
        return super().pieces(tool, arguments, partial(self._pieces, split), split, layer)

    def pieces_async(
        self, tool: str, arguments: Mapping[str, Any], run: RunAsync, split: Split, layer: Layer | None = None
    ) -> AsyncGenerator[Any, None]:
        """Make such a call in the task that asks for the pieces; `run` is left alone."""

        async def answer(call: Call) -> AsyncGenerator[Any, None]:
            for piece in self._pieces(split, call):
                yield piece

        return super().pieces_async(tool, arguments, answer, split, layer)

    def _pieces(self, split: Split, call: Call) -> Generator[Any, None, None]:
        """The recorded answer piece by piece, up to as many as are asked for."""
        outcome = self._archive.run(call)
        given: list[Any] = []
        for piece in split(outcome):
            if len(given) == call.pieces:
                yield End(Value(Beginning(given)))
                return
            given.append(piece)
            yield piece
        yield End(outcome)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a replay.

    Attributes:
        trace: the recorded episode.
        events: the record of this one.
        served: how each run of a tool was answered.
    """

    trace: Trace
    events: tuple[Event, ...]
    served: tuple[Served, ...]

    @property
    def record(self) -> Record:
        """This episode's record as judges read it."""
        return record(self.events)

    @property
    def missing(self) -> tuple[Served, ...]:
        """The calls that the record could not answer. What the agent did after the first of them, it did on its own."""
        return tuple(one for one in self.served if one.source == "missing")


def recorded_calls(session: Replay) -> None:
    """The agent that makes the recorded calls again, one after the other, and looks at no answer."""

    def nothing(call: Call) -> Outcome:
        raise AssertionError("a replay runs no tool")

    for call in session.trace.calls:
        session.call(call.tool, call.arguments or {}, nothing)


def replay(
    trace: Trace,
    plan: Plan = UNARMED,
    agent: Agent = recorded_calls,
    *,
    clock: Clock | None = None,
    timeout: float | None = None,
    ignore: Collection[str] = (),
) -> Replayed:
    """Play a recorded episode again. Whatever the agent does, the events end with an end.

    Args:
        trace: the recorded episode.
        plan: the new faults; those of the recording are gone.
        agent: a callable, sync or async, that is given the session. What it returns is its final answer.
        clock: virtual by default, so that waits cost nothing.
        timeout: seconds of waiting after which the caller gives up on one call; None waits for ever.
        ignore: arguments that are left out when calls are compared with the record.
    """
    clock = clock or VirtualClock()
    recorder = Recorder(clock)
    recorder.start(trace.name, {"replay_of": dict(trace.about), "plan": plan.digest()})  # no episode of its suite
    archive = Archive(trace, on_effect=recorder.effect, ignore=ignore)
    session = Replay(trace, archive, plan, clock=clock, timeout=timeout, watcher=recorder)
    try:
        with session:
            answer = agent(session)
            if inspect.isawaitable(answer):
                answer = asyncio.run(_awaited(answer))
    except Hung as error:
        recorder.finish("hung", detail=str(error))
    except Exception as error:  # an agent that breaks down is a result
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
    else:
        recorder.finish("answered", answer=None if answer is None else str(answer))
    return Replayed(trace, tuple(recorder.events), tuple(archive.served))


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer
