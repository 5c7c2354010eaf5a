"""Counts against listings, and against closed formulas where listing is impossible."""

from __future__ import annotations

from collections import Counter
from math import comb, factorial

import pytest
from hypothesis import given, settings

from sealegs.tasks.counting import count_solutions, solutions_by_length
from sealegs.tasks.downsets import TooWide
from sealegs.tasks.graph import Branch, Field, Graph, Group, Node, Step
from tests.tasks.brute_force import listed, permuted, sorted_by_networkx
from tests.tasks.random_graphs import graphs, knotted_graphs


@settings(max_examples=1500)
@given(graphs(max_nodes=6, max_steps=6))
def test_the_count_is_that_of_a_listing(graph: Graph) -> None:
    found = listed(graph)
    assert count_solutions(graph) == len(found)
    assert solutions_by_length(graph) == Counter(map(len, found))


@settings(max_examples=60)
@given(graphs(max_steps=7))
def test_the_count_is_that_of_networkx(graph: Graph) -> None:
    assert count_solutions(graph) == len(sorted_by_networkx(graph))


@settings(max_examples=200)
@given(graphs(max_steps=6))
def test_the_count_is_that_of_all_permutations(graph: Graph) -> None:
    assert count_solutions(graph) == len(permuted(graph))


@settings(max_examples=300)
@given(knotted_graphs())
def test_circles_through_two_branches_of_a_group_are_counted_right(graph: Graph) -> None:
    assert count_solutions(graph) == len(listed(graph))


@settings(max_examples=150)
@given(graphs(max_nodes=6, max_steps=6), graphs(max_nodes=6, max_steps=6))
def test_graphs_side_by_side_interleave(left: Graph, right: Graph) -> None:
    one, other = solutions_by_length(left), solutions_by_length(right)
    both = Graph((*_renamed(left, "l"), *_renamed(right, "r")))
    assert count_solutions(both) == sum(a * b * comb(m + n, m) for m, a in one.items() for n, b in other.items())


@settings(max_examples=150)
@given(graphs(max_nodes=6, max_steps=6), graphs(max_nodes=6, max_steps=6))
def test_graphs_one_after_the_other_multiply(first: Graph, second: Graph) -> None:
    before = tuple(node.id for node in _renamed(first, "l"))
    both = Graph((*_renamed(first, "l"), *_renamed(second, "r", before)))
    assert count_solutions(both) == count_solutions(first) * count_solutions(second)


@settings(max_examples=300)
@given(graphs(max_steps=5, groups=False), graphs(max_steps=3, groups=False))
def test_a_graph_inside_a_branch_counts_as_a_module(inner: Graph, outer: Graph) -> None:
    """The first step of a graph becomes a group of three branches, one of them a whole graph."""
    old, *rest = outer.nodes
    assert isinstance(old, Step)
    steps = tuple(node for node in _renamed(inner, "i") if isinstance(node, Step))
    group = Group(
        old.id,
        (
            Branch("one", (Step("p", "p", old.arguments, old.after),), {"v": Field("p", "v")}),
            Branch("two", (Step("q", "q", old.arguments, old.after),), {"v": Field("q", "v")}),
            Branch("all", tuple(_with(step, old) for step in steps), {"v": Field(steps[-1].id, "v")}),
        ),
    )
    graph = Graph((group, *rest))
    assert count_solutions(graph) == len(listed(graph))


def test_an_empty_graph_has_one_solution() -> None:
    assert count_solutions(Graph(())) == 1
    assert solutions_by_length(Graph(())) == {0: 1}


def test_independent_steps_have_all_orders() -> None:
    assert count_solutions(Graph(tuple(_step(f"s{n}") for n in range(300)))) == factorial(300)


def test_a_zigzag_has_the_alternating_permutations() -> None:
    """Each lower step precedes its two upper neighbours: Euler's zigzag numbers (OEIS A000111), at any width."""
    euler = [1, 1]
    for n in range(1, 40):
        euler.append(sum(comb(n, k) * euler[k] * euler[n - k] for k in range(n + 1)) // 2)
    for size in (4, 9, 16, 40):
        nodes = [
            _step(f"s{n}") if n % 2 == 0 else _step(f"s{n}", *(f"s{m}" for m in (n - 1, n + 1) if m < size))
            for n in range(size)
        ]
        assert count_solutions(Graph(tuple(nodes))) == euler[size]


def test_a_grid_has_the_standard_tableaux() -> None:
    """Step (r, c) waits for its left and upper neighbours: the hook length formula (Frame, Robinson, Thrall 1954)."""
    for rows, columns in ((2, 60), (3, 12), (5, 6)):
        nodes = [
            _step(f"{r}.{c}", *([f"{r - 1}.{c}"] if r else []), *([f"{r}.{c - 1}"] if c else []))
            for r in range(rows)
            for c in range(columns)
        ]
        hooks = 1
        for r in range(rows):
            for c in range(columns):
                hooks *= rows - r + columns - c - 1
        assert count_solutions(Graph(tuple(nodes))) == factorial(rows * columns) // hooks


def test_a_binary_tree_has_its_heap_orders() -> None:
    """Every step waits for its parent: n! over the product of the subtree sizes (Knuth, TAOCP 3, 5.1.4 ex. 20)."""
    size = 127
    below = [1] * size
    for n in range(size - 1, 0, -1):
        below[(n - 1) // 2] += below[n]
    product = 1
    for number in below:
        product *= number
    graph = Graph(tuple(_step(f"s{n}", *([f"s{(n - 1) // 2}"] if n else [])) for n in range(size)))
    assert count_solutions(graph) == factorial(size) // product


def test_a_series_parallel_graph_is_counted_without_a_search() -> None:
    """Twenty chains side by side, each of 20 groups of three branches of 1, 1 and 2 steps."""
    nodes: list[Node] = []
    for chain in range(20):
        before = Field("start", "v")
        for place in range(20):
            group = _three_ways(f"{chain}.{place}", before)
            nodes.append(group)
            before = Field(group.id, "v")
    one = {20 + longer: comb(20, longer) * 2 ** (20 - longer) for longer in range(21)}
    total: dict[int, int] = {0: 1}
    for _ in range(20):
        wider: dict[int, int] = {}
        for m, a in total.items():
            for n, b in one.items():
                wider[m + n] = wider.get(m + n, 0) + a * b * comb(m + n, m)
        total = wider
    assert count_solutions(Graph((_step("start"), *nodes)), limit=0) == sum(total.values())


def test_prime_blocks_in_a_row_are_counted_apart() -> None:
    """Forty N-shaped blocks in a row, twice side by side: one search of a block is all it takes."""
    nodes: list[Node] = []
    for side in ("l", "r"):
        last: tuple[str, ...] = ()
        for place in range(40):
            a, b, c, d = (f"{side}{place}{name}" for name in "abcd")
            nodes += [_step(a, *last), _step(b, *last), _step(c, a), _step(d, a, b)]
            last = (c, d)
    assert count_solutions(Graph(tuple(nodes)), limit=20) == 5**80 * comb(320, 160)


def test_a_block_without_structure_is_refused() -> None:
    """40 sources and 40 sinks, sink k waiting for sources by the bits of k: no module, width 40."""
    sources = [_step(f"a{n}") for n in range(40)]
    sinks = [_step(f"b{n}", *(f"a{m}" for m in range(40) if (n * m + m * m) % 7 < 3 or m == n)) for n in range(40)]
    with pytest.raises(TooWide, match="too wide to count: it takes more than 2000 numbers"):
        count_solutions(Graph((*sources, *sinks)), limit=2000)


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ValueError, match="the graph has a cycle"):
        count_solutions(Graph((_step("a", "b"), _step("b", "a"))))


def _step(id: str, *before: str) -> Step:
    return Step(id, id, {f"x{n}": Field(other, "v") for n, other in enumerate(before)})


def _three_ways(id: str, before: Field) -> Group:
    """A group of branches of 1, 1 and 2 steps, each reading a field."""
    first = [Step(f"{id}.{branch}", f"{id}.{branch}", {"x": before}) for branch in range(3)]
    second = _step(f"{id}.3", f"{id}.2")
    return Group(
        id,
        (
            Branch("a", (first[0],), {"v": Field(first[0].id, "v")}),
            Branch("b", (first[1],), {"v": Field(first[1].id, "v")}),
            Branch("c", (first[2], second), {"v": Field(second.id, "v")}),
        ),
    )


def _with(step: Step, old: Step) -> Step:
    """A step that also waits for all that another waits for."""
    return Step(
        step.id,
        step.tool,
        {**step.arguments, **{f"o{k}": v for k, v in old.arguments.items()}},
        (*step.after, *old.after),
    )


def _renamed(graph: Graph, prefix: str, before: tuple[str, ...] = ()) -> tuple[Node, ...]:
    def field(old: Field) -> Field:
        return Field(prefix + old.node, old.path)

    def step(old: Step) -> Step:
        arguments = {name: field(b) if isinstance(b, Field) else b for name, b in old.arguments.items()}
        return Step(prefix + old.id, prefix + old.tool, arguments, (*(prefix + id for id in old.after), *before))

    def branch(old: Branch) -> Branch:
        return Branch(old.id, tuple(map(step, old.steps)), {name: field(f) for name, f in old.exports.items()})

    return tuple(
        step(node) if isinstance(node, Step) else Group(prefix + node.id, tuple(map(branch, node.branches)))
        for node in graph.nodes
    )
