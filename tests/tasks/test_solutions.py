"""Listing, recognising and the shortest solution, against brute force."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.tasks.graph import Branch, Field, Graph, Group, Step
from sealegs.tasks.solutions import count_paths, is_prefix, is_solution, path_lengths, shortest_solution, solutions
from tests.tasks.brute_force import listed, permuted
from tests.tasks.random_graphs import chain, graphs, knotted_graphs

ANY = st.one_of(graphs(max_nodes=6, max_steps=6), knotted_graphs())


@settings(max_examples=400)
@given(ANY)
def test_every_solution_is_listed_once(graph: Graph) -> None:
    found = list(solutions(graph))
    assert len(found) == len(set(found))
    assert set(found) == set(listed(graph))


@settings(max_examples=100)
@given(graphs(max_steps=5))
def test_the_solutions_are_the_permutations_that_fit(graph: Graph) -> None:
    assert set(solutions(graph)) == permuted(graph)


@settings(max_examples=400)
@given(ANY, st.data())
def test_what_belongs_is_what_is_listed(graph: Graph, data: st.DataObject) -> None:
    right = set(listed(graph))
    begun = {solution[:size] for solution in right for size in range(len(solution) + 1)}
    steps = st.sampled_from([*graph.steps, "elsewhere"])
    one = data.draw(st.sampled_from(sorted(right)))
    cut = data.draw(st.integers(0, len(one)))
    bent = [*one[:cut], *data.draw(st.lists(steps, max_size=2)), *one[cut + data.draw(st.integers(0, 2)) :]]
    for trajectory in (one, one[:cut], one[cut:], bent, data.draw(st.lists(steps, max_size=6))):
        assert is_solution(graph, trajectory) == (tuple(trajectory) in right)
        assert is_prefix(graph, trajectory) == (tuple(trajectory) in begun)


@settings(max_examples=200)
@given(ANY)
def test_tools_name_steps(graph: Graph) -> None:
    for solution in islice(solutions(graph), 20):
        tools = [graph.steps[step].tool for step in solution]
        assert is_solution(graph, tools, by="tool")
        assert is_prefix(graph, tools[:-1], by="tool")
        assert not is_solution(graph, [*tools, tools[-1]], by="tool")
        assert not is_prefix(graph, [f"no_{tools[0]}"], by="tool")


@settings(max_examples=200)
@given(ANY)
def test_the_shortest_is_a_solution_and_none_is_shorter(graph: Graph) -> None:
    sizes = {len(solution) for solution in listed(graph)}
    assert shortest_solution(graph) in set(listed(graph))
    assert len(shortest_solution(graph)) == min(sizes)
    assert path_lengths(graph) == (min(sizes), max(sizes))


@settings(max_examples=100)
@given(ANY)
def test_paths_are_the_choices_seen(graph: Graph) -> None:
    seen = {
        frozenset(graph.home[step][1].id + graph.home[step][0].id for step in s if step in graph.home)
        for s in listed(graph)
    }
    assert count_paths(graph) == len(seen)


def test_solutions_come_one_at_a_time() -> None:
    graph = Graph(tuple(Step(f"s{n}", f"s{n}", {}) for n in range(100)))
    first, second = islice(solutions(graph), 2)
    assert first == tuple(f"s{n}" for n in range(100))
    assert second == (*first[:98], "s99", "s98")


def test_a_detour_through_another_branch_is_no_solution() -> None:
    group = Group(
        "g",
        (
            Branch("direct", (Step("a", "a", {}),), {"v": Field("a", "v")}),
            Branch("long", chain("b", "c"), {"v": Field("c", "v")}),
        ),
    )
    graph = Graph((group, Step("end", "end", {"x": Field("g", "v")})))
    assert list(solutions(graph)) == [("a", "end"), ("b", "c", "end")]
    assert shortest_solution(graph) == ("a", "end")
    assert not is_prefix(graph, ("b", "a"))
    assert not is_solution(graph, ("b", "a", "end"))


def test_a_cycle_has_no_shortest_solution() -> None:
    graph = Graph((Step("a", "a", {"x": Field("b", "v")}), Step("b", "b", {"x": Field("a", "v")})))
    with pytest.raises(ValueError, match="cycle"):
        shortest_solution(graph)
    assert list(solutions(graph)) == []
