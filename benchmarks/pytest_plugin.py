"""What the pytest plugin costs who never asks for it, and what a marked test costs, in processor time.

    python benchmarks/pytest_plugin.py --json benchmarks/results/pytest_plugin.json

Runs of pytest over the same tests, with the plugin and without (`-p no:sealegs`), one after the other; the differences
are those of the quietest runs' own processor time, which other work on the machine disturbs least. Differences below
some 100 ms are noise, so the hooks of a run that never asks are timed under a profiler too (`hooks_us_per_test`), which
makes them cost more than they do. In `marked` every test has a plan that strikes one call; its cost has the loading of
Sealegs in it, once a run.
"""

from __future__ import annotations

import argparse
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from results_file import write_results

PLAIN = "\n".join(f"def test_{n}():\n    assert True\n" for n in range(250))
HEAD = """
import pytest
from sealegs import tool
PLAN = {"name": "down", "rules": [{"match": {"tool": "f"}, "fault": {"kind": "empty"}}]}

@tool
def f():
    return "text"
"""
MARKED = "\n".join([HEAD, *(f"@pytest.mark.faults(PLAN)\ndef test_{n}():\n    f()\n" for n in range(250))])
FILES = 8
INI = "[pytest]\nasyncio_default_fixture_loop_scope = function\nmarkers = faults: for runs without the plugin\n"


def seconds(folder: Path, *options: str) -> float:
    """Processor seconds of one run of pytest."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def import_time() -> float:
    """Milliseconds that pytest's loading of the plugin takes, with pytest itself loaded before."""
    code = "import pytest, sealegs.adapters.pytest"
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code], check=True, capture_output=True, text=True)
    found = re.findall(
        r"\|\s+(\d+) \| (?:  )?(sealegs|sealegs\.adapters|sealegs\.adapters\.pytest)$", done.stderr, re.M
    )
    times = {name: int(microseconds) for microseconds, name in found}
    return times["sealegs.adapters.pytest"] / 1000


def hook_time(folder: Path) -> float:
    """Seconds in the plugin's hooks in one run that asks for no faults, under a profiler."""
    code = (
        "import cProfile, pstats, pytest; p = cProfile.Profile();"
        "p.runcall(pytest.main, ['-q', '-p', 'no:cacheprovider']);"
        "found = pstats.Stats(p).stats.items();"
        "print(sum(t[3] for k, t in found if k[0].endswith('adapters/pytest.py') and k[2].startswith('pytest_')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder)
    return float(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folders = {name: Path(place, name) for name in ("plain", "marked")}
        for name, folder in folders.items():
            folder.mkdir()
            folder.joinpath("pytest.ini").write_text(INI)
            for n in range(FILES):
                folder.joinpath(f"test_{name}_{n}.py").write_text(PLAIN if name == "plain" else MARKED)
        off = ("-p", "no:sealegs")
        modes = {
            "plain_without": (folders["plain"], *off),
            "plain_inert": (folders["plain"],),
            "marked_without": (folders["marked"], *off),
            "marked": (folders["marked"],),
        }
        times: dict[str, list[float]] = {mode: [] for mode in modes}
        for folder, *options in modes.values():
            seconds(folder, *options)  # fills the caches of compiled files
        for _ in range(given.rounds):
            for mode, (folder, *options) in modes.items():
                times[mode].append(seconds(folder, *options))
        hooks = hook_time(folders["plain"])
    best = {mode: min(found) for mode, found in times.items()}
    tests = FILES * 250
    rows = [row("import_ms", statistics.median(imports := [import_time() for _ in range(given.rounds)]), imports)]
    rows += [row("cpu_seconds", min(found), found, mode) for mode, found in times.items()]
    rows += [
        row(f"{name}_us_per_test", (best[mode] - best[without]) / tests * 1e6)
        for name, mode, without in (("inert", "plain_inert", "plain_without"), ("marked", "marked", "marked_without"))
    ]
    rows.append(row("hooks_us_per_test", hooks / tests * 1e6))
    for one in rows:
        print(f"{one['mode']:15} {one['metric']:18} {one['value']:>9} [{one['low']}, {one['high']}] (n = {one['n']})")
    if given.json:
        write_results(given.json, rows)


def row(metric: str, value: float, values: Sequence[float] = (), mode: str = "") -> dict[str, object]:
    """A row of the long table; from least to most where there are several."""
    ends = {"low": round(min(values), 3), "high": round(max(values), 3)} if values else {"low": None, "high": None}
    who = {"suite": "benchmark-pytest", "agent": "", "level": "2000 tests", "mode": mode, "metric": metric}
    return {**who, "value": round(value, 3), **ends, "n": max(1, len(values))}


if __name__ == "__main__":
    main()
