"""Rules never accumulate: over 10,000 repetitions the rate stays what it is, and so do cost and memory."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from scipy.stats import binom

import sealegs
from sealegs.faults import Call, Failure, Outcome, Plan, Value
from sealegs.faults.kinds import Delay, Delta, Error, Poisoned, Stale
from sealegs.faults.triggers import Burst, FirstTouch, Probability
from sealegs.inject import Session, VirtualClock
from tests.inject.staging import plan, rule

MANY = 10_000
BLOCK = 1_000
FRAMES = 3  # of each allocation that are remembered
CONFIDENCE = 0.9999  # of each interval; there are dozens


def answer(call: Call) -> Outcome:
    return Value({"number": 7})


def within_interval(count: int, probability: float) -> bool:
    low, high = binom.interval(CONFIDENCE, MANY, probability)
    return bool(low <= count <= high)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("probability", [0.01, 0.1, 0.5, 0.9])
def test_the_rate_of_one_call_repeated(probability: float, seed: int) -> None:
    session = Session(plan(rule(Error(status=503), when=Probability(probability)), seed=seed))
    failed = sum(isinstance(session.call("ping", {}, answer), Failure) for _ in range(MANY))
    assert within_interval(failed, probability)


@pytest.mark.parametrize("seed", range(5))
def test_the_rate_over_fresh_sessions(seed: int) -> None:
    flaky = plan(rule(Error(status=503), when=Probability(0.1)), seed=seed)
    sessions = (Session(flaky, episode=f"episode-{index}") for index in range(MANY))
    failed = sum(isinstance(session.call("ping", {}, answer), Failure) for session in sessions)
    assert within_interval(failed, 0.1)


def test_the_rate_of_every_rule_on_the_same_calls() -> None:
    """Rules draw independently: both strike with the product of their probabilities."""
    both = plan(rule(Error(status=503), when=Probability(0.3)), rule(Delay(seconds=1.0), when=Probability(0.4)))
    clock = VirtualClock()
    session = Session(both, clock=clock)
    failed = sum(isinstance(session.call("ping", {}, answer), Failure) for _ in range(MANY))
    assert within_interval(failed, 0.3)
    assert within_interval(round(clock.now()), 0.4 * (1 - 0.3))  # an error outside leaves nothing to delay


def test_bursts_have_the_share_that_their_page_states() -> None:
    session = Session(plan(rule(Error(status=503), when=Burst(probability=0.02, length=5))))
    failed = sum(isinstance(session.call("ping", {}, answer), Failure) for _ in range(MANY))
    assert abs(failed / MANY - (1 - 0.98**5)) < 0.02


BUSY = plan(
    rule(Error(status=503), when=Probability(0.2), id="error"),
    rule(Stale(), when=Probability(0.2)),
    rule(Delta(), when=Probability(0.2), at_most=10**6),
    rule(Poisoned(), after="error", persistence="permanent"),
    rule(Delay(seconds=1.0), when=FirstTouch(("ping", "pong"))),
)


def operations(session: Session) -> int:
    """How many functions, of Python and of C, are entered for a block of calls."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        for _ in range(BLOCK):
            session.call("ping", {}, answer)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("plan", [Plan(name="calm"), BUSY], ids=["calm", "busy"])
def test_the_last_calls_cost_what_the_first_did(plan: Plan) -> None:
    session = Session(plan, clock=VirtualClock())
    first = operations(session)
    for _ in range(MANY - 2 * BLOCK):
        session.call("ping", {}, answer)
    assert operations(session) <= 1.1 * first


def kept(work: Callable[[], None]) -> int:
    """The bytes that the work leaves behind, allocated by the package or by what it called.

    What other threads of the process allocate meanwhile (xdist, servers of other tests) is not counted.
    """
    gc.collect()
    tracemalloc.start(FRAMES)
    try:
        work()
        gc.collect()
        left = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    own = tracemalloc.Filter(True, f"{Path(sealegs.__file__).parent}/*", all_frames=True)
    return sum(trace.size for trace in left.filter_traces([own]).traces)


def test_what_is_left_behind_is_seen() -> None:
    left: list[Session] = []
    assert kept(lambda: left.extend(Session(BUSY) for _ in range(100))) > 20_000


@pytest.mark.parametrize("plan", [Plan(name="calm"), BUSY], ids=["calm", "busy"])
def test_memory_stays_flat(plan: Plan) -> None:
    session = Session(plan, clock=VirtualClock())
    for _ in range(BLOCK):
        session.call("ping", {}, answer)

    def calls() -> None:
        for _ in range(MANY - BLOCK):
            session.call("ping", {}, answer)

    assert kept(calls) < 20_000


def test_a_session_leaves_nothing_behind() -> None:
    """Nothing of 10,000 finished episodes stays in the process."""

    def episode(index: int) -> None:
        with Session(BUSY, episode=str(index), clock=VirtualClock()) as session:
            session.call("ping", {}, answer)

    for index in range(BLOCK):
        episode(index)

    def episodes() -> None:
        for index in range(BLOCK, MANY):
            episode(index)

    assert kept(episodes) < 20_000
