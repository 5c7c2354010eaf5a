"""Rows for pre-training: symbols to be repeated, lists to be read. Nothing in them is called or fails.

Copying is what a small model learns last, and everything here needs it. Short rows of it, of symbols that differ, and
nothing else among them, teach it in half a minute; long ones, or with a space between symbols, take many times longer.
To read a list, all tools of a service and no other, is what a model trained from scratch lacks most when it is to
switch.
"""

from __future__ import annotations

from random import Random
from typing import Any

from sealegs.faults import seeds
from sealegs.training.proof.synthetic_tasks import WAYS
from sealegs.training.proof.synthetic_world import SERVICES, tools_of_service

SHORTEST, LONGEST = 3, 8


def symbols(seed: int, number: int) -> dict[str, Any]:
    """The row of this number."""
    draw = seeds.stream("symbols", seed, number)
    text = "".join(_symbol(draw) for _ in range(draw.randint(SHORTEST, LONGEST)))
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
    return {"id": f"symbols-{seed}-{number}", "messages": messages, "failure_kind": None}


def listing_row(seed: int, number: int) -> dict[str, Any]:
    """A row in which the tools of some services are to be listed, all of each."""
    draw = seeds.stream("listed", seed, number)
    services = draw.sample(SERVICES, draw.randint(3, 5))
    tools = {service: draw.sample(tools_of_service(service, new=False), draw.choice(WAYS)) for service in services}
    requested = draw.sample(services, draw.randint(2, len(services)))
    answer = "".join(f" {service}" + "".join(f" {name}" for name in tools[service]) for service in requested)
    messages = [{"role": "user", "content": " ".join(requested)}, {"role": "assistant", "content": answer}]
    offered = [
        {"type": "function", "function": {"name": name, "description": service}}
        for service in services
        for name in tools[service]
    ]
    return {"id": f"listed-{seed}-{number}", "messages": messages, "tools": offered, "failure_kind": None}


def _symbol(draw: Random) -> str:
    kind = draw.random()
    if kind < 0.1:
        return f" {draw.choice(SERVICES)}"
    return (
        f" {draw.choice(tools_of_service(draw.choice(SERVICES), new=False))}"
        if kind < 0.55
        else f"{draw.randrange(10_000):04d}"
    )
