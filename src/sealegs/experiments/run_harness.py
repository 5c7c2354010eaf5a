"""The harness of one run of an agent: its input, its session, and what ends it."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.faults.plan import Plan
from sealegs.inject import Session
from sealegs.traces import Recorder


@dataclass(frozen=True)
class RunHarness:
    """Everything that one run is made with.

    Attributes:
        input: the agent's input.
        episode: the name that keys what is drawn.
        plan: the faults.
        session: the seam in this process.
        recorder: takes what is recorded elsewhere.
        timeout: seconds after which one call is given up.
        time_limit: seconds of real time for an agent that runs elsewhere.
    """

    input: str
    episode: str
    plan: Plan
    session: Session
    recorder: Recorder
    timeout: float
    time_limit: float
