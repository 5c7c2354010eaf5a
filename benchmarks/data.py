"""What trajectories to learn from cost and what they are like, beside episodes of the planner that are only played.

Seconds of the clock depend on what else the machine does; CPU seconds, of this process and all workers together, much
less so. `least_seconds_for_50000` is what these CPU seconds come to if every core is ours alone and always busy: the
clock cannot do better, and on a quiet machine comes near it.

`5_grams_in_train` is the share of runs of five words, of what the assistant says in a split, that occur in the training
rows too. `more_than_c_star` counts failing rows that end well by how many calls they take beyond c*.

`struck` counts the rows in which an action was struck that acts again when it is called again, by the next call: the
same one (with one idempotency key, or without), a look, or another; `advised_to_look`, those of them in which the
tool's message asks for a look. `taught` are the counts of `sealegs data check`, in all rows.

python benchmarks/data.py --json benchmarks/results/data.json
python benchmarks/data.py --folder data      # only what a finished set is like
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.engines.direct import play_scenarios
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.bank.exemplar import WARNING
from sealegs.scenarios.scenario import list_scenarios
from sealegs.scoring import judge
from sealegs.scoring.metric import Row
from sealegs.traces import build_record
from sealegs.traces.events import decode_event
from sealegs.training.data.conduct import KINDS
from sealegs.training.data.data_command import data_set_request, make_data_set
from sealegs.training.data.files import parts, read_row_files
from sealegs.training.data.row_blocks import RowTally
from sealegs.training.data.set_checks import lapses, read_manifest
from sealegs.world.corpus import load_corpus

WANTED = 50_000
RUN = 5  # words
ADVISED = "advised_to_look_"
NEXT = ("same_call", "same_call_with_one_key", "look", "other_call", "end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=WANTED, help="trajectories")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--json", help="write the long table here")
    parser.add_argument("--folder", type=Path, help="a finished set: tell only what it is like")
    arguments = parser.parse_args()
    rows = of_set(arguments.folder) if arguments.folder else measured(arguments.n, arguments.jobs)
    for row in rows:
        print(f"{row['metric']:40} {row['mode']:16} {row['value']:>12} (n = {row['n']})")
    if arguments.json:
        write_results(arguments.json, rows)


def measured(n: int, jobs: int) -> list[Row]:
    """One whole run into an empty folder, one that only checks it, and the floor in the same process."""
    with tempfile.TemporaryDirectory() as folder:
        spent = cpu_seconds()
        seconds, tally, distinct = timed(n, Path(folder) / "set", jobs)
        spent = cpu_seconds() - spent
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        again, _, _ = timed(n, Path(folder) / "set", jobs)
        like = of_set(Path(folder) / "set")
    floor = floor_seconds()
    per_row = seconds / tally.total
    head: Row = {"suite": "benchmark-data", "agent": "planner", "level": "all", "mode": f"{jobs} processes"}
    figures = {
        "seconds": seconds,
        "cpu_seconds": spent,
        "cpu_milliseconds_a_row": 1000 * spent / tally.total,
        "trajectories_per_second": 1 / per_row,
        f"seconds_for_{WANTED}": per_row * WANTED,
        f"least_seconds_for_{WANTED}": spent / tally.total * WANTED / jobs,
        "cores_in_use": spent / seconds,
        "seconds_to_check_a_finished_set": again,
        "megabytes_of_the_command": own,
        "megabytes_of_a_worker": largest,
        "times_a_judged_episode": per_row / floor,
        "rows_not_found": tally.lost,
        **distinct,
    }
    made: list[Row] = [
        {**head, "metric": name, "value": round(value, 3), "low": None, "high": None, "n": tally.total}
        for name, value in figures.items()
    ]
    return made + like


def of_set(folder: Path) -> list[Row]:
    """What the rows of a finished set are like."""
    ended = [row for files in parts(folder).values() for row in read_row_files(files) if row["failing"]]
    made: list[Row] = []
    for outcome in ("success", "right stop"):
        more = Counter(row["cost"] - row["optimal_cost"] for row in ended if row["outcome"] == outcome)
        counts = sorted(more.items())
        made += [_row(outcome, f"more_than_c_star_by_{calls}", count, more.total()) for calls, count in counts]
    faulted = after_injections(folder)
    for advised in ("", ADVISED):
        following = {name: faulted[name] for name in (f"{advised}{what}" for what in NEXT)}
        made += [_row("struck", name, count, sum(following.values())) for name, count in following.items()]
    how, _ = read_manifest(folder)
    taught, rows = lapses(folder, how), sum(1 for files in parts(folder).values() for _ in read_row_files(files))
    made += [_row("taught", kind, taught.counts[kind], rows) for kind in KINDS]
    shares = overlap(folder).items()
    return made + [_row(split, "5_grams_in_train", round(share, 4), count) for split, (share, count) in shares]


def after_injections(folder: Path) -> Counter[str]:
    """How many rows follow a faulted action that acts again by which call."""
    tools = load_corpus().tools
    found: Counter[str] = Counter()
    for row in (row for files in parts(folder).values() for row in read_row_files(files)):
        spec = tools[row["step_tool"]].spec if row["moment"] else None
        if spec is None or not spec.effects or spec.idempotent:
            continue
        calls = [call["function"] for message in row["messages"] for call in message.get("tool_calls") or ()]
        answers = [message["content"] for message in row["messages"] if message["role"] == "tool"]
        faulted, after = calls[row["step"] - 1], calls[row["step"] : row["step"] + 1]
        following = _next(spec, faulted, after[0] if after else None)
        found[following] += 1
        found[f"{ADVISED}{following}"] += WARNING in answers[row["step"] - 1]
    return found


def _next(spec: ToolSpec, faulted: Mapping[str, Any], after: Mapping[str, Any] | None) -> str:
    if after == faulted:
        return "same_call_with_one_key" if spec.key and faulted["arguments"].get(spec.key) else "same_call"
    looks = after is not None and after["name"] == spec.shown_by and after["arguments"]["operation"] == spec.name
    return "look" if looks else "other_call" if after is not None else "end"


def _row(mode: str, metric: str, value: float, n: int) -> Row:
    found: Row = {"suite": "benchmark-data", "agent": "expert", "level": "all", "mode": mode, "metric": metric}
    return {**found, "value": value, "low": None, "high": None, "n": n}


def overlap(folder: Path) -> dict[str, tuple[float, int]]:
    """For each split the share of its runs of five words that are in the training rows, and how many it has."""
    files = parts(folder)
    known = {run for row in read_row_files(files.pop("train")) for run in runs(row)}
    found: dict[str, tuple[float, int]] = {}
    for split, others in files.items():
        there = [run in known for row in read_row_files(others) for run in runs(row)]
        found[split] = (sum(there) / max(1, len(there)), len(there))
    return found


def runs(row: Mapping[str, Any]) -> Iterator[int]:
    """Every run of words in what the assistant says, as a number."""
    for message in row["messages"]:
        if message["role"] == "assistant":
            words = message["content"].split()
            yield from (hash(tuple(words[place : place + RUN])) for place in range(len(words) - RUN + 1))


def cpu_seconds() -> float:
    """CPU seconds of this process and of all workers that have ended; their server is ended, so that they count."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(n: int, out: Path, jobs: int) -> tuple[float, RowTally, dict[str, float]]:
    begun = time.perf_counter()
    tally, seen = make_data_set(
        data_set_request("default", n, 0, "trl", "jsonl", [], [], True, "", out), out, lambda done, total: None, jobs
    )
    distinct = {"different_requests": len(seen.requests), "different_sequences_of_calls": len(seen.orders)}
    return time.perf_counter() - begun, tally, dict(distinct)


def floor_seconds() -> float:
    """Seconds of one planner's episode, played on all cores, written as lines, read and judged."""
    every = list_scenarios()
    by_id = {episode.id: episode for episode in every}
    begun = time.perf_counter()
    for lines, _ in play_scenarios(every, "planner"):
        found = build_record(decode_event(json.loads(line)) for line in lines)
        judge(found, by_id[found.episode].case(found))
    return (time.perf_counter() - begun) / len(every)


if __name__ == "__main__":
    main()
