"""The campaign of the paper's shape from end to end, and once more while its launcher is killed again and again.

    python benchmarks/micro.py --kills 20 --json benchmarks/results/micro.json

`sealegs campaign run paper --jobs 2 --time-limit 5` is run twice: undisturbed, and with `kill -9` at random moments,
each time followed by the same command. The second must come to the same outcomes with no run lost and none doubled.
Seconds are of the clock, start of the interpreter included; most go into the 45 runs that hang until they are ended.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.suites.micro.campaign.campaign_check import read_campaign
from sealegs.suites.micro.campaign.shipped import shipped_campaigns

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]
ARGUMENTS = ["campaign", "run", "paper", "--jobs", "2", "--time-limit", "5"]


def whole(folder: Path, table: Path) -> float:
    """Let the command run to its end; its seconds."""
    began = time.monotonic()
    command = [*SEALEGS, *ARGUMENTS, "--out", str(folder), "--json", str(table)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - began


def killed(folder: Path, kills: int, expected: float, seed: int) -> list[int]:
    """Start the command and kill it, again and again; how many runs had ended each time."""
    draw, seen = random.Random(seed), []
    for _ in range(kills):
        command = [*SEALEGS, *ARGUMENTS, "--out", str(folder)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(draw.uniform(0.1, 2 * expected / kills))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        journal = folder / "journal.jsonl"
        seen.append(journal.read_bytes().count(b"\n") if journal.exists() else 0)
    return seen


def outcomes(folder: Path) -> dict[str, str]:
    rows = csv.DictReader((folder / "runs.csv").read_text(encoding="utf-8").splitlines())
    return {row["run"]: row["counted as"] for row in rows}


def compared(calm: Path, disturbed: Path) -> dict[str, Any]:
    """What the kills cost."""
    planned = {run.id for run in read_campaign(shipped_campaigns()["paper"], "", "paper").runs()}
    lines = (disturbed / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    ends = Counter(json.loads(line)["id"] for line in lines)
    one, other = outcomes(calm), outcomes(disturbed)
    return {
        "runs": len(planned),
        "lost": len(planned - ends.keys()),
        "doubled": sum(count > 1 for count in ends.values()),
        "other_outcomes": sum(one[run] != other[run] for run in one),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        seconds = whole(home / "calm", home / "calm.json")
        result: dict[str, Any] = {"command": " ".join(["sealegs", *ARGUMENTS]), "seconds": round(seconds, 1)}
        if given.kills:
            seen = killed(home / "killed", given.kills, seconds, given.seed)
            whole(home / "killed", home / "killed.json")
            result["kills"] = {"ended_before": seen, **compared(home / "calm", home / "killed")}
        table = json.loads((home / "calm.json").read_text(encoding="utf-8"))
        result["notes"] = table["notes"]
    print(json.dumps(result, indent=1))
    if given.json:
        write_results(given.json, table["rows"], result)


if __name__ == "__main__":
    main()
