"""Plans in one line, and an episode with a tool that books trips in a world of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults import Call, Failure, Outcome, Plan, Rule, ToolSpec, Value
from sealegs.faults.call import Layer
from sealegs.faults.kinds import KINDS, AnyFault, Fault
from sealegs.faults.triggers import Always, AnyCondition, Tool
from sealegs.inject import Clock, EndlessWait, Session, VirtualClock
from sealegs.traces import Record, Recorder, build_record
from sealegs.world.state import World
from tests.faults.trip import PLACES, SPEC, booked

TRIP: Mapping[str, Any] = {"city": "Oslo"}
NOWHERE: Mapping[str, Any] = {"city": "Atlantis"}
ALWAYS = Always()


def rule(fault: Fault, tool: str = "*", when: AnyCondition = ALWAYS, **more: Any) -> Rule:
    """A rule on the tools that fit the name. Its moment is that which lets the tool alone, unless another is given.

    So an error leaves the tool out, and a changed answer is that of a tool that did its work.
    """
    more.setdefault("moment", fault.simplest_moment())
    kept: AnyFault = fault  # type: ignore[assignment]
    return Rule(match=more.pop("match", None) or Tool(tool), when=when, fault=kept, **more)


def plan(*rules: Rule, seed: int = 0) -> Plan:
    """A plan of these rules."""
    return Plan(name="staged", seed=seed, rules=rules)


def every_kind() -> list[Fault]:
    """One fault of every kind for tools, as its defaults make it."""
    return [kind() for kind in KINDS.values() if "model_api" not in kind.needs]  # type: ignore[call-arg]


def model_kinds() -> list[Fault]:
    """One fault of every kind for models."""
    return [kind() for kind in KINDS.values() if "model_api" in kind.needs]  # type: ignore[call-arg]


@dataclass
class Staged:
    """An episode: its session, its record, and the world in which trips are booked."""

    session: Session
    recorder: Recorder
    world: World

    def tool(self, call: Call) -> Outcome:
        """Book a trip; of a dry call nothing stays."""
        city = call.arguments.get("city")
        if city not in PLACES:
            return Failure(f"No city named {city}.", type="NotFound", status=404)
        if not call.dry:
            self.world.during(call.id)
            self.world.effect("book", str(city))
        return Value(booked(str(city)))

    async def tool_async(self, call: Call) -> Outcome:
        """The same, after giving way to others."""
        await asyncio.sleep(0)
        return self.tool(call)

    def call(self, arguments: Mapping[str, Any] = TRIP, tool: str = "book_trip") -> Outcome | None:
        """A call in this thread; None where it hung for good."""
        try:
            return self.session.call(tool, arguments, self.tool)
        except EndlessWait:
            return None

    async def call_async(self, arguments: Mapping[str, Any] = TRIP, tool: str = "book_trip") -> Outcome | None:
        """A call in this task; None where it hung for good."""
        try:
            return await self.session.call_async(tool, arguments, self.tool_async)
        except EndlessWait:
            return None

    def record(self) -> Record:
        """The record, closed."""
        self.recorder.finish("answered", answer="Done.")
        return build_record(self.recorder.events)


def staged(
    plan: Plan,
    *,
    clock: Clock | None = None,
    timeout: float | None = None,
    layers: Sequence[Layer] = (),
    specs: Sequence[ToolSpec] = (SPEC,),
    episode: str = "episode",
) -> Staged:
    """An episode under this plan, on a virtual clock unless another is given."""
    clock = clock or VirtualClock()
    recorder = Recorder(clock)
    recorder.start(episode, {"plan": plan.digest()})
    world = World(recorder.effect)
    session = Session(plan, episode=episode, specs=specs, layers=layers, clock=clock, timeout=timeout, watcher=recorder)
    return Staged(session, recorder, world)
