"""What one call of a plain Python tool costs under Sealegs and under other libraries that put faults into tools.

    python -m venv peers
    peers/bin/pip install . agentcheck-pytest-plugin agentic-chaos agentic-chaos-security chaos-agents
    peers/bin/python benchmarks/call_price.py --json benchmarks/results/call_price.json

All run in one process, in rounds of a random order; CPU time of the thread is counted, so that other work on the
machine is not. `added_us` is the median over rounds of a call less the bare tool's of the same round, in microseconds;
where the fault strikes, less that of a bare tool that raises. `ratio` is the same as a multiple of the bare call. Their
intervals are the order statistics that hold the median in at least 95 % of samples.

Modes: `dormant`, the tool prepared and nothing armed; `other tool`, a fault armed on another tool; `drawn`, a fault of
this tool with a vanishing probability, on a call that is made again and again; `drawn, new arguments`, the same where
no two calls are alike, less such calls of the bare tool (no peer draws by arguments); `firing`, an error on each call
before the tool's work; `firing at any moment`, the error of a rule that names no moment, so that the tool is run on
half of the calls (the peers know no moments).
`drawn, recorded` and the like are these with a record of the call's arguments and answer: `agentic-chaos-security`
always keeps one, the other peers none. Our recorder writes most events out when they are read, which counts in `drawn,
recorded and read` and the like, once at the end of the round.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import importlib
import itertools
import logging
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

from results_file import write_results
from timed_calls import Made, forecast, forecast_async, timed, timed_async

from sealegs.adapters.python import tool, wrap
from sealegs.faults import Plan, Rule
from sealegs.faults.call import Moment
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import Always, AnyCondition, Probability, Tool
from sealegs.inject import RealClock, Session
from sealegs.traces import Recorder

Prepare = Callable[[Made, str], AbstractContextManager[Made]]  # of the tool and its level: the tool as it is called
BARE, RAISES = "bare", "bare, raising"
DORMANT, OTHER, DRAWN, FIRING, ANY_MOMENT = "dormant", "other tool", "drawn", "firing", "firing at any moment"
NEW = ", new arguments"
RECORDED = ", recorded"
READ = f"{RECORDED} and read"
RARE = 1e-12
ALWAYS_KEPT = "agentic-chaos-security"  # its record cannot be switched off
PACKAGES = {
    "agentcheck": "agentcheck-pytest-plugin",
    "agentic-chaos": "agentic-chaos",
    "acs": ALWAYS_KEPT,
    "chaos-agents": "chaos-agents",
}


class DownError(RuntimeError):
    """What the bare tool raises."""


def failing(city: str, days: int = 3) -> dict[str, Any]:
    raise DownError("down")


async def failing_async(city: str, days: int = 3) -> dict[str, Any]:
    raise DownError("down")


def prepared(make: Callable[[Made], Made]) -> Prepare:
    """A way that needs no context while the tool is called."""
    return lambda bare, _: nullcontext(make(bare))


def never_alike(made: Made) -> Made:
    """The tool with another second argument on every call."""
    numbers = itertools.count()
    return lambda city, days: made(city, days=next(numbers))


def of_sealegs() -> dict[str, Prepare]:
    """Our own modes."""

    def armed(
        matched: str,
        when: AnyCondition,
        moment: Moment | None,
        recorded: bool = False,
        read: bool = False,
        made_so: Callable[[Made], Made] = lambda made: made,
    ) -> Prepare:
        def made(bare: Made) -> Made:
            rule = Rule(match=Tool(matched), when=when, fault=Error(status=503), moment=moment)
            plan = Plan(name="price", rules=(rule,))
            clock = RealClock()
            if not (recorded or read):
                return made_so(wrap(bare, Session(plan, clock=clock)))
            recorder = Recorder(clock)
            recorder.start("price", {})
            called = wrap(bare, Session(plan, clock=clock, watcher=recorder))
            if read:
                called.read = lambda: recorder.events  # type: ignore[attr-defined]
            return called

        return prepared(made)

    scenes: dict[str, tuple[str, AnyCondition, Moment | None]] = {
        OTHER: ("search", Always(), None),
        DRAWN: ("forecast*", Probability(RARE), None),
        FIRING: ("forecast*", Always(), "before"),
        ANY_MOMENT: ("forecast*", Always(), None),
    }
    found: dict[str, Prepare] = {DORMANT: prepared(tool)}
    for mode, scene in scenes.items():
        found[mode] = armed(*scene)
        if mode == DRAWN:
            found[f"{mode}{NEW}"] = armed(*scene, made_so=never_alike)
        found[f"{mode}{RECORDED}"] = armed(*scene, recorded=True)
        found[f"{mode}{READ}"] = armed(*scene, read=True)
    return found


def of_agentcheck() -> dict[str, Prepare]:
    """`agentcheck-pytest-plugin`: an injector that wraps a function."""
    injector = importlib.import_module("pytest_agentcheck.faults").FaultInjector

    def other(bare: Made) -> Made:
        found = injector(seed=1)
        found.inject("search", "exception")
        made: Made = found.wrap(bare)
        return made

    return {
        OTHER: prepared(other),
        DRAWN: prepared(lambda bare: injector(seed=1).inject(bare, "exception", probability=0.0)),
        FIRING: prepared(lambda bare: injector(seed=1).inject(bare, "exception")),
    }


def of_agentic_chaos() -> dict[str, Prepare]:
    """`agentic-chaos`: each call goes through a function of its own, in a session."""
    chaos = importlib.import_module("agentic_chaos.chaos")
    call_async = importlib.import_module("agentic_chaos.chaos.async_call").chaos_acall
    scope = importlib.import_module("agentic_chaos.chaos.scope").Scope

    def called(bare: Made, level: str) -> Made:
        if level == "sync":
            return lambda city, days=3: chaos.chaos_call(bare, city, days=days, step_name="forecast")
        return lambda city, days=3: call_async(bare, city, days=days, step_name="forecast")

    def armed(**settings: Any) -> Prepare:
        @contextlib.contextmanager
        def prepare(bare: Made, level: str) -> Iterator[Made]:
            with chaos.chaos_session([chaos.RateLimitStormFault(burst_count=10**9, **settings)]):
                yield called(bare, level)

        return prepare

    return {
        DORMANT: lambda bare, level: nullcontext(called(bare, level)),
        OTHER: armed(scope=scope(steps=["search"])),
        DRAWN: armed(probability=0.0, seed=1),
        FIRING: armed(),
    }


def of_acs() -> dict[str, Prepare]:
    """`agentic-chaos-security`: decorated tools in a bound session that logs each call."""
    library = importlib.import_module("agentic_chaos_security")
    runtime = importlib.import_module("agentic_chaos_security.runtime")
    error = importlib.import_module("agentic_chaos_security.faults").Error

    def armed(*given: Any, **settings: Any) -> Prepare:
        @contextlib.contextmanager
        def prepare(bare: Made, _: str) -> Iterator[Made]:
            made = library.tool(bare)
            with runtime.bound(runtime.Session([error(*given, **settings)], seed=1)):
                yield made

        return prepare

    return {
        DORMANT: prepared(library.tool),
        f"{OTHER}{RECORDED}": armed("search"),
        f"{DRAWN}{RECORDED}": armed("forecast*", probability=0.0),
        f"{FIRING}{RECORDED}": armed("forecast*"),
    }


def of_chaos_agents() -> dict[str, Prepare]:
    """`chaos-agents`: a wrapper, of sync functions alone; of async ones it passes the coroutine through."""
    monkey = importlib.import_module("chaos_agents").ChaosMonkey
    return {
        DRAWN: prepared(lambda bare: monkey(errors=RARE, seed=1).wrap(bare)),
        FIRING: prepared(lambda bare: monkey(errors=1.0, seed=1).wrap(bare)),
    }


WAYS: dict[str, Callable[[], dict[str, Prepare]]] = {
    "sealegs": of_sealegs,
    "agentcheck": of_agentcheck,
    "agentic-chaos": of_agentic_chaos,
    "acs": of_acs,
    "chaos-agents": of_chaos_agents,
}


def once(prepare: Prepare, level: str, calls: int, bare: Made) -> float:
    """Microseconds of a call in a round of one mode, after some calls to warm it up and without collecting garbage."""
    gc.collect()
    gc.disable()
    try:
        if level == "sync":
            with prepare(bare, level) as made:
                timed(made, calls // 10, time.thread_time)
                reading(made)
                return (timed(made, calls, time.thread_time) + reading(made)) / calls * 1e6

        async def play() -> float:
            with prepare(bare, level) as made:
                await timed_async(made, calls // 10, time.thread_time)
                reading(made)
                return (await timed_async(made, calls, time.thread_time) + reading(made)) / calls * 1e6

        return asyncio.run(play())
    finally:
        gc.enable()


def reading(made: Made) -> float:
    """Seconds that it takes to read what was recorded of a tool's calls; none where nothing is to be read."""
    start = time.thread_time()
    getattr(made, "read", list)()
    return time.thread_time() - start


def measured(level: str, rounds: int, calls: int) -> dict[tuple[str, str], list[float]]:
    """Every round of every peer and mode."""
    works, fails = (forecast, failing) if level == "sync" else (forecast_async, failing_async)
    ways = {(peer, mode): prepare for peer, find in WAYS.items() for mode, prepare in find().items()}
    ways |= {("", BARE): prepared(lambda bare: bare), ("", RAISES): prepared(lambda _: fails)}
    ways["", f"{BARE}{NEW}"] = prepared(never_alike)
    found: dict[tuple[str, str], list[float]] = {key: [] for key in ways}
    order, draw = list(ways), random.Random(0)
    for _ in range(rounds):
        draw.shuffle(order)
        for key in order:
            found[key].append(once(ways[key], level, calls, works))
    return found


def rows(level: str, found: dict[tuple[str, str], list[float]]) -> Iterable[dict[str, Any]]:
    """The long table of one level."""
    for (peer, mode), values in found.items():
        if not peer:
            yield row(level, peer, mode, "call_us", values)
            continue
        bare = RAISES if mode.startswith(FIRING) else f"{BARE}{NEW}" if mode.endswith(NEW) else BARE
        floor = found["", bare]
        yield row(level, peer, mode, "added_us", [one - less for one, less in zip(values, floor, strict=True)])
        yield row(level, peer, mode, "ratio", [one / less for one, less in zip(values, floor, strict=True)])


def row(level: str, peer: str, mode: str, metric: str, values: list[float]) -> dict[str, Any]:
    """The median of a figure over rounds, with its interval."""
    ordered, n = sorted(values), len(values)
    out = 0  # ranks that may be left out at each end: P(the median lies outside) stays within 5 %
    while 2 * sum(comb(n, k) for k in range(out + 1)) <= 0.05 * 2**n:
        out += 1
    low, high = ordered[max(0, out - 1)], ordered[min(n - 1, n - out)]
    shown = {"value": round(median(ordered), 3), "low": round(low, 3), "high": round(high, 3)}
    return {"suite": "call-price", "agent": peer, "level": level, "mode": mode, "metric": metric, **shown, "n": n}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the long table here")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--calls", type=int, default=1000, help="in one round of one mode")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    table: list[dict[str, Any]] = []
    for level in ("sync", "async"):
        table += rows(level, measured(level, arguments.rounds, arguments.calls))
    for one in table:
        if one["metric"] != "ratio":
            print(f"{one['level']:6} {one['mode']:30} {one['agent']:14} {one['value']:9} [{one['low']}, {one['high']}]")
    if arguments.json is not None:
        facts = {"versions": {peer: version(package) for peer, package in PACKAGES.items()}}
        write_results(arguments.json, table, facts)


if __name__ == "__main__":
    main()
