"""Memory that a report of Inspect's logs takes, by how many samples they hold: `python benchmarks/report_memory.py`.

The logs are of `maze`: records of the direct engine in samples that are otherwise one that Inspect wrote, so that each
is as long as a real one. Every size is read, judged, tabled and made a page of in a process of its own, whose peak of
resident memory is what counts (by Linux's `/proc`); then once more, with the table of verdicts that the first left.
`--source` measures another checkout on the same logs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from results_file import ROOT, OtherRows

from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces import encode_event, read_episodes
from sealegs.traces.inspect_logs import RECORD_NOTE, samples

SIZES = (400, 1_600, 6_000)
EPOCHS = 3  # 2,000 episodes each
AGENT = "planner"
TABLE = ", with the table"
MEASURE = """
import json, resource, sys
from pathlib import Path
from sealegs.suites.suite import suite_named
def peak():  # of this program alone: `ru_maxrss` begins with what its parent held
    (line,) = (line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
import sealegs.suites.maze.suite, sealegs.suites.maze.maze_logs
import sealegs.reports.sections, sealegs.reports.plots, sealegs.reports.templating
before = peak()
found = suite_named("maze").report(Path(sys.argv[1]))
read = peak()
page = found.page()
used = resource.getrusage(resource.RUSAGE_SELF)
n = next(r["n"] for r in found.rows if (r["level"], r["mode"], r["metric"]) == ("all", "all", "tsr"))
print(json.dumps({"start": before, "read": read, "page": peak(), "n": n, "cpu": used.ru_utime + used.ru_stime}))
"""


def main() -> None:
    """Measure every size, and write the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="the code that is measured")
    parser.add_argument("--name", default="one episode at a time", help="what the rows call it")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--logs", type=Path, help="where the logs are, or are made; a temporary folder by default")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "report_memory.json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        logs = given.logs or Path(temporary)
        rows = [row for size in given.sizes for row in _measured(_logs(logs, size), size, given.source, given.name)]
    own = (given.name, f"{given.name}{TABLE}")
    others = OtherRows.of(given.out, lambda row: row["agent"] in own)
    others.write_with(given.out, [*others.rows, *rows])
    for row in rows:
        print(row)


def _measured(logs: Path, size: int, source: Path, name: str) -> Iterator[dict[str, Any]]:
    env = {**os.environ, "PYTHONPATH": str(source.resolve())}
    for part in logs.glob("*.parquet"):
        part.unlink()
    for agent in (name, f"{name}{TABLE}"):
        if agent != name and not any(logs.glob("*.parquet")):  # fewer samples get none
            return
        command = [sys.executable, "-c", MEASURE, logs]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        assert found["n"] == size, found
        for metric, value in (("start", found["start"]), ("rows", found["read"]), ("page", found["page"])):
            yield _row(agent, size, f"{metric}_mib", round(value, 1))
        yield _row(agent, size, "cpu_s", round(found["cpu"], 1))


def _row(name: str, size: int, metric: str, value: float) -> dict[str, Any]:
    head = {"suite": "report", "agent": name, "level": f"{size} samples", "mode": "maze, Inspect's log"}
    return {**head, "metric": metric, "value": value, "low": None, "high": None, "n": size}


def _logs(folder: Path, size: int) -> Path:
    """A folder with a log of so many samples."""
    made = folder / str(size)
    if made.exists():
        return made
    if not (folder / "records").exists():
        run_scripted_agent(MazeOptions(agent=AGENT, epochs=EPOCHS), folder / "records", lambda done, total: None)
        _inspect_run(folder / "inspect")
    (log,) = (folder / "inspect").glob("*.eval")
    found = list(samples(log, []))
    template, started = max(found, key=lambda one: len(json.dumps(one[0])))[0], found[0][1]
    made.mkdir()
    (made / "run.json").write_text("{}", "utf-8")  # so that it is a run's folder
    with zipfile.ZipFile(made / "log.eval", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {**started, "dataset": {}}}))
        for number, events in enumerate(read_episodes(folder / "records" / "episodes.jsonl", [])):
            if number == size:
                break
            note = [encode_event(event) for event in events]
            own = [
                {**event, "data": note} if event.get("source") == RECORD_NOTE else event for event in template["events"]
            ]
            archive.writestr(f"samples/{number}.json", json.dumps({**template, "id": str(number), "events": own}))
    return made


def _inspect_run(folder: Path) -> None:
    from sealegs.suites.maze.maze_eval import run_maze_in_inspect

    settings = MazeOptions(agent=AGENT, engine="inspect", levels=("C4",), modes=("NP", "P1"), limit=2)
    run_maze_in_inspect(settings, folder, display="none")


if __name__ == "__main__":
    main()
