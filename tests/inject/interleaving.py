"""The same calls in many orders: 64 workers in tasks or threads that get into one another's way.

Run as a program, it prints a digest of what struck, for processes to be compared.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sealegs.faults import Call, Outcome, Plan, Value
from sealegs.faults.call import Layer
from sealegs.faults.kinds import Delay, Delta, Error, Scramble
from sealegs.faults.triggers import Argument, Burst, Every, Probability, Tool, Window
from sealegs.inject import Injection, Session, VirtualClock
from tests.inject.staging import plan, rule

WORKERS = 64
CALLS = 6
SHARED = tuple(f"shared-{index}" for index in range(4))
Injections = Counter[tuple[Any, ...]]

STORM = plan(
    rule(Delay(seconds={"exponential": {"mean": 2.0}}), when=Window((2, 4)), at_most=2, id="slow"),
    rule(Error(status=503), when=Probability(0.3), id="flaky"),
    rule(Scramble(), tool="own-*", when=Burst(probability=0.2, length=2), id="garbled"),
    rule(Delta(), match=Tool("*") & ~Argument(name="call", above=4), when=Every(2), id="drift"),
    rule(Error(status=500), tool="own-1*", when=Probability(0.1), persistence="permanent", id="gone"),
    seed=11,
)


class Gathering:
    """A watcher that keeps what struck, under names that do not depend on the order of the calls."""

    def __init__(self) -> None:
        self.injections: list[Injection] = []

    def around(self, layer: Layer) -> Layer:
        return layer

    def injected(self, injection: Injection) -> None:
        self.injections.append(injection)

    def all(self) -> Injections:
        return Counter(
            (one.call.tool, one.call.nth, one.rule, one.delivered, one.waited, repr(one.shown))
            for one in self.injections
        )


def calls_of(worker: int) -> list[tuple[str, Mapping[str, Any]]]:
    """A worker's calls: to a tool of its own, and to tools that it shares with others."""
    own = [(f"own-{worker}", {"worker": worker, "call": index}) for index in range(CALLS)]
    shared = [(SHARED[(worker + index) % len(SHARED)], {"call": 0}) for index in range(CALLS)]
    return [call for pair in zip(own, shared, strict=True) for call in pair]


def answer(call: Call) -> Outcome:
    return Value({"tool": call.tool, "number": 1234.5, "text": "steady as she goes"})


def one_after_another(plan: Plan) -> Injections:
    seen = Gathering()
    session = Session(plan, episode="storm", clock=VirtualClock(), watcher=seen)
    for worker in range(WORKERS):
        for tool, arguments in calls_of(worker):
            session.call(tool, arguments, answer)
    return seen.all()


def in_tasks(plan: Plan, order: int) -> Injections:
    seen = Gathering()
    session = Session(plan, episode="storm", clock=VirtualClock(), watcher=seen)
    draw = random.Random(order)

    async def answer_async(call: Call) -> Outcome:
        for _ in range(draw.randrange(3)):
            await asyncio.sleep(0)
        return answer(call)

    async def work(worker: int) -> None:
        for tool, arguments in calls_of(worker):
            for _ in range(draw.randrange(4)):
                await asyncio.sleep(0)
            await session.call_async(tool, arguments, answer_async)

    async def all_of_them() -> None:
        workers = list(range(WORKERS))
        draw.shuffle(workers)
        await asyncio.gather(*map(work, workers))

    asyncio.run(all_of_them())
    return seen.all()


def run_hurried(threads: Sequence[threading.Thread]) -> None:
    """Run threads to their ends, with switches between them as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)


def in_threads(plan: Plan, order: int) -> Injections:
    seen = Gathering()
    session = Session(plan, episode="storm", clock=VirtualClock(), watcher=seen)
    start = threading.Barrier(WORKERS)

    def work(worker: int) -> None:
        start.wait()
        for tool, arguments in calls_of(worker):
            session.call(tool, arguments, answer)

    workers = list(range(WORKERS))
    random.Random(order).shuffle(workers)
    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    run_hurried(threads)
    return seen.all()


def digest(injections: Injections) -> str:
    """One line for all that struck."""
    return hashlib.sha256(repr(sorted(injections.items(), key=repr)).encode()).hexdigest()


if __name__ == "__main__":
    print(digest(in_tasks(STORM, int(sys.argv[1]))))
