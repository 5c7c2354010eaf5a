"""A recorded episode, played again under other faults: the agent is real, the tools answer from the record.

`Replay` is a session in which no tool runs: whatever adapter the agent's tools are wired with, the archive answers in
their place. Without an agent, the recorded calls themselves are made again in their order, whatever comes of them. The
model's side of the episode is not replayed; an agent that calls a model calls it again. Answers come as the JSON that
was recorded, after the time that the tool took then, which is the tool's own: no session's timeout counts it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sealegs.faults.call import Call, Layer, Outcome, PartialResult, Value
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import Clock, EndlessWait, VirtualClock
from sealegs.inject.layer_context import Watcher
from sealegs.inject.session import UNARMED, Session
from sealegs.inject.stream_drivers import Run, RunAsync, Split, StreamEnd
from sealegs.traces.archive import Archive, ServedRun
from sealegs.traces.events import Event
from sealegs.traces.observed import Trace
from sealegs.traces.record import Record, build_record
from sealegs.traces.recorder import Recorder
from sealegs.traces.specs import TOOLS, specs_of

Agent = Callable[["Replay"], Any]
Latency = Literal["recorded", "none"]


class Replay(Session):
    """A session whose tools are a trace's archive. Give it to the agent's adapters as any other session.

    Args:
        trace: the recorded episode. Its name is this one's too, and so part of the key of every random decision.
        archive: answers in place of the tools.
        plan, specs, clock, timeout, watcher: as for every session.
        latency: `recorded`: answers take as long as they did in the recording; `none`: they come at once.

    Attributes:
        trace: the recorded episode; `trace.about` holds what was noted of it.
    """

    def __init__(
        self,
        trace: Trace,
        archive: Archive,
        plan: Plan = UNARMED,
        *,
        specs: Iterable[ToolSpec] = (),
        latency: Latency = "recorded",
        clock: Clock | None = None,
        timeout: float | None = None,
        watcher: Watcher,
    ) -> None:
        # The watcher is needed: a session without one lets calls pass unseen, and then the tool itself would run.
        super().__init__(plan, episode=trace.name, specs=specs, clock=clock, timeout=timeout, watcher=watcher)
        self.trace = trace
        self._archive = archive
        self._late = latency == "recorded"

    def runner(self, run: Callable[[Call], Outcome]) -> Callable[[Call], Outcome]:
        """The archive, in place of the tool."""
        return self._answer

    def runner_async(self, run: Callable[[Call], Awaitable[Outcome]]) -> Callable[[Call], Awaitable[Outcome]]:
        """The same in a task."""
        return self._answer_async

    def stream(
        self, tool: str, arguments: Mapping[str, Any], run: Run, split: Split, layer: Layer | None = None
    ) -> Generator[Any, None, None]:
        """Make a call whose answer comes chunk by chunk; `run` is left alone."""

        # The signature of the tool's own run; the archive answers in its place.
        def answer(call: Call) -> Generator[Any, None, None]:
            yield from _in_chunks(self._answer(call), call, split)

        return super().stream(tool, arguments, answer, split, layer)

    def stream_async(
        self, tool: str, arguments: Mapping[str, Any], run: RunAsync, split: Split, layer: Layer | None = None
    ) -> AsyncGenerator[Any, None]:
        """Make such a call in the task that asks for the chunks; `run` is left alone."""

        async def answer(call: Call) -> AsyncGenerator[Any, None]:
            for chunk in _in_chunks(await self._answer_async(call), call, split):
                yield chunk

        return super().stream_async(tool, arguments, answer, split, layer)

    def _answer(self, call: Call) -> Outcome:
        outcome, seconds = self._archive.found(call)
        if self._late and seconds:
            self.clock.sleep(seconds, _nothing)
        return outcome

    async def _answer_async(self, call: Call) -> Outcome:
        outcome, seconds = self._archive.found(call)
        # Waited on the clock inside the run, so that it counts as the tool's time and not as a fault's.
        if self._late and seconds:
            await self.clock.sleep_async(seconds, _nothing)
        return outcome


def _nothing() -> None:
    """Do nothing when a tool's own time is cut short: whoever made the call closes it."""


def _in_chunks(outcome: Outcome, call: Call, split: Split) -> Generator[Any, None, None]:
    """The recorded answer chunk by chunk, up to as many as are asked for."""
    given: list[Any] = []
    for chunk in split(outcome):
        if len(given) == call.chunks:
            yield StreamEnd(Value(PartialResult(given)))
            return
        given.append(chunk)
        yield chunk
    yield StreamEnd(outcome)


@dataclass(frozen=True, slots=True)
class InapplicableFault:
    """A fault that came to nothing on a tool of which it had to know more.

    Attributes:
        rule, kind: the rule's id and its fault's kind.
        tool: the tool.
        calls: on how many calls.
        lacking: what is not known of the tool: `invariants`, `examples`.
    """

    rule: str
    kind: str
    tool: str
    calls: int
    lacking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay.

    Attributes:
        trace: the recorded episode.
        events: the record of this one.
        served: the answer that each run of a tool got.
        plan: the new faults.
        specs: the known facts of the tools.
        latency: whether recorded latencies were played.
    """

    trace: Trace
    events: tuple[Event, ...]
    served: tuple[ServedRun, ...]
    plan: Plan = UNARMED
    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    latency: Latency = "recorded"

    @property
    def record(self) -> Record:
        """The episode's record as judges read it."""
        return build_record(self.events)

    @property
    def missing(self) -> tuple[ServedRun, ...]:
        """The calls that the record could not answer. What the agent did after the first of them, it did on its own."""
        return tuple(one for one in self.served if one.source == "missing" and not one.dry)

    @property
    def instant(self) -> int:
        """The number of answers that came at once because no latency was recorded, if latencies were to be played."""
        known = (one for one in self.served if one.source != "missing" and not one.dry)
        return sum(one.seconds is None for one in known) if self.latency == "recorded" else 0

    @property
    def unfit(self) -> tuple[InapplicableFault, ...]:
        """The faults that could not be delivered because too little is known of the tool."""
        needs = {rule.id: rule.fault.needs for rule in self.plan.rules}
        found: Counter[tuple[str, str, str, tuple[str, ...]]] = Counter()
        for turn in self.record.turns:
            spec = self.specs.get(turn.call.tool)
            for injection in turn.injections:
                lacking = tuple(name for name in needs.get(injection.rule, ()) if not getattr(spec, name, ()))
                # A fault on a failed call had nothing to corrupt, so the lack of knowledge was not the cause.
                if lacking and not injection.delivered and "value" in (injection.said or {}):
                    found[injection.rule, injection.kind, turn.call.tool, lacking] += 1
        return tuple(
            InapplicableFault(rule, kind, tool, calls, lacking) for (rule, kind, tool, lacking), calls in found.items()
        )


def recorded_calls(session: Replay) -> None:
    """The agent that makes the recorded calls again, one after the other, and looks at no answer.

    Calls that recovery had made are not made again, but answers to them are there.
    """

    def nothing(call: Call) -> Outcome:
        raise AssertionError("a replay runs no tool")

    for call in session.trace.calls:
        if call.by:  # nobody recovers here
            continue
        session.call(call.tool, call.arguments or {}, nothing)


def replay_trace(
    trace: Trace,
    plan: Plan = UNARMED,
    agent: Agent = recorded_calls,
    *,
    clock: Clock | None = None,
    timeout: float | None = None,
    ignore: Collection[str] = (),
    latency: Latency = "recorded",
    specs: Iterable[ToolSpec] = (),
    other: Callable[[Call], Outcome] | None = None,
) -> ReplayResult:
    """Play a recorded episode again. Whatever the agent does, the events end with an end.

    Args:
        trace: the recorded episode.
        plan: the new faults; those of the recording are gone.
        agent: a callable, sync or async, that is given the session. What it returns is its final answer.
        clock: virtual by default, so that waits cost nothing.
        timeout: seconds of waiting after which the caller gives up on one call; None waits forever.
        ignore: arguments that are left out when calls are compared with the record.
        latency: `recorded`: answers take as long as they did in the recording; `none`: they come at once.
        specs: what is known of the tools, besides what the record tells (see `specs_of`).
        other: answers what a fault asks without effect and the record does not know (the tools of a simulated world).
    """
    clock = clock or VirtualClock()
    recorder = Recorder(clock)
    # The tools stay where readers of any record look for them; the rest goes below `replay_of`.
    tools = {TOOLS: trace.about[TOOLS]} if TOOLS in trace.about else {}
    about = {name: value for name, value in trace.about.items() if name != TOOLS}
    recorder.start(trace.name, {"replay_of": about, "plan": plan.digest(), **tools})  # no episode of its suite
    archive = Archive(trace, on_effect=recorder.effect, ignore=ignore, other=other)
    known = specs_of(trace, specs)
    session = Replay(
        trace, archive, plan, specs=known.values(), latency=latency, clock=clock, timeout=timeout, watcher=recorder
    )
    try:
        with session:  # leaving it ends waits before the record is closed
            answer = agent(session)
            if inspect.isawaitable(answer):
                answer = asyncio.run(_awaited(answer))
    except EndlessWait as error:
        recorder.finish("hung", detail=str(error))
    except KeyboardInterrupt:  # the user's, who ends the replay
        raise
    except BaseException as error:  # an agent that breaks down is a result, and so is one that calls `sys.exit`
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}".removesuffix(": "))
    else:
        recorder.finish("answered", answer=None if answer is None else str(answer))
    return ReplayResult(trace, tuple(recorder.events), tuple(archive.served), plan, known, latency)


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer
