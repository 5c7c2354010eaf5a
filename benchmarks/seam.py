"""What the seam adds to one call of a plain Python tool, sync and async, in microseconds.

    python benchmarks/seam.py --json benchmarks/results/seam.json

Each mode is the same tool called in the same loop, in processes of its own (pyperf); what is added is the difference of
the medians to the bare tool of the same run, with a 95 % bootstrap interval. The bare tool itself is in row `bare`.
Other options are pyperf's (`--fast`, `--rigorous`, `--affinity`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyperf
from results_file import write_results
from timed_calls import Made, forecast, forecast_async, timed, timed_async

from sealegs.adapters.python import tool, wrap
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import AnyFault, Error, Poisoned
from sealegs.faults.triggers import Always, AnyCondition, Argument, Matcher, Nth, Probability, Tool
from sealegs.inject import RealClock, Session
from sealegs.traces import Recorder

NEVER = Nth(10**12)
DOWN = Error(status=503)
SAMPLES = 10_000


def session(
    match: Matcher | None = None,
    when: AnyCondition | None = None,
    fault: AnyFault = DOWN,
    *,
    recorded: bool = False,
) -> Session:
    """A session with one rule, or with none where nothing is given."""
    given = match is not None or when is not None
    rules = (Rule(match=match or Tool("forecast*"), when=when or Always(), fault=fault),) if given else ()
    plan = Plan(name="benchmark", rules=rules)
    clock = RealClock()
    return Session(plan, clock=clock, watcher=Recorder(clock)) if recorded else Session(plan, clock=clock)


OTHER_ARGUMENTS = Tool("forecast*") & Argument(name="days", above=7)
MODES: dict[str, Callable[[Made], Made]] = {
    "bare": lambda bare: bare,
    "marked-no-session": tool,
    "unarmed": lambda bare: wrap(bare, session()),
    "armed-not-matching": lambda bare: wrap(bare, session(Tool("search"))),
    "armed-not-matching-arguments": lambda bare: wrap(bare, session(OTHER_ARGUMENTS)),
    "armed-matching-not-firing": lambda bare: wrap(bare, session(when=NEVER)),
    "armed-drawn-not-firing": lambda bare: wrap(bare, session(when=Probability(1e-15))),
    "firing-error": lambda bare: wrap(bare, session(when=Always())),
    "firing-poisoned": lambda bare: wrap(bare, session(when=Always(), fault=Poisoned())),
    "recorded": lambda bare: wrap(bare, session(recorded=True)),
    "recorded-matching-not-firing": lambda bare: wrap(bare, session(when=NEVER, recorded=True)),
    "recorded-firing-error": lambda bare: wrap(bare, session(when=Always(), recorded=True)),
}


def seconds(loops: int, mode: str) -> float:
    """Seconds for so many sync calls."""
    return timed(MODES[mode](forecast), loops, time.perf_counter)


def seconds_async(loops: int, mode: str) -> float:
    """Seconds for so many async calls, one after another on one loop."""
    return asyncio.run(timed_async(MODES[mode](forecast_async), loops, time.perf_counter))


def row(level: str, mode: str, metric: str, value: float, low: float, high: float, n: int) -> dict[str, Any]:
    figures = {"value": round(value, 3), "low": round(low, 3), "high": round(high, 3)}
    return {"suite": "benchmark-seam", "agent": "", "level": level, "mode": mode, "metric": metric, **figures, "n": n}


def microseconds(benchmark: pyperf.Benchmark) -> np.ndarray[Any, Any]:
    return np.asarray(benchmark.get_values()) * 1e6


def rows(level: str, found: dict[str, pyperf.Benchmark]) -> list[dict[str, Any]]:
    """The long table of one level."""
    draw = np.random.default_rng(0)

    def medians(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        result: np.ndarray[Any, Any] = np.median(draw.choice(values, (SAMPLES, len(values))), axis=1)
        return result

    bare = microseconds(found["bare"])
    bare_medians = medians(bare)
    low, high = np.percentile(bare_medians, [2.5, 97.5])
    table = [row(level, "bare", "call_us", float(np.median(bare)), low, high, len(bare))]
    for mode, benchmark in found.items():
        if mode != "bare":
            values = microseconds(benchmark)
            low, high = np.percentile(medians(values) - bare_medians, [2.5, 97.5])
            added = float(np.median(values) - np.median(bare))
            table.append(row(level, mode, "added_us", added, low, high, len(values)))
    return table


def main() -> None:
    runner = pyperf.Runner(processes=8, values=5)
    runner.argparser.add_argument("--json", type=Path, help="write the long table here")
    arguments = runner.parse_args()
    table: list[dict[str, Any]] = []
    for level, function in (("sync", seconds), ("async", seconds_async)):
        found = {mode: runner.bench_time_func(f"{level}: {mode}", function, mode) for mode in MODES}
        if not arguments.worker and all(found.values()):
            table += rows(level, found)
    if arguments.worker:
        return
    for one in table:
        print(f"{one['level']:6} {one['mode']:29} {one['metric']:9} {one['value']:8} [{one['low']}, {one['high']}]")
    if arguments.json is not None:
        write_results(arguments.json, table)


if __name__ == "__main__":
    main()
