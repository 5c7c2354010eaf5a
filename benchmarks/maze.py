"""What an episode of `maze` costs: without Inspect, and through Inspect, with the share of each package.

    python benchmarks/maze.py --json benchmarks/results/maze.json

Without Inspect: the 400 base tasks under five modes, run on all cores (episodes a second), and in this one process (CPU
milliseconds an episode, which other work on the machine hardly changes): the first time, when each task and plan is
read, and again; then judging the record. Through Inspect: 80 of the base tasks. The shares come from a profile
of one more run, by the file that a function is in.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from results_file import write_results

from sealegs.agents import SCRIPTED
from sealegs.engines.direct import play_scenario, play_scenarios
from sealegs.scenarios.scenario import Scenario, scenario_faults
from sealegs.scoring import judge
from sealegs.suites.maze.maze_eval import run_maze_in_inspect
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces import build_record

AGENT = "planner"
REPEATS = 3
EPOCHS = 8  # 16,000 episodes; the start of the processes and what is read once are a part of it, as for users
THROUGH_INSPECT = 20  # base tasks of each level
JOBS = os.cpu_count() or 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the long table here")
    file = parser.parse_args().json
    rows = [*direct_rows(), *inspect_rows()]
    for row in rows:
        print(
            f"{row['agent']:8} {row['level']:8} {row['mode']:28} {row['metric']:22} {row['value']:>10} (n = {row['n']})"
        )
    if file:
        write_results(file, rows)


def row(agent: str, level: str, mode: str, metric: str, values: Sequence[float], n: int) -> dict[str, object]:
    value, low, high = statistics.median(values), min(values), max(values)
    figures = {"value": round(value, 3), "low": round(low, 3), "high": round(high, 3)}
    return {
        "suite": "benchmark-maze",
        "agent": agent,
        "level": level,
        "mode": mode,
        "metric": metric,
        **figures,
        "n": n,
    }


def direct_rows() -> list[dict[str, object]]:
    rows = []
    for agent in SCRIPTED:
        wholes, rates = zip(*(direct_rates(agent) for _ in range(REPEATS)), strict=True)
        n = len(MazeOptions(agent=agent, epochs=EPOCHS).episodes())
        rows.append(row(agent, "direct", f"{JOBS} processes, with start", "episodes_per_second", wholes, n))
        rows.append(row(agent, "direct", f"{JOBS} processes, once running", "episodes_per_second", rates, n))
    return [*rows, *(one for agent in SCRIPTED for one in cpu_rows(agent))]


def cpu_rows(agent: str) -> list[dict[str, object]]:
    """CPU milliseconds of an episode in this process."""
    episodes = MazeOptions(agent=agent).episodes()
    spent: dict[str, list[float]] = {}

    def timed(mode: str, work: Callable[[Scenario], object]) -> None:
        start = time.process_time()
        for episode in episodes:
            work(episode)
        spent.setdefault(mode, []).append(1000 * (time.process_time() - start) / len(episodes))

    scenario_faults.cache_clear()
    timed("the first time", lambda episode: play_scenario(episode, agent))
    for _ in range(REPEATS):
        timed("again", lambda episode: play_scenario(episode, agent))
    found = {episode: build_record(play_scenario(episode, agent)) for episode in episodes}
    for _ in range(REPEATS):
        timed("judging", lambda episode: judge(found[episode], episode.case(found[episode])))
    return [
        row(agent, "direct", f"1 process, {mode}", "cpu_ms", values, len(episodes)) for mode, values in spent.items()
    ]


def direct_rates(agent: str) -> tuple[float, float]:
    """Episodes a second with and without the start of the processes."""
    many = MazeOptions(agent=agent, epochs=EPOCHS).episodes()
    start = time.perf_counter()
    ready = 0.0
    at_ready = count = 0
    for _played in play_scenarios(many, agent, jobs=JOBS):
        count += 1
        if not ready:
            ready, at_ready = time.perf_counter(), count
    end = time.perf_counter()
    assert count == len(many)
    return count / (end - start), (count - at_ready) / (end - ready)


def inspect_rows() -> list[dict[str, object]]:
    settings = MazeOptions(agent=AGENT, engine="inspect", limit=THROUGH_INSPECT)
    n = len(settings.episodes())
    seconds = [timed(settings) for _ in range(3)]
    profile = cProfile.Profile()
    with tempfile.TemporaryDirectory() as folder:
        profile.enable()
        run_maze_in_inspect(settings, Path(folder) / "logs", display="none")
        profile.disable()
    spent = shares(profile)
    return [
        row(AGENT, "inspect", "all", "seconds", seconds, n),
        *(row(AGENT, "inspect", where, "share_per_cent", [share], n) for where, share in spent.items()),
    ]


def timed(settings: MazeOptions) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run_maze_in_inspect(settings, Path(folder) / "logs", display="none")
        return time.perf_counter() - start


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """The profile's own time in %, by where functions are defined; a built-in function counts for its callers."""
    places = {"sealegs": 0.0, "inspect_ai": 0.0, "elsewhere": 0.0}
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if file == "~" and callers:
            for (caller, _, _), (_, _, part, _) in callers.items():
                places[place(caller)] += part
        else:
            places[place(file)] += own
    total = sum(places.values())
    return {name: 100 * spent / total for name, spent in places.items()}


def place(file: str) -> str:
    return next((name for name in ("sealegs", "inspect_ai") if f"/{name}/" in file), "elsewhere")


if __name__ == "__main__":
    main()
