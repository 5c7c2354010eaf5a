"""The harness of one run of an agent: its input, its session, and what ends it."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.faults.plan import Plan
from sealegs.inject import Session
from sealegs.inject.limit import CallLimit
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
        time_limit: seconds of real time after which the agent is ended.
        call_limit: ends an agent that makes too many calls; None for one that runs elsewhere alone.
    """

    input: str
    episode: str
    plan: Plan
    session: Session
    recorder: Recorder
    timeout: float
    time_limit: float
    call_limit: CallLimit | None = None
