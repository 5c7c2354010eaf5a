"""What the scripted agents reach on `highwater` in every setting, and what an episode costs.

    python benchmarks/highwater_agents.py --data LIBRARY --runs FOLDER --json benchmarks/results/highwater_agents.json
    python benchmarks/highwater_agents.py --published --data LIBRARY --json benchmarks/results/highwater_published.json

Accuracy is over the test split, without and with errors; the calls are those that the agents' code would make (a test
holds the two to be the same), made in this process. Each run is a folder of records, as `sealegs run` writes it: what
was stopped resumes, and `sealegs report FOLDER/DATA` makes a page of all of them. What code adds is timed apart: the
same episodes with and without a kernel each, in one process.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.agents import CODERS
from sealegs.sandbox import Pool, find_isolation, launcher
from sealegs.scoring.highwater_metrics import highwater_table
from sealegs.suites.highwater import DISTRACTORS, ERRORS
from sealegs.suites.highwater.coder_engine import play_highwater_episode
from sealegs.suites.highwater.coder_run import run_scripted_coder
from sealegs.suites.highwater.highwater_logs import read_highwater_run
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.highwater.problem_episodes import choose_problems, episodes_of_problems

SETTINGS: tuple[dict[str, Any], ...] = (
    {"setting": "open", "distractors": 0},
    {"setting": "open", "distractors": 0, "hints": True},
    *({"setting": "closed", "distractors": count} for count in DISTRACTORS),
    {"setting": "distractors", "distractors": 9},
)
AS_PUBLISHED: tuple[dict[str, Any], ...] = (
    {"setting": "open", "distractors": 0, "published": True},
    {"setting": "closed", "distractors": 9, "published": True},
    {"setting": "distractors", "distractors": 9, "published": True},
)
PRINTED = ("accuracy", "accuracy_drop", "kept", "gained", "gave_up", "composed_it", "milliseconds")
TIMED = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="", help="a folder that `sealegs highwater build` wrote, besides our own")
    parser.add_argument("--runs", type=Path, default=Path("sealegs-logs/highwater-agents"), help="where records lie")
    parser.add_argument("--published", action="store_true", help="play three settings as published instead")
    parser.add_argument("--limit", type=int, help="at most this many problems of each")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--json", help="write the long table here")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for folder in ["", *([str(Path(arguments.data).resolve())] if arguments.data else [])]:
        name = Path(folder).name or "own"
        settings = AS_PUBLISHED if arguments.published else SETTINGS
        timed = [] if arguments.published else costs(folder)
        for row in [*reached(folder, arguments.runs / name, arguments.limit, arguments.jobs, settings), *timed]:
            rows.append({"data": name, **row})
            if row["metric"] in PRINTED:
                what = f"{name:8} {row['agent']:8} {row['level']:22} {row['mode']:18} {row['metric']:14}"
                print(f"{what} {row['value']:>8} [{row['low']}, {row['high']}] (n = {row['n']})", flush=True)
    if arguments.json:
        about = {"cores": os.cpu_count(), "load": round(os.getloadavg()[2], 1), "sandbox": find_isolation().name}
        write_results(arguments.json, rows, about)


def reached(
    folder: str, runs: Path, limit: int | None, jobs: int, settings: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Play what is left of every agent in every setting, and judge all records."""
    for options in settings:
        for agent in CODERS:
            chosen = HighwaterOptions(agent=agent, data=folder, limit=limit, interface="calls", **options)
            run_scripted_coder(chosen, runs / chosen.name, lambda done, total: None, jobs)
            found = read_highwater_run(runs / chosen.name)
            yield from map(dict, highwater_table(found.results(), found.who))


def costs(folder: str) -> list[dict[str, Any]]:
    """Milliseconds of an episode of the planner in one process, with a kernel and without."""
    played = episodes_of_problems(choose_problems(folder, "test", TIMED // 2, 0), ERRORS, folder=folder)
    for episode in played[:2]:  # what is built once
        play_highwater_episode(episode, "planner")
    rows = []
    for interface in ["calls", *(["code"] if find_isolation().strong else [])]:
        start = time.perf_counter()
        with ExitStack() as stack:
            pool = stack.enter_context(Pool(launcher(), size=1)) if interface == "code" else None
            for episode in played:
                play_highwater_episode(episode, "planner", pool=pool)
        spent = round(1000 * (time.perf_counter() - start) / len(played), 2)
        what = {"suite": "highwater", "agent": "planner", "level": "open", "mode": interface, "metric": "milliseconds"}
        rows.append({**what, "value": spent, "low": None, "high": None, "n": len(played)})
    return rows


if __name__ == "__main__":
    main()
