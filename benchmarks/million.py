"""What `report` and `rank` cost by how many episodes there are, without the table of verdicts and with it.

    python benchmarks/million.py --sizes 10000 100000 1000000 --judged 10000 100000

The scripted `planner` plays 10,000 episodes of `maze`. A larger run is made of these: each stands in it under as many
epochs as it takes, in the records and in the table, so files are as long as those of a real run, and verdicts repeat as
those of a scripted agent do; each epoch's faults have a digest of their own, as they would. Its records are not judged
(they would be of other faults than their epochs have), so there are no figures without the table for it. Every command
is a process of its own; `without` hides pyarrow from it. CPU is that of all of its processes; the peak of memory is
that of the command itself, whose workers hold a range at a time. At last each run is compressed, and reported on once
more; the bytes of its records, their chain and its table are then counted together. Runs are kept in `build/million`,
and a table that was made before is made again. Rows of sizes that are not asked for stay in the file of results.

`--judged` measures judging alone, in one process (but of a million) and in as many as there are cores: the report of a
run without a table. Its records are those of the played run, one time after the other, and they are of its faults. Each
of them is read and judged, the last one of an episode counts; so what a report keeps of its episodes does not grow, and
any growth of memory would be that of judging. The memory of all processes is read twice a second; pages that several of
them share count once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from results_file import ROOT, OtherRows

from sealegs.engines.folders import RECORDS
from sealegs.engines.logs import SETTINGS, TOTAL
from sealegs.engines.table_parts import MOST, PartWriter, TableParts
from sealegs.faults.seeds import digest
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.verdict_table import FORM, read_maze_verdicts
from sealegs.suites.micro.isolation.family import descendants, proportional_memory
from sealegs.suites.micro.isolation.linux_calls import adopt_orphans
from sealegs.suites.verdict_tables import table_beside
from sealegs.traces.episode_ranges import FILE_BEGINS, EpisodePlace

PLAYED, AGENT = 10_000, "planner"
MANY = 1_000_000  # episodes that are judged in several processes alone
TABLE = "verdicts-*"
JUDGING = "report, judging"
COMMAND = """
import atexit, os, re, sys
from pathlib import Path

def note():  # of this program alone: `ru_maxrss` would begin with what the process that started it holds
    Path(os.environ["PEAK"]).write_text(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

atexit.register(note)
{hide}
{work}
"""
CLI = """
from sealegs.cli import main
sys.argv[0] = "sealegs"
main()
"""
RESUME = """
import json
from functools import partial
from sealegs.engines.folders import open_run_folder
from sealegs.suites.maze.maze_logs import SCHEMA
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.verdict_table import FORM
from sealegs.suites.verdict_tables import known_with_table
folder = Path(sys.argv[1])
settings = json.loads((folder / "run.json").read_text())
options = MazeOptions(**{name: value for name, value in settings.items() if name in MazeOptions.model_fields})
assert not open_run_folder(options, folder, SCHEMA, partial(known_with_table, form=FORM))
"""
HIDE = "sys.modules['pyarrow'] = None"


def main() -> None:
    """Make and measure every size, and write the rows after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[PLAYED, 10 * PLAYED])
    parser.add_argument("--judged", type=int, nargs="*", default=[], help="episodes of the runs that are judged")
    parser.add_argument("--runs", type=Path, default=ROOT / "build" / "million")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "million.json")
    given = parser.parse_args()
    adopt_orphans()  # workers are children of a server that outlives the command

    def made_anew(row: Mapping[str, Any]) -> bool:
        return row["n"] in (given.judged if row["mode"].startswith(JUDGING) else given.sizes)

    def measured() -> Iterator[Iterator[dict[str, Any]]]:
        for size in given.sizes:
            folder = _played(given.runs) if size == PLAYED else _stretched(given.runs, size // PLAYED)
            yield _measured(folder, size)
        for size in given.judged:
            yield _judged(_repeated(given.runs, size // PLAYED), size)

    others = OtherRows.of(given.out, made_anew)
    rows = [*others.rows]
    for of_size in measured():
        for row in of_size:
            print(row, flush=True)
            rows.append(row)
        others.write_with(given.out, sorted(rows, key=lambda row: row["n"]))


def _options(epochs: int) -> MazeOptions:
    return MazeOptions(agent=AGENT, epochs=epochs)


def _played(runs: Path) -> Path:
    """The run that is played."""
    folder, epochs = runs / str(PLAYED), PLAYED // len(_options(1).episodes())
    file = folder / RECORDS
    if not file.exists() or file.read_bytes().count(b'\n{"type": "ended"') < PLAYED:
        # Workers would be forked from a process that outlives the run, and for which `_orphans_cpu` would wait.
        run_scripted_agent(_options(epochs), folder, lambda done, total: None, jobs=1)
    return folder


def _stretched(runs: Path, times: int) -> Path:
    """A run in which each played episode stands under so many epochs, with its table."""
    source, folder = _played(runs), runs / str(times * PLAYED)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    epochs = PLAYED // len(_options(1).episodes())
    options = _options(times * epochs).model_dump(mode="json")
    (folder / SETTINGS).write_text(json.dumps({**options, TOTAL: times * PLAYED}))
    read_maze_verdicts(source, lambda *_: None)  # so that it has a table
    known = table_beside(source / RECORDS, FORM, FORM.judge)
    assert known is not None, 'pyarrow is not installed; run: pip install "sealegs[parquet]"'
    (table,) = (part.read() for part in known.valid())
    assert table is not None
    # Parts hold whole copies of the played rows, so `alike` is right as it is.
    assert MOST % PLAYED == 0
    writer = PartWriter(TableParts(folder / RECORDS, table.schema, list, str, FORM.judge), [])
    with (source / RECORDS).open("rb") as records, (folder / RECORDS).open("wb") as target:
        place, rows = FILE_BEGINS, table.to_pylist()
        for more in range(0, times * epochs, epochs):
            for row in rows:
                records.seek(row["start"])
                own, text = row["episode"], records.read(row["end"] - row["start"])
                epoch = own["epoch"] + more
                name = f"{own['task']}/{own['mode']}/{epoch}"
                text = text.replace(f'"{row["name"]}"'.encode(), f'"{name}"'.encode())
                text = text.replace(b'"epoch": %d,' % own["epoch"], b'"epoch": %d,' % epoch)
                plan = f"{digest(row['plan'], more):016x}"[: len(row["plan"])]
                text = text.replace(row["plan"].encode(), plan.encode())
                target.write(text)
                writer.seen(text)
                place = EpisodePlace(place.end, place.end + len(text), place.line + text.count(b"\n"))
                here = {"name": name, "episode": {**own, "epoch": epoch}, "plan": plan}
                here |= {"start": place.start, "end": place.end}
                writer.add(place, {**row, **here}, {})
    writer.close()
    return folder


def _repeated(runs: Path, times: int) -> Path:
    """A run without a table, whose records are those of the played one, so many times."""
    source, folder = _played(runs), runs / f"judged-{times * PLAYED}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(source / SETTINGS, folder)
    with (folder / RECORDS).open("wb") as target:
        for _ in range(times):
            with (source / RECORDS).open("rb") as records:
                shutil.copyfileobj(records, target)
    return folder


def _judged(folder: Path, size: int) -> Iterator[dict[str, Any]]:
    """What judging costs, in one process, unless that takes half an hour, and in all that there is room for."""
    for jobs in dict.fromkeys((*([1] if size < MANY else []), os.cpu_count() or 1)):
        for part in folder.glob(TABLE):
            part.unlink()
        mode = f"{JUDGING}, {jobs} process{'es' * (jobs > 1)}"
        with PeakOfAll() as peak:
            for row in _run("report", folder, size, mode, more=("--jobs", str(jobs))):
                yield row
                if row["metric"] == "wall_s":
                    yield _row(size, mode, "episodes_per_s", round(size / row["value"]))
        yield _row(size, mode, "all_peak_mib", round(peak.bytes / 2**20))


class PeakOfAll:
    """The most bytes of memory that all processes below this one had at a time, while it is open."""

    def __init__(self) -> None:
        self.bytes, self._done = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> PeakOfAll:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.5):  # reading takes milliseconds
            self.bytes = max(self.bytes, proportional_memory(descendants(os.getpid())))


def _measured(folder: Path, size: int) -> Iterator[dict[str, Any]]:
    if size == PLAYED:
        for part in folder.glob("verdicts-*"):
            part.unlink()
        yield from _run("report", folder, size, "report, without the table", HIDE)
        yield from _run("rank", folder, size, "rank, without the table", HIDE)
        yield from _run("", folder, size, "resuming, without the table", HIDE)
        yield from _run("report", folder, size, "report, making it")
    yield from _run("report", folder, size, "report, with the table")
    yield from _run("rank", folder, size, "rank, with the table")
    yield from _run("", folder, size, "resuming, with the table")
    for name, pattern in (("records", RECORDS), ("chain", f"{RECORDS}.chain"), ("table", TABLE)):
        if total := _bytes(folder, pattern):
            yield _row(size, "disk", f"{name}_bytes", round(total / size, 1))
    yield _row(size, "disk", "page_mib", round((folder / "report.html").stat().st_size / 2**20, 2))
    yield from _compressed(folder, size)


def _compressed(folder: Path, size: int) -> Iterator[dict[str, Any]]:
    """What it costs to compress a run, what is then on the disk, and what a report of it costs."""
    yield from _run("compress", folder, size, "compress")
    total = sum(_bytes(folder, pattern) for pattern in (f"{RECORDS}*", TABLE))
    yield _row(size, "disk", "compressed_bytes", round(total / size, 1))
    yield from _run("report", folder, size, "report, compressed, with the table")
    if size == PLAYED:  # larger runs are made of it
        subprocess.run(["gunzip", str(folder / f"{RECORDS}.gz")], check=True)


def _bytes(folder: Path, pattern: str) -> int:
    return sum(file.stat().st_size for file in folder.glob(pattern))


def _run(
    verb: str, folder: Path, size: int, mode: str, hide: str = "", more: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """A command in a process of its own: what it takes. Without a verb: what a run takes to see that it is over."""
    begun, peak = time.monotonic(), folder / ".peak"
    code = COMMAND.replace("{hide}", hide).replace("{work}", CLI if verb else RESUME)
    words = [sys.executable, "-c", code, *([verb] if verb else []), str(folder), *more]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, "PEAK": str(peak)})
    _, status, used = os.wait4(process.pid, 0)
    assert not status, f"{mode} failed"
    wall, spent = time.monotonic() - begun, used.ru_utime + used.ru_stime + _orphans_cpu()
    yield _row(size, mode, "wall_s", round(wall, 1))
    yield _row(size, mode, "cpu_s", round(spent, 1))
    yield _row(size, mode, "peak_mib", round(int(peak.read_text()) / 1024))


def _orphans_cpu() -> float:
    """The CPU seconds of processes that a command left to this one, once they have ended; its workers are such."""
    spent = 0.0
    while True:
        try:
            _, _, used = os.wait3(0)
        except ChildProcessError:
            return spent
        spent += used.ru_utime + used.ru_stime


def _row(size: int, mode: str, metric: str, value: float) -> dict[str, Any]:
    head = {"suite": "maze", "agent": AGENT, "level": f"{size} episodes", "mode": mode}
    return {**head, "metric": metric, "value": value, "low": None, "high": None, "n": size}


if __name__ == "__main__":
    main()
