"""What `--on ray` brings and costs: episodes of the planner on a local Ray cluster of one node and of two.

    pip install "sealegs[ray,parquet]"
    python benchmarks/ray_scaling.py --json benchmarks/results/ray_scaling.json

Each node is a raylet of its own with one processor; the head has none. In each of several rounds the same command is
run by one process, on one node and on two, one after the other, and a command of one task shows what starting costs:
the driver, its connection, and a shard. `seconds` are of the whole command, its report included; medians, with the
lowest and the highest. `ratio` is to one process, of the same round; `overhead` is the part of the seconds, in %, that
is not a node's share of what one process takes.

`on paper` is what these figures say of a thousand nodes with one processor each: a command takes its start, its share
of the episodes, a start for each shard of a node, and the join and the report, which one process makes. It leaves out
what only such a cluster could show: a network, a head with thousands of tasks, and nodes of different speeds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ray.cluster_utils import Cluster
from results_file import write_results

from sealegs.cli.spread import EACH

PLANNER = ["run", "maze", "--agent", "planner", "--jobs", "1"]
ONE = ["--limit", "1", "--levels", "C1"]
ROUNDS = 3
EPOCHS = 2
EPISODES, FEW = 2000, 5  # of an epoch, and of one task
ON_PAPER = (1_000_000, 1000)  # episodes, nodes


@contextmanager
def local_cluster(nodes: int) -> Iterator[str]:
    """A cluster of nodes on this machine, and its address."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def seconds_of(words: list[str], address: str = "") -> float:
    """How long a command takes from its start to its end."""
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, "-m", "sealegs", *words, "--out", "made", *(["--on", "ray"] if address else [])]
        begun = time.perf_counter()
        environment = {**os.environ, "RAY_ADDRESS": address}
        done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
        return time.perf_counter() - begun


def seconds_of_joining(whole: list[str]) -> float:
    """How long the join of two shards of a command and its report take."""
    with tempfile.TemporaryDirectory() as place:
        base = [sys.executable, "-m", "sealegs"]
        for number in ("1", "2"):
            words = [*base, *whole, "--shard", f"{number}/2", "--out", number]
            subprocess.run(words, cwd=place, check=True, capture_output=True)
        begun = time.perf_counter()
        subprocess.run([*base, "merge", "1", "2", "--out", "made"], cwd=place, check=True, capture_output=True)
        subprocess.run([*base, *whole, "--out", "made"], cwd=place, check=True, capture_output=True)
        return time.perf_counter() - begun


def measured(rounds: int, epochs: int) -> dict[tuple[str, str], list[float]]:
    """Seconds of each command, by where it was made and by its size."""
    whole = [*PLANNER, "--epochs", str(epochs)]
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        found.setdefault(("one process", "whole"), []).append(seconds_of(whole))
        found.setdefault(("one process", "one task"), []).append(seconds_of([*PLANNER, *ONE]))
        for nodes in (1, 2):
            name = f"{nodes} node" + "s" * (nodes > 1)
            with local_cluster(nodes) as address:
                found.setdefault((name, "one task"), []).append(seconds_of([*PLANNER, *ONE], address))
                found.setdefault((name, "whole"), []).append(seconds_of(whole, address))
    for size, words in (("one task", [*PLANNER, *ONE]), ("whole", whole)):
        found["join", size] = [seconds_of_joining(words) for _ in range(rounds)]
    return found


def rows_of(found: dict[tuple[str, str], list[float]], episodes: int) -> Iterator[dict[str, object]]:
    """The long table."""
    for (place, size), seconds in found.items():
        n = episodes if size == "whole" else FEW
        yield row(place, size, "seconds", seconds, n)
        if place.endswith(("node", "nodes")):
            alone = found["one process", size]
            pairs = list(zip(seconds, alone, strict=True))
            yield row(place, size, "ratio", [one / own for one, own in pairs], n)
            if size == "whole":
                nodes = int(place.split()[0])
                yield row(place, size, "overhead", [100 * (1 - own / nodes / one) for one, own in pairs], n)
    middle = {name: statistics.median(seconds) for name, seconds in found.items()}
    start = middle["one process", "one task"]
    # By the episode, over what a command of a few takes: its start would count again with each of a million.
    episode, joined = (
        (middle[place, "whole"] - middle[place, "one task"]) / (episodes - FEW) for place in ("one process", "join")
    )
    many, nodes = ON_PAPER
    parts = {
        "start": middle["1 node", "one task"],
        "shards": EACH * start + episode * many / nodes,
        "join and report": middle["join", "one task"] + joined * many,
    }
    for name, value in parts.items():
        yield row("on paper", name, "seconds", [value], many)
    yield row("on paper", "one process", "seconds", [start + episode * many], many)


def row(level: str, mode: str, metric: str, values: list[float], n: int) -> dict[str, object]:
    several = len(values) > 1
    low, high = (round(min(values), 3), round(max(values), 3)) if several else (None, None)
    value = round(statistics.median(values), 3)
    about = {"suite": "benchmark-ray", "agent": "planner", "level": level, "mode": mode, "metric": metric}
    return {**about, "value": value, "low": low, "high": high, "n": n}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", default="")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    given = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    rows = list(rows_of(measured(given.rounds, given.epochs), EPISODES * given.epochs))
    for one in rows:
        spread = "" if one["low"] is None else f" [{one['low']}, {one['high']}]"
        print(f"{one['level']}, {one['mode']}: {one['value']}{spread} {one['metric']}")
    if given.json:
        write_results(given.json, rows)


if __name__ == "__main__":
    main()
