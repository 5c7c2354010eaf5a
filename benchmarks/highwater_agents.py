"""What the scripted agents reach on `highwater` in every setting, and what an episode costs.

    python benchmarks/highwater_agents.py [--data LIBRARY] [--limit N] --json benchmarks/results/highwater_agents.json

Accuracy is over the test split, without and with errors; the calls are those that the agents' code would make (a test
holds the two to be the same), made in this process. What code adds is timed apart: the same episodes with and without a
kernel each, in one process.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sealegs.agents import CODERS
from sealegs.sandbox import Pool, available, launcher
from sealegs.scoring.plan_b_table import plan_b_table
from sealegs.suites.highwater import DISTRACTORS, ERRORS
from sealegs.suites.highwater.direct import run_episode
from sealegs.suites.highwater.episodes import Episode, chosen, episodes
from sealegs.suites.highwater.logs import judged
from sealegs.suites.running.workers import in_chunks
from sealegs.traces import record

SETTINGS: tuple[dict[str, Any], ...] = (
    {"setting": "open"},
    {"setting": "open", "hints": True},
    *({"setting": "closed", "distractors": count} for count in DISTRACTORS),
    {"setting": "distractors", "distractors": 9},
)
TIMED = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="", help="a folder that `sealegs highwater build` wrote, besides our own")
    parser.add_argument("--limit", type=int, help="at most this many problems of each")
    parser.add_argument("--json", help="write the long table here")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for folder in ["", *([str(Path(asked.data).resolve())] if asked.data else [])]:
        name = Path(folder).name or "own"
        found = [{"data": name, **row} for agent in CODERS for row in reached(folder, agent, asked.limit)]
        rows += [*found, *({"data": name, **row} for row in costs(folder))]
    for row in rows:
        if row["metric"] in ("accuracy", "accuracy_drop", "gave_up", "milliseconds"):
            what = f"{row['data']:8} {row['agent']:8} {row['level']:22} {row['mode']:18} {row['metric']:14}"
            print(f"{what} {row['value']:>8} [{row['low']}, {row['high']}] (n = {row['n']})")
    if asked.json:
        about = {"cores": os.cpu_count(), "sandbox": available().name}
        Path(asked.json).write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n", encoding="utf-8")


def reached(folder: str, agent: str, limit: int | None) -> list[dict[str, Any]]:
    problems = chosen(folder, "test", limit, 0)
    rows: list[dict[str, Any]] = []
    for options in SETTINGS:
        played = episodes(problems, ERRORS, folder=folder, **options)
        results = list(in_chunks(played, partial(judge_chunk, agent=agent), None, 64))
        results.sort(key=lambda result: (result.problem, result.mode))
        rows += [dict(row) for row in plan_b_table(results, {"suite": "highwater", "agent": agent})]
    return rows


def judge_chunk(chunk: Sequence[Episode], agent: str) -> list[Any]:
    return [judged(episode, record(run_episode(episode, agent))) for episode in chunk]


def costs(folder: str) -> list[dict[str, Any]]:
    """Milliseconds of an episode of the planner in one process, with a kernel and without."""
    played = episodes(chosen(folder, "test", TIMED // 2, 0), ERRORS, folder=folder)
    judge_chunk(played[:2], "planner")  # what is built once
    rows = []
    for interface in ["calls", *(["code"] if available().strong else [])]:
        start = time.perf_counter()
        if interface == "code":
            with Pool(launcher(), size=1) as pool:
                for episode in played:
                    run_episode(episode, "planner", pool=pool)
        else:
            judge_chunk(played, "planner")
        spent = round(1000 * (time.perf_counter() - start) / len(played), 2)
        what = {"suite": "highwater", "agent": "planner", "level": "open", "mode": interface, "metric": "milliseconds"}
        rows.append({**what, "value": spent, "low": None, "high": None, "n": len(played)})
    return rows


if __name__ == "__main__":
    main()
