"""Functions made from SQL: what building takes, and what a call costs beside SQLite alone.

    python benchmarks/highwater.py SPIDER --json benchmarks/results/highwater.json

SPIDER is the unpacked train split of Spider. Every call of every solution of every problem is made once with
`Library.call`, and its statement is run once by a plain connection of `sqlite3` with the same arguments: the floor.
Both come in the same order, a database is warm for both (each call is made once before it is timed), and the answers
must be the same. `cpu_seconds` of a build are the processor's, which other work does not lengthen.
Whether search finds the functions is measured by `highwater_search.py`.
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from results_file import write_results

from sealegs.faults.call import Failure
from sealegs.generate.library_build import build_library
from sealegs.world.sql.binding import bind_arguments
from sealegs.world.sql.database import json_cell, text
from sealegs.world.sql.function_library import TABLE, Library, SqlFunction


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the long table."""

    suite: str
    agent: str
    level: str
    mode: str
    metric: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Timed:
    """A call to be timed: the function, and its arguments as an agent gives them."""

    function: SqlFunction
    arguments: dict[str, Any]


def building(folder: Path, out: Path, jobs: int, runs: int) -> Iterator[Row]:
    """The seconds of whole builds, and those of the processor that one in this process takes."""
    seconds = [build_library(folder, out, jobs=jobs).seconds for _ in range(runs)]
    yield _row("build", f"{jobs} jobs", "seconds", median(seconds), min(seconds), max(seconds), runs)
    before = process_time()
    build_library(folder, out, jobs=1)
    yield _exact("build", "1 job", "cpu_seconds", process_time() - before, 1)


def all_calls(library: Library) -> list[Timed]:
    """Every call of every solution, each once."""
    found: dict[str, Timed] = {}
    for problem in library.problems:
        for solution in problem.solutions:
            answers: list[Any] = []
            for step in solution.steps:
                given = {n: g.value if g.rows is None else answers[g.rows] for n, g in step.arguments.items()}
                outcome = library.call(step.function, given)
                if isinstance(outcome, Failure):
                    raise AssertionError(outcome)
                answers.append(outcome.value)
                found.setdefault(f"{step.function} {given}", Timed(library.functions[step.function], given))
    return list(found.values())


def timing(library: Library) -> Iterator[Row]:
    """The seconds of each call, and of its statement on a plain connection."""
    plain: dict[str, sqlite3.Connection] = {}
    ours: list[float] = []
    floor: list[float] = []
    for call in all_calls(library):
        name = call.function.database
        if name not in plain:
            plain[name] = sqlite3.connect(library.database(name).path)
            plain[name].text_factory = text
        ready = bind_arguments(call.function.parameters, call.arguments)
        if isinstance(ready, Failure):
            raise AssertionError(ready)
        rows, seconds = _seconds(partial(_run, plain[name], call.function.sql, ready))
        outcome, own = _seconds(partial(library.call, call.function.name, call.arguments))
        if [list(map(json_cell, row)) for row in rows] != outcome.value:
            raise AssertionError(call)
        floor.append(seconds)
        ours.append(own)
    for mode, times in (("library", ours), ("sqlite3", floor)):
        ordered = sorted(times)
        yield _row("call", mode, "seconds_median", median(times), ordered[0], ordered[-1], len(times))
        yield _exact("call", mode, "seconds_p99", ordered[len(ordered) * 99 // 100], len(times))
    yield _exact("call", "library / sqlite3", "ratio_of_medians", median(ours) / median(floor), len(ours))
    yield _exact("call", "library - sqlite3", "seconds_added_median", median(map(_less, ours, floor)), len(ours))


def _seconds(ask: Callable[[], Any]) -> tuple[Any, float]:
    ask()
    begun = perf_counter()
    answer = ask()
    return answer, perf_counter() - begun


def _run(plain: sqlite3.Connection, sql: str, arguments: dict[str, Any]) -> list[Any]:
    return plain.execute(sql, arguments).fetchall()


def _less(one: float, other: float) -> float:
    return one - other


def _exact(level: str, mode: str, metric: str, value: float, n: int) -> Row:
    return _row(level, mode, metric, value, value, value, n)


def _row(level: str, mode: str, metric: str, value: float, low: float, high: float, n: int) -> Row:
    return Row("benchmark-highwater", "", level, mode, metric, value, low, high, n)


def main() -> int:
    """Measure, print, write the rows."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="the unpacked train split of Spider")
    options.add_argument("--json", type=Path, help="where to write the rows")
    options.add_argument("--jobs", type=int, default=2, help="processes that build (default 2)")
    options.add_argument("--runs", type=int, default=1, help="how often it is built (default 1)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        rows = [*building(given.folder, out, given.jobs, given.runs)]
        begun = perf_counter()
        library = Library.open(out)
        rows.append(_exact("open", "library", "seconds", perf_counter() - begun, len(library.functions)))
        rows.append(_exact("size", "table", "bytes", (out / TABLE).stat().st_size, len(library.functions)))
        rows += [*timing(library)]
        library.close()
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}")
    for row in rows:
        print(f"{row.level:8}{row.mode:20}{row.metric:22}{row.value:14.6f}  n={row.n}")
    if given.json:
        write_results(given.json, rows)
    values = {(row.level, row.mode, row.metric): row.value for row in rows}
    fast = values["build", f"{given.jobs} jobs", "seconds"] < 180 and values["call", "library", "seconds_median"] < 1e-3
    return 0 if fast else 1


if __name__ == "__main__":
    sys.exit(main())
