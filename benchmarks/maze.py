"""What an episode of `maze` costs: without Inspect on all cores, and through Inspect, with the share of each package.

    python benchmarks/maze.py --json benchmarks/results/maze.json

The shares come from a profile of one more run through Inspect, by the file that a function stands in.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import statistics
import tempfile
import time
from pathlib import Path

from sealegs.scoring import judge
from sealegs.suites.maze.direct import run_direct, run_episode
from sealegs.suites.maze.inspect_run import run_inspect
from sealegs.suites.maze.running import Settings
from sealegs.traces import record

AGENT = "planner"
REPEATS = 5
EPOCHS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the long table here")
    file = parser.parse_args().json
    rows = [*direct_rows(), *inspect_rows()]
    for row in rows:
        print(f"{row['level']:10} {row['mode']:28} {row['metric']:22} {row['value']:>10} (n = {row['n']})")
    if file:
        Path(file).write_text(json.dumps({"rows": rows}, indent=1) + "\n", encoding="utf-8")


def row(level: str, mode: str, metric: str, values: list[float], n: int) -> dict[str, object]:
    value, low, high = statistics.median(values), min(values), max(values)
    told = {"value": round(value, 3), "low": round(low, 3), "high": round(high, 3)}
    return {"suite": "benchmark-maze", "agent": AGENT, "level": level, "mode": mode, "metric": metric, **told, "n": n}


def direct_rows() -> list[dict[str, object]]:
    jobs = os.cpu_count() or 1
    many = Settings(agent=AGENT, epochs=EPOCHS).episodes()
    rates, wholes = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        first = None
        count = 0
        for _lines in run_direct(many, AGENT, jobs=jobs):
            count += 1
            first = first or (time.perf_counter(), count)
        end = time.perf_counter()
        assert count == len(many)
        wholes.append(count / (end - start))
        rates.append((count - first[1]) / (end - first[0]) if first else 0.0)
    few = Settings(agent=AGENT).episodes()
    start = time.perf_counter()
    for episode in few:
        found = record(run_episode(episode, AGENT))
        judge(found, episode.case(found))
    judged = len(few) / (time.perf_counter() - start)
    return [
        row("direct", f"{jobs} processes, with start", "episodes_per_second", wholes, len(many)),
        row("direct", f"{jobs} processes, once running", "episodes_per_second", rates, len(many)),
        row("direct", "1 process, run and judged", "episodes_per_second", [judged], len(few)),
    ]


def inspect_rows() -> list[dict[str, object]]:
    settings = Settings(agent=AGENT, engine="inspect")
    n = len(settings.episodes())
    seconds = [timed(settings) for _ in range(3)]
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        profile.enable()
        run_inspect(settings, Path(folder) / "logs", display="none")
        profile.disable()
    spent = shares(profile)
    return [
        row("inspect", "all", "seconds", seconds, n),
        *(row("inspect", where, "share_per_cent", [share], n) for where, share in spent.items()),
    ]


def timed(settings: Settings) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run_inspect(settings, Path(folder) / "logs", display="none")
        return time.perf_counter() - start


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """Per cent of the profile's own time by where functions stand; built-in functions count for what they are in."""
    places = {"sealegs": 0.0, "inspect_ai": 0.0, "elsewhere": 0.0}
    for (file, _, _), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        place = next((name for name in ("sealegs", "inspect_ai") if f"/{name}/" in file), "elsewhere")
        places[place] += own
    total = sum(places.values())
    return {place: 100 * spent / total for place, spent in places.items()}


if __name__ == "__main__":
    main()
