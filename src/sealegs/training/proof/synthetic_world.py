"""A small world without end: a harbour whose services turn a reference into a code.

A service (lift, weigh, book) is done by any of its tools, which are named by a stem and a number and all know the same
facts: the code that a service gives for a reference is a function of both alone. A tool's answer repeats the
reference, so an answer about another one can be recognised. Booking services enter an effect into the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults import seeds
from sealegs.faults.invariants import Echo
from sealegs.world.corpus import Corpus
from sealegs.world.state import World
from sealegs.world.tool import Answer, SimulatedTool

DOMAIN = "harbour"
SOURCES = ("lift", "weigh", "scan", "moor", "sort", "seal")
ACTIONS = ("book", "send")
SERVICES = (*SOURCES, *ACTIONS)
STEMS = ("crane", "winch", "barge", "depot", "ferry", "gantry", "hoist", "kiosk", "lorry", "quay", "sluice", "tug")
NUMBERS = 100
HELD_OUT = 5  # of a stem's numbers, one in so many names a tool that no training row may hold
REF, OF, CODE = "ref", "of", "code"


class ToolInput(BaseModel):
    """What every tool is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    ref: str = Field(pattern=r"^\d{4}$")


class ToolOutput(Answer):
    """What every tool answers."""

    of: str = Field(description="the reference")
    code: str = Field(description="what the service gives for it")


def code(service: str, ref: str) -> str:
    """The code that a service gives for a reference."""
    return f"{seeds.digest(DOMAIN, service, ref) % 10_000:04d}"


def is_unseen_tool(name: str) -> bool:
    """Return whether a tool is kept from training."""
    return seeds.digest(DOMAIN, "unseen", name) % HELD_OUT == 0


def service_of(name: str) -> str:
    """The service that a tool does."""
    return SERVICES[seeds.digest(DOMAIN, "service", name) % len(SERVICES)]


@cache
def synthetic_corpus() -> Corpus:
    """All tools of the harbour."""
    names = [f"{stem}_{number:02d}" for stem in STEMS for number in range(NUMBERS)]
    return Corpus({name: _tool(name) for name in names}, {})


@cache
def tools_of_service(service: str, *, new: bool) -> tuple[str, ...]:
    """The tools of a service: those that no training row may hold, or all others."""
    return tuple(
        name for name in synthetic_corpus().tools if service_of(name) == service and is_unseen_tool(name) is new
    )


def _tool(name: str) -> SimulatedTool:
    service = service_of(name)
    examples: tuple[Mapping[str, Any], ...] = tuple(
        {REF: f"{seeds.digest(DOMAIN, 'example', name, nth) % 10_000:04d}"} for nth in range(3)
    )
    return SimulatedTool(
        name=name,
        domain=DOMAIN,
        category="action" if service in ACTIONS else "source",
        description=service,
        parameters=ToolInput,
        answer=ToolOutput,
        run=partial(_run, service),
        invariants=(Echo(REF, OF),),
        examples=examples,
    )


def _run(service: str, world: World, ref: str) -> dict[str, Any]:
    found = code(service, ref)
    if service in ACTIONS:
        world.effect(service, ref, code=found)
    return {OF: ref, CODE: found}
