"""What it costs agents of `maze` that a failed action may have been done: every setting of the moment, side by side.

    python benchmarks/moments.py --json benchmarks/results/moments.json

Each scripted agent plays all 400 tasks under the five modes (2,000 episodes), once for each setting of `--moment`, with
the published implicit faults: every one of them can be told from its tool's declarations, so that the moment alone
makes the difference. The runs are those of `sealegs run maze` in folders under `--work`: a stopped benchmark continues
where it was. The rows are those of the run's long table, over all levels, with a column `moment`; what they count is
explained in docs/maze.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.agents import SCRIPTED
from sealegs.scenarios.moments import SETTINGS
from sealegs.scenarios.perturbation import PUBLISHED_FAMILIES
from sealegs.scoring.maze_metrics import maze_table
from sealegs.scoring.metric import ALL
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions

SHOWN = ("tsr", "prr", "rc", "composite", "doubled", "wrong_effects", "exposed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the long table here")
    parser.add_argument("--work", type=Path, default=Path("build/moments"), help="where the runs lie")
    arguments = parser.parse_args()
    rows = [row for moment in SETTINGS for agent in SCRIPTED for row in rows_of(agent, moment, arguments.work)]
    for row in rows:
        if row["metric"] in ("tsr", "doubled") or row["mode"] == ALL:
            print(f"{row['moment']:7} {row['agent']:9} {row['mode']:4} {row['metric']:14} {row['value']:>6}")
    if arguments.json:
        write_results(arguments.json, rows)


def rows_of(agent: str, moment: str, work: Path) -> list[dict[str, Any]]:
    settings = MazeOptions(agent=agent, moment=moment, implicit=PUBLISHED_FAMILIES)
    folder = work / settings.name
    run_scripted_agent(settings, folder, lambda done, total: None)
    run = read_maze_run(folder)
    found = maze_table(run.results(), {"suite": "maze", "agent": agent})
    return [{**row, "moment": moment} for row in found if row["level"] == ALL and row["metric"] in SHOWN]


if __name__ == "__main__":
    main()
