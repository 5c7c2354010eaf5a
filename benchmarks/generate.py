"""What tasks by rules cost: ten thousand of them on all cores, and how many attempts fell at each check.

python benchmarks/generate.py --json benchmarks/results/generate.json
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from results_file import write_results

from sealegs.generate.rules.engine import generate_by_rules
from sealegs.scenarios import LEVELS
from sealegs.scoring.metric import Row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-level", type=int, default=2500, help="tasks of each level")
    parser.add_argument("--json", help="write the long table here")
    arguments = parser.parse_args()
    rows = measured(arguments.per_level)
    for row in rows:
        print(f"{row['level']:4} {row['metric']:28} {row['value']:>10} (n = {row['n']})")
    if arguments.json:
        write_results(arguments.json, rows)


def measured(per_level: int) -> list[Row]:
    """One whole run into an empty folder, and a second that only reads it."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, again = timed(per_level, folder), timed(per_level, folder)
        found = generate_by_rules(LEVELS, per_level, 0, Path(folder), lambda done, total: None)
    count = len(found.tasks)
    head: Row = {"suite": "benchmark-generate", "agent": "rules", "level": "all", "mode": f"{os.cpu_count()} processes"}
    figures = {"seconds": seconds, "tasks_per_second": count / seconds, "seconds_to_read_a_finished_run": again}
    rows: list[Row] = [
        {**head, "metric": name, "value": round(value, 2), "low": None, "high": None, "n": count}
        for name, value in figures.items()
    ]
    return [*rows, *({**row, "suite": "benchmark-generate"} for row in found.rows())]


def timed(per_level: int, folder: str) -> float:
    begun = time.perf_counter()
    generate_by_rules(LEVELS, per_level, 0, Path(folder), lambda done, total: None)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
