"""Does the hunt find the two planted weaknesses of the shipped agent, and nothing else, whatever the seed?

    python benchmarks/hunt.py --seeds 50 --json benchmarks/results/hunt.json

`right_seeds` counts the seeds whose findings are just two plans of one rule: a 403 that is retried forever, and a
negative price that is trusted. `cpu_seconds` are processor time of one hunt, in a process that has loaded everything.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from results_file import write_results

from sealegs.hunt.callables import callable_target
from sealegs.hunt.fault_sites import chosen_kinds
from sealegs.hunt.plan_search import HuntLimits, HuntResult, hunt

HOME = "sealegs.hunt.example"


def row(metric: str, value: float, low: float, high: float, n: int) -> dict[str, object]:
    """A row of the long table: a median, the least and the most."""
    figures = {"value": round(value, 2), "low": round(low, 2), "high": round(high, 2)}
    return {"suite": "benchmark-hunt", "agent": HOME, "level": "", "mode": "", "metric": metric, **figures, "n": n}


def right(found: HuntResult) -> bool:
    rules = [[rule.id.partition(" ")[2] for rule in finding.plan.rules] for finding in found.findings]
    return sorted(rules) == [["error 403"], ["physics_violation"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    target = callable_target(f"{HOME}:buy", f"{HOME}:sound")
    seconds, runs, good = [], [], 0
    for seed in range(given.seeds):
        began = time.process_time()
        found = hunt(target, HuntLimits(chosen_kinds(""), seed=seed))
        seconds.append(time.process_time() - began)
        runs.append(found.runs)
        good += right(found)
    rows = [
        row("right_seeds", good, good, good, given.seeds),
        row("runs", statistics.median(runs), min(runs), max(runs), given.seeds),
        row("cpu_seconds", statistics.median(seconds), min(seconds), max(seconds), given.seeds),
    ]
    for one in rows:
        print(f"{one['metric']:12} {one['value']:>8} [{one['low']}, {one['high']}] (n = {one['n']})")
    if given.json:
        write_results(given.json, rows)


if __name__ == "__main__":
    main()
