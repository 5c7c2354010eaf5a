"""Runs a fault by hand: no clock, no I/O, every request kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sealegs.faults.call import Call, Outcome, Value, Wait
from sealegs.faults.fault import Steps


@dataclass(frozen=True)
class Driven:
    """What the agent was shown, and the fault's requests on the way."""

    shown: Outcome
    requests: tuple[Call | Wait, ...]


def drive(generator: Steps, tool: Callable[[Call], Outcome]) -> Driven:
    """Answer each call by the tool and each wait by an outcome that must be ignored."""
    requests: list[Call | Wait] = []
    try:
        request = next(generator)
        while True:
            requests.append(request)
            request = generator.send(tool(request) if isinstance(request, Call) else Value("to be ignored"))
    except StopIteration as stop:
        return Driven(stop.value, tuple(requests))
