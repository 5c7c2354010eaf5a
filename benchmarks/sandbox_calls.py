"""Every permitted system call on all that is shared, as each user, with and without bubblewrap and user namespaces.

    python benchmarks/sandbox_calls.py --json benchmarks/results/sandbox_calls.json

Run as root, who alone can become the others. Each cell is `sealegs sandbox calls` in a process of its own. Where user
namespaces are forbidden, the cell is in a user namespace that has all users and may make no other one, as a container
has it. `mode` is the user, and `no user namespaces` where there are none. A cell whose isolation cannot be had has one
row, `refused`, with the reason in words.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from results_file import write_results

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.sandbox.identities import NOBODY, USER, command_as  # noqa: E402

USERS = {"root": 0, "user": USER, "nobody": NOBODY}
SEALEGS = [sys.executable, "-B", "-m", "sealegs"]


def cell_rows(level: str, who: str, namespaces: bool) -> list[dict[str, Any]]:
    """The rows of one cell."""
    mode = who if namespaces else f"{who}, no user namespaces"
    words = [*SEALEGS, "sandbox", "calls", "--json", "-", *(["--weak"] if level == "weak" else [])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HOME": "/nonexistent"}
    run = subprocess.run(
        command_as(USERS[who], words, namespaces),
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode > 1 or not run.stdout:
        raise SystemExit(f"{mode}, {level}: sealegs sandbox calls ended with {run.returncode}: {run.stderr[-500:]}")
    found = json.loads(run.stdout)
    if found["isolation"] != level:
        why = {
            "suite": "sandbox",
            "agent": "",
            "level": level,
            "mode": mode,
            "metric": "refused",
            "why": found["missing"],
        }
        return [{**why, "value": 1, "low": 1, "high": 1, "n": 1}]
    return [{**row, "mode": mode} for row in found["rows"]]


def cells() -> Iterator[tuple[str, str, bool]]:
    """All of them: isolation, user, whether user namespaces can be made."""
    for level in ("bubblewrap", "weak"):
        for who in USERS:
            for namespaces in (True, False):
                yield level, who, namespaces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the long table here")
    given = parser.parse_args()
    if os.getuid():
        parser.error("root alone can become the other users; run it as root")
    table = []
    for cell in cells():
        rows = cell_rows(*cell)
        changing = [row["agent"] for row in rows if row["metric"] == "changes" and row["value"] > 0]
        print(*cell, rows[0].get("why") or f"changed what is shared: {changing}", sep=" | ", flush=True)
        table += rows
    if given.json is not None:
        write_results(given.json, table)


if __name__ == "__main__":
    main()
