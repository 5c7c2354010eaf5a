"""How alike a private set of tasks is to the public one that it is matched to: every figure of both, level by level.

The seed is given here, so this set is of no use as a secret. It takes about twelve minutes of one core; a stopped run
resumes.

python benchmarks/private_set.py --folder private-set --json benchmarks/results/private_set.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from results_file import write_results

from sealegs.generate.private_set import make_private_set
from sealegs.scenarios import LEVELS
from sealegs.scoring.metric import Row
from sealegs.suites.maze.set_comparison import compare_with_public

SEED = 19


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the set is made")
    parser.add_argument("--json", help="write the long table here")
    arguments = parser.parse_args()
    made = make_private_set(LEVELS, None, SEED, arguments.folder, lambda done, total: None)
    found = compare_with_public(arguments.folder)
    for line in found.lines():
        print("  ".join(line))
    rows = found.rows()
    head: Row = {"suite": "maze", "agent": "tasks", "task_set": made.tasks.edition, "mode": "all"}
    for level, tried in made.tried.items():
        unmatched = sum(name.upper().startswith(level) for name in made.unmatched)
        counts = {"attempts": tried, "unmatched": unmatched}
        for name, value in counts.items():
            rows.append({**head, "level": level, "metric": name, "value": value, "low": None, "high": None, "n": 1})
    if arguments.json:
        write_results(arguments.json, rows)


if __name__ == "__main__":
    main()
