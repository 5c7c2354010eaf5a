"""An agent in production, with tools that fail as a plan says, and what its observability would write of that.

The tools' failures are theirs here: the plan plays inside the tool, where no watcher of ours sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sealegs.faults import Call, Outcome, Plan, Value
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Event, Recorder


class Shop:
    """Tools that fail by themselves as the plan says, on a virtual clock that their latencies move."""

    def __init__(self, plan: Plan, episode: str, clock: VirtualClock) -> None:
        self._inside = Session(plan, episode=episode, clock=clock, timeout=600)

    def run(self, call: Call) -> Outcome:
        """The tool's own answer."""
        return self._inside.call(call.tool, call.arguments, _answer)


def _answer(call: Call) -> Outcome:
    return Value({"tool": call.tool, **call.arguments})


def record_of(plan: Plan, episode: str, calls: Mapping[str, int]) -> list[Event]:
    """The record of an episode with so many calls of each tool, in turns."""
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start(episode, {"task": "shop"})
    _work(plan, episode, calls, clock, Session(episode=episode, clock=clock, watcher=recorder))
    recorder.finish("answered", answer="done")
    return recorder.events


def spans_of(plan: Plan, episodes: int, calls: Mapping[str, int], path: Path) -> None:
    """Write the spans of such episodes, each in a trace of its own under the agent's span.

    The file is OTLP JSON, one export a line, as OpenTelemetry's own exporter writes it.
    """
    from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    from sealegs.traces.spans import Spans

    sdk = TracerProvider()
    sdk.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
    tracer = sdk.get_tracer("test")
    for number in range(episodes):
        clock = VirtualClock()
        with tracer.start_as_current_span("invoke_agent shopper", attributes={"gen_ai.operation.name": "invoke_agent"}):
            watcher = Spans(tracer, clock=clock, began=10**18)
            _work(plan, f"e{number}", calls, clock, Session(clock=clock, watcher=watcher))
    sdk.shutdown()


def _work(plan: Plan, episode: str, calls: Mapping[str, int], clock: VirtualClock, session: Session) -> None:
    shop = Shop(plan, episode, clock)
    for turn in range(max(calls.values())):
        for tool, count in calls.items():
            if turn < count:
                session.call(tool, {"turn": turn}, shop.run)


async def slow(call: Call) -> Outcome:
    """A tool that gives way to others."""
    await asyncio.sleep(0)
    return Value(dict(call.arguments))


def attributes(span: Any) -> dict[str, Any]:
    """A finished span's attributes as plain data."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in (span.attributes or {}).items()}
