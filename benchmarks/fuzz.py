"""Fuzz whatever reads what comes from outside, and count what comes out that is not a `UserError`.

    nox -s fuzz -- --inputs 1000000 --json benchmarks/results/fuzz.json

Each target (`tests/fuzz/targets.py`) has a process of its own under atheris, which follows the branches that an input
takes, and starts from sound input (`seeds.py`). What is not a `UserError`, takes 30 seconds or more than 2 GiB is a
finding: it is kept in FOLDER/TARGET/found, and the command ends with 1. What was learned stays in FOLDER/TARGET/corpus.
Rows of targets that are not run stay in the file of results; `--join` makes one file of those of several runs.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from results_file import ROOT, OtherRows, join_results

sys.path.insert(0, str(ROOT))
from tests.fuzz.targets import TARGETS

METRICS = {"inputs": "number_of_executed_units", "inputs_per_s": "average_exec_per_sec", "peak_mb": "peak_rss_mb"}


def fuzzed(target: str, given: argparse.Namespace) -> tuple[dict[str, int], str]:
    """The figures of a target, and what its process printed."""
    folder = given.folder / target
    command = [sys.executable, "-m", "tests.fuzz.worker", target, str(folder), f"-runs={given.inputs}"]
    command += [f"-max_total_time={given.seconds}", f"-artifact_prefix={folder}/"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    output = done.stdout + done.stderr
    stats = {name: int(number) for name, number in re.findall(r"^stat::(\w+):\s+(\d+)", output, re.MULTILINE)}
    found = re.findall(r"^found .*", output, re.MULTILINE)
    figures = {name: stats.get(stat, 0) for name, stat in METRICS.items()}
    figures["accepted"] = int.from_bytes((folder / "accepted").read_bytes(), sys.byteorder)
    figures["slowest_s"] = stats.get("slowest_unit_time_sec", 0)
    figures["findings"] = len(found) + (done.returncode != 0)
    tail = "" if done.returncode == 0 else output[-3000:]
    return figures, "\n".join([*found, tail])


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", default=",".join(TARGETS), help="some of them, joined by commas")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of each target")
    parser.add_argument("--seconds", type=int, default=0, help="after which a target ends early; 0: never")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    parser.add_argument("--join", nargs="+", type=Path, default=(), help="run nothing: put these files into that one")
    given = parser.parse_args(words)
    if given.join:
        if given.json is None:
            parser.error("--join needs --json, the file that is written")
        join_results(given.join, given.json, "level")
        return
    names = given.targets.split(",")
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"there is no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    rows: list[dict[str, Any]] = []
    done: set[str] = set()
    with ThreadPoolExecutor(given.jobs) as pool:
        for name, (figures, output) in zip(names, pool.map(lambda one: fuzzed(one, given), names), strict=True):
            print(f"{name:17} {' '.join(f'{metric} {value:,}' for metric, value in figures.items())}", flush=True)
            print(output.strip(), flush=True)
            rows += (
                {"suite": "fuzz", "agent": "", "level": name, "mode": "", "metric": metric, "value": value}
                | {"low": None, "high": None, "n": figures["inputs"]}
                for metric, value in figures.items()
            )
            done.add(name)
            if given.json is not None:  # after each, since all of them take hours
                others = OtherRows.of(given.json, lambda row: row["level"] in done)
                others.write_with(given.json, [*others.rows, *rows])
    sys.exit(any(row["metric"] == "findings" and row["value"] for row in rows))


if __name__ == "__main__":
    main()
