"""What a code kernel costs: to start it, cold and from the pool, and a call of a function from inside.

    python benchmarks/sandbox.py --json benchmarks/results/sandbox.json

Floors in the same run: `python-start`, the same Python started bare to do nothing; `pipe-echo`, a line there and back
between two processes over two pipes, with nothing read or checked. Rounds take turns, so that what disturbs one
disturbs all. Values are medians; `low` and `high` are the quartiles; `times-floor` is the median over its floor.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.faults.call import Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session
from sealegs.sandbox import Kernel, Launcher, Limits, Pool, answer_through_session, find_isolation, launcher
from sealegs.sandbox.available_isolation import weakest
from sealegs.sandbox.bait import processes
from sealegs.sandbox.python_files import python_files

CALLS = 2000
ECHO = """
import os, sys
r, w = map(int, sys.argv[1:])
while line := os.read(r, 65536):
    os.write(w, line)
"""
LOOP = f"""
import time
began = time.perf_counter()
for _ in range({CALLS}):
    f(item="pen")
print((time.perf_counter() - began) / {CALLS} * 1e6)
"""
SPEC = ToolSpec("f", parameters={"properties": {"item": {}}, "required": ["item"]})
LIMITS = Limits(seconds=60, calls=CALLS)


def bare_answer(tool: str, arguments: Mapping[str, Any]) -> Outcome:
    return Value(12)


def python_start() -> float:
    began = time.perf_counter()
    subprocess.run([python_files().executable, "-I", "-S", "-c", "pass"], check=True)
    return (time.perf_counter() - began) * 1e3


def pipe_echo() -> float:
    here, write = os.pipe()
    read, there = os.pipe()
    command = [sys.executable, "-I", "-S", "-c", ECHO, str(here), str(there)]
    process = subprocess.Popen(command, pass_fds=(here, there))
    os.close(here)
    os.close(there)
    line = b'{"call":1,"tool":"f","arguments":{"item":"pen"}}\n'
    os.write(write, line)
    os.read(read, 65536)
    began = time.perf_counter()
    for _ in range(CALLS):
        os.write(write, line)
        os.read(read, 65536)
    took = (time.perf_counter() - began) / CALLS * 1e6
    os.close(write)
    process.wait()
    os.close(read)
    return took


def cold(place: Launcher) -> float:
    """Milliseconds from nothing to the end of a first turn."""
    began = time.perf_counter()
    with Kernel(place, LIMITS) as kernel:
        kernel.start([SPEC], bare_answer).run("1")
        return (time.perf_counter() - began) * 1e3


def warm(place: Launcher) -> float:
    """The same with a kernel that has waited in a pool."""
    with Pool(place, LIMITS, size=1) as pool:
        time.sleep(0.4)
        began = time.perf_counter()
        with pool.take() as kernel:
            kernel.start([SPEC], bare_answer).run("1")
            return (time.perf_counter() - began) * 1e3


def call(place: Launcher, session: Session | None = None) -> float:
    """Microseconds of one call as the code inside sees it; with a session, through the seam of an episode."""
    answer = bare_answer if session is None else answer_through_session(session, {"f": lambda item: 12})
    with Kernel(place, LIMITS) as kernel:
        return float(kernel.start([SPEC], answer).run(LOOP).output)


def memory(place: Launcher) -> float:
    """MiB that a kernel's Python holds, as Linux counts it."""
    before = processes()
    with Kernel(place, LIMITS) as kernel:
        kernel.start().run("1")
        found = [Path(f"/proc/{pid}/status").read_text(encoding="utf-8") for pid in processes() - before]
        return max(int(text.split("VmRSS:")[1].split()[0]) for text in found) / 1024


def measured(rounds: int) -> list[dict[str, Any]]:
    """The long table."""
    places = {"weak": weakest()}
    if find_isolation().name == "bubblewrap":
        places = {"bubblewrap": launcher(), **places}
    tests: dict[tuple[str, str, str], Callable[[], float]] = {
        ("floor", "python-start", "ms"): python_start,
        ("floor", "pipe-echo", "us"): pipe_echo,
    }
    for name, place in places.items():
        tests[name, "start-cold", "ms"] = lambda place=place: cold(place)  # type: ignore[misc]
        tests[name, "start-warm", "ms"] = lambda place=place: warm(place)  # type: ignore[misc]
        tests[name, "call", "us"] = lambda place=place: call(place)  # type: ignore[misc]
        tests[name, "call-in-session", "us"] = lambda place=place: call(place, Session())  # type: ignore[misc]
        tests[name, "memory", "mib"] = lambda place=place: memory(place)  # type: ignore[misc]
    values: dict[tuple[str, str, str], list[float]] = {key: [] for key in tests}
    for _ in range(rounds):
        for key, test in tests.items():
            values[key].append(test())
    floors = {
        unit: statistics.median(values["floor", mode, unit])
        for mode, unit in (("python-start", "ms"), ("pipe-echo", "us"))
    }
    rows = []
    for (level, mode, unit), found in values.items():
        quartiles = statistics.quantiles(found, n=4)
        rows.append(row(level, mode, unit, statistics.median(found), quartiles[0], quartiles[2], rounds))
        if level != "floor" and unit in floors:
            middle, low, high = (
                value / floors[unit] for value in (statistics.median(found), quartiles[0], quartiles[2])
            )
            rows.append(row(level, mode, "times-floor", middle, low, high, rounds))
    return rows


def row(level: str, mode: str, metric: str, value: float, low: float, high: float, n: int) -> dict[str, Any]:
    figures = {"value": round(value, 2), "low": round(low, 2), "high": round(high, 2)}
    return {
        "suite": "benchmark-sandbox",
        "agent": "",
        "level": level,
        "mode": mode,
        "metric": metric,
        **figures,
        "n": n,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    table = measured(arguments.rounds)
    for one in table:
        print(f"{one['level']:11} {one['mode']:16} {one['metric']:12} {one['value']:8} [{one['low']}, {one['high']}]")
    if arguments.json is not None:
        write_results(arguments.json, table)


if __name__ == "__main__":
    main()
