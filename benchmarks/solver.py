"""The solution space and c* of large task graphs, beside a listing of every order.

A graph of 200 logical steps, 30 of them alternative groups of three branches (of one, two and three calls), in three
shapes: series-parallel; a ladder of width four that is not series-parallel, with groups that cross it; and twenty
independent chains. Then the growth from 10 to 400 logical steps, ladders of width eight, and networkx's listing of all
topological orders of all choices of branches, up to the size at which it no longer ends in time.

    python benchmarks/solver.py --json benchmarks/results/solver.json

Times are wall-clock seconds on one core: the median of the runs, with the fastest and the slowest. Where the listing
ends, its number of solutions must equal the count.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import log10
from pathlib import Path
from statistics import median

import networkx as nx
from results_file import write_results

from sealegs.tasks import (
    Binding,
    Branch,
    Field,
    Graph,
    Group,
    Node,
    State,
    Step,
    callable_tools,
    count_solutions,
    is_solution,
    next_calls,
    recovery_cost,
    shortest_solution,
    solutions,
    validate_graph,
)

WIDTH = 4
CHAINS = 20
GROWTH = (10, 25, 50, 100, 200, 400)
WIDE = (20, 24, 28)
LISTED = (4, 6, 8, 10, 12, 14, 16, 20, 24)


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


def series_parallel(size: int) -> Graph:
    """A random series-parallel graph: parts one after the other, or up to four small ones side by side."""
    rng = random.Random(size)
    groups = _groups(size, rng)
    reads: dict[int, list[int]] = {number: [] for number in range(size)}

    def composed(ids: range) -> tuple[list[int], list[int]]:
        """The first and the last nodes of a part, its inside bound."""
        if len(ids) == 1:
            return [ids[0]], [ids[0]]
        if len(ids) > 24 or rng.random() < 0.5:
            cut = rng.randrange(1, len(ids))
            (first, middle), (following, last) = composed(ids[:cut]), composed(ids[cut:])
            for number in following:
                reads[number] += middle
            return first, last
        cuts = sorted(rng.sample(range(1, len(ids)), min(rng.randint(1, 3), len(ids) - 1)))
        parts = [composed(ids[start:end]) for start, end in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
        return [number for first, _ in parts for number in first], [number for _, last in parts for number in last]

    composed(range(size))
    return Graph(tuple(_node(number, reads[number], groups) for number in range(size)))


def ladder(size: int, width: int = WIDTH) -> Graph:
    """Rails of steps with rungs between neighbours; a rung enters a group at its last call and leaves by its first."""
    rng = random.Random(size)
    groups = _groups(size, rng)
    nodes = []
    for number in range(size):
        reads = [number - width] if number >= width else []
        if number > width and rng.random() < 0.6:
            reads.append(number - width - 1)
        nodes.append(_node(number, reads, groups, crossing=True))
    return Graph(tuple(nodes))


def chains(size: int) -> Graph:
    """Independent chains."""
    groups = _groups(size, random.Random(size))
    return Graph(tuple(_node(number, [number - CHAINS] if number >= CHAINS else [], groups) for number in range(size)))


SHAPES: dict[str, Callable[[int], Graph]] = {
    "series-parallel": series_parallel,
    "ladder": ladder,
    "chains": chains,
}


def _groups(size: int, rng: random.Random) -> frozenset[int]:
    """Which nodes are groups: 15 in a hundred."""
    return frozenset(rng.sample(range(size), max(1, size * 15 // 100)))


def _node(number: int, reads: list[int], groups: frozenset[int], crossing: bool = False) -> Node:
    """A step, or a group of three branches of one, two and three calls.

    A crossing group reads its second input in its last call only, and is itself read after its first call by those who
    read it second.
    """
    bound: dict[str, Binding] = {}
    for place, other in enumerate(reads):
        path = "early" if crossing and place == 1 else "late"
        bound[f"x{place}"] = Field(f"n{other}", path if other in groups else "value")
    name = f"n{number}"
    if number not in groups:
        return Step(name, f"tool_{name}", bound)
    late = {"x1": bound.pop("x1")} if crossing and "x1" in bound else {}
    branches = []
    for size in (1, 2, 3):
        ids = [f"{name}.{size}.{place}" for place in range(size)]
        steps = []
        for place, id in enumerate(ids):
            arguments = dict(bound) if place == 0 else {"before": Field(ids[place - 1], "value")}
            if place == size - 1:
                arguments |= late
            steps.append(Step(id, f"tool_{id}", arguments))
        exports = {"early": Field(ids[0], "value"), "late": Field(ids[-1], "value")}
        branches.append(Branch(f"b{size}", tuple(steps), exports))
    return Group(name, tuple(branches))


def interrupted(graph: Graph) -> State:
    """Half of a shortest solution is done, and in every group not begun the shortest branch is broken."""
    path = shortest_solution(graph)
    done = frozenset(path[: len(path) // 2])
    broken = set()
    for group in graph.groups:
        if not any(step.id in done for branch in group.branches for step in branch.steps):
            broken.add(group.branches[0].steps[0].tool)
    return State(done, frozenset(broken))


def measured(level: str, mode: str, ask: Callable[[], object], runs: int) -> Row:
    """The seconds that a question takes."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        ask()
        times.append(time.perf_counter() - start)
    return _row(level, mode, "seconds", median(times), min(times), max(times), runs)


def questions(graph: Graph) -> dict[str, Callable[[], object]]:
    """The questions to a graph, by name."""
    path, state = shortest_solution(graph), interrupted(graph)
    return {
        "count": lambda: count_solutions(graph),
        "recovery_cost": lambda: recovery_cost(graph, state),
        "membership": lambda: is_solution(graph, path),
        "next_calls": lambda: next_calls(graph, state),
        "callable_tools": lambda: callable_tools(graph, state),
        "shortest": lambda: shortest_solution(graph),
        "first_100_solutions": lambda: list(islice(solutions(graph), 100)),
        "validate": lambda: validate_graph(graph),
    }


def answered(name: str, graph: Graph, runs: int) -> Iterator[Row]:
    """All rows of one graph."""
    if found := validate_graph(graph):
        raise AssertionError(found)
    level = f"{name}/{len(graph.nodes)}"
    for mode, ask in questions(graph).items():
        yield measured(level, mode, ask, runs)
    yield _exact(level, "count", "solutions_log10", log10(count_solutions(graph)))
    yield _exact(level, "recovery_cost", "calls", recovery_cost(graph, interrupted(graph)) or 0)
    yield _exact(level, "graph", "steps", len(graph.steps))
    yield _exact(level, "graph", "groups", len(graph.groups))


def listing(name: str, graph: Graph, cap: float) -> Iterator[Row]:
    """How far networkx's listing of all orders of all choices comes within a time."""
    level, listed, complete = f"{name}/{len(graph.nodes)}", 0, True
    start = time.perf_counter()
    for order in _orders(graph):
        listed += len(order) > 0
        if listed % 256 == 0 and time.perf_counter() - start > cap:
            complete = False
            break
    seconds = time.perf_counter() - start
    if complete and listed != count_solutions(graph):
        raise AssertionError(f"{level}: {listed} solutions listed, {count_solutions(graph)} counted")
    yield _row(level, "networkx_listing", "seconds", seconds, seconds, seconds, 1)
    yield _exact(level, "networkx_listing", "listed", listed)
    yield _exact(level, "networkx_listing", "complete", int(complete))
    yield _exact(level, "count", "solutions_log10", log10(count_solutions(graph)))
    yield measured(level, "count", lambda: count_solutions(graph), 5)


def _orders(graph: Graph) -> Iterator[list[str]]:
    for branches in product(*(group.branches for group in graph.groups)):
        choice = {group.id: branch for group, branch in zip(graph.groups, branches, strict=True)}
        steps = [node for node in graph.nodes if isinstance(node, Step)]
        steps += [step for branch in branches for step in branch.steps]
        edges = nx.DiGraph()
        edges.add_nodes_from(step.id for step in steps)
        for step in steps:
            for need in step.needs:
                giver = choice[need.node].exports[need.path].node if need.node in choice else need.node
                edges.add_edge(giver, step.id)
        yield from nx.all_topological_sorts(edges)


def _exact(level: str, mode: str, metric: str, value: float) -> Row:
    return _row(level, mode, metric, value, value, value, 1)


def _row(level: str, mode: str, metric: str, value: float, low: float, high: float, n: int) -> Row:
    return Row("benchmark-solver", "", level, mode, metric, value, low, high, n)


def table(rows: list[Row]) -> str:
    """The rows as text: a line for each shape and size, a column for each question."""
    modes = list(dict.fromkeys(row.mode for row in rows if row.metric == "seconds"))
    lines = ["seconds (median)".ljust(22) + "".join(mode.rjust(21) for mode in ["solutions", *modes])]
    for level in dict.fromkeys(row.level for row in rows):
        found = {(row.mode, row.metric): row.value for row in rows if row.level == level}
        cells = [f"10^{found['count', 'solutions_log10']:.1f}"]
        for mode in modes:
            cell = f"{found[mode, 'seconds']:.5f}" if (mode, "seconds") in found else ""
            if found.get((mode, "complete")) == 0:
                cell = f"stopped at {found[mode, 'listed']:.0f}"
            cells.append(cell)
        lines.append(level.ljust(22) + "".join(cell.rjust(21) for cell in cells))
    return "\n".join(lines)


def main() -> int:
    """Run everything, print the tables, and write the rows."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path, help="where to write the rows")
    options.add_argument("--runs", type=int, default=7, help="how often each question is asked (default 7)")
    options.add_argument("--cap", type=float, default=10.0, help="seconds for each listing (default 10)")
    given = options.parse_args()
    grown: list[Row] = []
    for size in GROWTH:
        for name, build in SHAPES.items():
            grown += answered(name, build(size), given.runs)
    for size in WIDE:
        grown += answered("ladder-8", ladder(size, 8), given.runs)
    print(f"Python {platform.python_version()}, networkx {nx.__version__}\n\n{table(grown)}\n")
    listed: list[Row] = []
    for name, build in SHAPES.items():
        for size in LISTED:
            rows = list(listing(name, build(size), given.cap))
            listed += rows
            if any(row.metric == "complete" and row.value == 0 for row in rows):
                break
    print(table(listed))
    if given.json:
        rows = [row for row in listed if row.mode == "networkx_listing" or row.level not in {r.level for r in grown}]
        write_results(given.json, [*grown, *rows])
    slow = [row for row in grown if row.metric == "seconds" and row.level.endswith("/200") and row.value >= 1]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
