"""The promise: the same plan and the same calls of each tool give the same faults, under any interleaving.

Left out, because they are about order by their meaning: `first_touch`, `after`, and `stale`; and `at_most` on tools
whose own calls overlap, where a fault may come to nothing and give its place back: to whom depends on time.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.adapters.python import wrap
from sealegs.faults import Fault, Plan, Rule
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import (
    Always,
    AnyCondition,
    Argument,
    Burst,
    Every,
    First,
    Matcher,
    Nth,
    Outage,
    Probability,
    Tool,
    Window,
)
from sealegs.inject import Injection, Session, VirtualClock
from sealegs.traces import Recorder
from tests.faults.trip import PLACES, SPEC, booked
from tests.inject.interleaving import CALLS, SHARED, STORM, WORKERS, digest, in_tasks, in_threads, one_after_another
from tests.inject.staging import every_kind, plan, rule

# Kinds are tried on tools that lack what they need, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sealegs.inject.MisfireWarning")

ROOT = Path(__file__).parent.parent.parent

FAULTS: list[Fault] = [fault for fault in every_kind() if fault.kind not in {"hang", "stale"}]
COUNTS = st.integers(1, CALLS)
CHANCES = st.floats(0, 1)
CONDITIONS: st.SearchStrategy[AnyCondition] = (
    st.just(Always())
    | st.builds(First, COUNTS)
    | st.builds(Nth, COUNTS)
    | st.builds(Every, COUNTS)
    | st.builds(Probability, CHANCES)
    | st.builds(lambda a, b: Window((min(a, b), max(a, b))), COUNTS, COUNTS)
    | st.builds(lambda p, n: Burst(probability=p, length=n), CHANCES, COUNTS)
    | st.builds(lambda p, n: Outage(rate=p / 2, length=n), CHANCES, COUNTS)
)
TOOLS = st.sampled_from(["*", "own-*", "own-7", "shared-*", "own-[1-3]*"]).map(Tool)
MATCHERS: st.SearchStrategy[Matcher] = st.one_of(
    TOOLS,
    TOOLS.map(lambda matcher: ~matcher),
    st.builds(lambda tool, call: tool & Argument(name="call", above=call), TOOLS, st.integers(0, CALLS)),
)
PERSISTENCE = st.sampled_from(["transient", "permanent"])
RULES: st.SearchStrategy[Rule] = st.builds(
    lambda fault, match, when, persistence: rule(fault, match=match, when=when, persistence=persistence),
    st.sampled_from(FAULTS),
    MATCHERS,
    CONDITIONS,
    PERSISTENCE,
) | st.builds(
    lambda fault, when, persistence, most: rule(fault, "own-*", when, persistence=persistence, at_most=most),
    st.sampled_from(FAULTS),
    CONDITIONS,
    PERSISTENCE,
    COUNTS,
)
PLANS: st.SearchStrategy[Plan] = st.builds(
    lambda rules, seed: plan(*rules, seed=seed), st.lists(RULES, min_size=1, max_size=4), st.integers(0, 10**9)
)
ORDERS = st.integers(0, 10**9)


def test_the_storm_strikes() -> None:
    """What the tests below compare is neither nothing nor everything."""
    faulted = one_after_another(STORM)
    calls = 2 * WORKERS * CALLS
    assert {key[2] for key in faulted} == {"flaky", "garbled", "drift", "slow", "gone"}
    assert calls / 4 < len({key[:2] for key in faulted}) < calls
    assert {key[0] for key in faulted} > set(SHARED)


@settings(max_examples=40)
@given(order=ORDERS)
def test_the_storm_in_tasks(order: int) -> None:
    assert in_tasks(STORM, order) == one_after_another(STORM)


@settings(max_examples=15)
@given(order=ORDERS)
def test_the_storm_in_threads(order: int) -> None:
    assert in_threads(STORM, order) == one_after_another(STORM)


@settings(max_examples=25)
@given(plan=PLANS, order=ORDERS)
def test_any_plan_in_tasks(plan: Plan, order: int) -> None:
    assert in_tasks(plan, order) == one_after_another(plan)


@settings(max_examples=10)
@given(plan=PLANS, order=ORDERS)
def test_any_plan_in_threads(plan: Plan, order: int) -> None:
    assert in_threads(plan, order) == one_after_another(plan)


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242", "random"])
def test_other_processes_and_hash_seeds(hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-m", "tests.inject.interleaving", str(len(hash_seed))]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == digest(one_after_another(STORM))


def test_another_seed_is_another_storm() -> None:
    other = STORM.model_copy(update={"seed": 12})
    assert one_after_another(other) != one_after_another(STORM)


@pytest.mark.parametrize("in_task", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.kind)
def test_injections_are_the_same_watched_or_not(fault: Fault, in_task: bool) -> None:
    """A call that nobody follows takes a shorter way; its injections are those of a call that is recorded."""

    def book_trip(city: str) -> dict[str, object]:
        if city not in PLACES:
            raise LookupError(f"no city named {city}")
        return booked(city)

    async def book_trip_async(city: str) -> dict[str, object]:
        return book_trip(city)

    def injections(watched: bool) -> list[Injection]:
        noted: list[Injection] = []
        clock = VirtualClock()
        watcher = Recorder(clock) if watched else None
        faulted = plan(Rule(match=Tool("*"), fault=fault), rule(Error(status=503), when=Nth(3)))
        session = Session(faulted, specs=[SPEC], clock=clock, watcher=watcher, on_injection=noted.append)
        called = wrap({"book_trip": book_trip_async if in_task else book_trip}, session)["book_trip"]
        for city in ("Oslo", "Rome", "Oslo", "Atlantis"):
            with suppress(Exception):
                asyncio.run(called(city)) if in_task else called(city)
        return noted

    alone = injections(watched=False)
    assert alone == injections(watched=True)
    assert [injection.call.nth for injection in alone if injection.rule == "rule-1"] == [0, 1, 2, 3]
