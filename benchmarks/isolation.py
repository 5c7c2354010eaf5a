"""From "run this" to the function's first line, with an agent framework imported: our fork against two other starts.

    python benchmarks/isolation.py --json benchmarks/results/isolation.json

`cold`: a new interpreter imports the framework, no more. `forkserver`: `multiprocessing`'s own, with the framework and
all that this file imports preloaded. `zygote`: a run of ours, with its folder, limits and watching process. The three
take turns, so that a busy machine is busy for all; medians with the 95 % bootstrap interval, and ratios of medians to
`cold`. `whole` is what a trivial run costs from sending to its end, all it left removed, one at a time. What is paid
once (the zygote's and the fork server's own start, with the first run) is in the rows `first`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from results_file import write_results

from sealegs.suites.micro.isolation import RunEnd, RunRequest, run_all

FRAMEWORK = "langchain.agents"
OWN = ["numpy", "sealegs.suites.micro.isolation"]  # what this file imports: the fork server's children import it again
DRAWS = 10_000


def stamp(_: Mapping[str, Any]) -> dict[str, Any]:
    return {"at": time.monotonic()}


def stamp_into(end: Connection) -> None:
    end.send(time.monotonic())


def cold() -> float:
    """Seconds to the first line after the import, in a new interpreter."""
    code = f"import time, {FRAMEWORK}; print(time.monotonic())"
    began = time.monotonic()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(run.stdout) - began


def forkserver() -> float:
    """Seconds to the first line in a process of the fork server."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    began = time.monotonic()
    process = context.Process(target=stamp_into, args=(theirs,))
    process.start()
    at = float(ours.recv())
    process.join()
    return at - began


def measured(rounds: int) -> dict[str, list[float]]:
    """Seconds by way of starting, the three in turn."""
    found: dict[str, list[float]] = {"cold": [], "forkserver": [], "zygote": [], "whole": []}
    began = time.monotonic()
    forkserver()
    found["first forkserver"] = [time.monotonic() - began]
    cold()  # the files are in memory now, for all three
    began = last = time.monotonic()

    def take_turns(end: RunEnd) -> None:
        nonlocal last
        now = time.monotonic()
        assert end.how == "finished", end
        assert end.start == "fork", end
        if end.id == "0":
            found["first zygote"] = [now - began]
        else:
            assert end.result is not None
            found["zygote"].append(end.start_seconds)
            found["whole"].append(now - last)
            found["cold"].append(cold())
            found["forkserver"].append(forkserver())
        last = time.monotonic()

    requests = [RunRequest(str(number), {}) for number in range(rounds + 1)]
    run_all("isolation:stamp", requests, preload=[FRAMEWORK], ended=take_turns)
    return found


def row(mode: str, metric: str, values: np.ndarray[Any, Any], value: float, n: int) -> dict[str, Any]:
    low, high = (round(float(one), 3) for one in np.percentile(values, [2.5, 97.5]))
    figures = {"value": round(value, 3), "low": low, "high": high}
    return {
        "suite": "benchmark-isolation",
        "agent": "",
        "level": FRAMEWORK,
        "mode": mode,
        "metric": metric,
        **figures,
        "n": n,
    }


def rows(found: dict[str, list[float]]) -> list[dict[str, Any]]:
    """The long table."""
    draw = np.random.default_rng(0)
    medians = {
        mode: np.median(draw.choice(np.asarray(values), (DRAWS, len(values))), axis=1) for mode, values in found.items()
    }
    middle = {mode: float(np.median(values)) for mode, values in found.items()}
    table = [row(mode, "ms", medians[mode] * 1e3, middle[mode] * 1e3, len(found[mode])) for mode in found]
    for mode in ("zygote", "forkserver"):
        ratios = medians["cold"] / medians[mode]
        table.append(row(mode, "times_faster_than_cold", ratios, middle["cold"] / middle[mode], len(found[mode])))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path, help="write the long table here")
    given = parser.parse_args()
    multiprocessing.get_context("forkserver").set_forkserver_preload([FRAMEWORK, *OWN])
    table = rows(measured(given.rounds))
    for one in table:
        print(f"{one['mode']:17} {one['metric']:23} {one['value']:9} [{one['low']}, {one['high']}]")
    if given.json is not None:
        write_results(given.json, table)


if __name__ == "__main__":
    main()
