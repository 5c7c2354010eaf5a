"""c* and what may be called next, against breadth-first search over the simulated states."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.tasks.graph import Branch, Field, Graph, Group, Step
from sealegs.tasks.recovery_cost import State, after_call, callable_tools, next_calls, recovery_cost
from sealegs.tasks.solutions import shortest_solution, solutions
from tests.tasks.brute_force import called, cost, finished, may_call, ready
from tests.tasks.random_graphs import chain, graphs, knotted_graphs, states

ANY = st.one_of(graphs(max_nodes=5, max_steps=6), knotted_graphs(max_nodes=4, max_steps=5))


@st.composite
def standings(draw: st.DrawFn) -> tuple[Graph, State]:
    graph = draw(ANY)
    return graph, draw(states(graph))


@settings(max_examples=1200)
@given(standings())
def test_the_cost_is_that_of_a_search(standing: tuple[Graph, State]) -> None:
    graph, state = standing
    assert recovery_cost(graph, state) == cost(graph, state)


@settings(max_examples=250)
@given(standings())
def test_next_calls_are_those_that_lower_the_cost_by_one(standing: tuple[Graph, State]) -> None:
    graph, state = standing
    before = cost(graph, state)
    lower = [
        step.id
        for step in graph.steps.values()
        if step.id not in state.done
        and ready(graph, state.done, step)
        and before is not None
        and cost(graph, called(graph, state, step)) == before - 1
    ]
    assert next_calls(graph, state) == tuple(lower)
    assert bool(lower) == bool(before)


@settings(max_examples=250)
@given(standings())
def test_callable_tools_are_those_of_some_way_to_finish(standing: tuple[Graph, State]) -> None:
    graph, state = standing
    useful = {
        step.tool
        for step in graph.steps.values()
        if step.id not in state.done and ready(graph, state.done, step) and may_call(graph, state, step)
    }
    assert callable_tools(graph, state) == useful


@settings(max_examples=250)
@given(standings())
def test_following_the_next_calls_finishes_at_that_cost(standing: tuple[Graph, State]) -> None:
    graph, state = standing
    expected = recovery_cost(graph, state)
    calls = 0
    while following := next_calls(graph, state):
        state, calls = after_call(graph, state, following[-1]), calls + 1
    if expected is not None:
        assert calls == expected
        assert finished(graph, state.done)


@settings(max_examples=250)
@given(standings())
def test_a_call_does_what_the_rules_say(standing: tuple[Graph, State]) -> None:
    graph, state = standing
    for step in graph.steps.values():
        if step.id not in state.done and ready(graph, state.done, step):
            assert after_call(graph, state, step.id) == called(graph, state, step)
        else:
            with pytest.raises(ValueError, match="cannot be called"):
                after_call(graph, state, step.id)


@settings(max_examples=150)
@given(ANY)
def test_without_faults_the_cost_is_what_a_shortest_solution_lacks(graph: Graph) -> None:
    path = shortest_solution(graph)
    assert recovery_cost(graph, State()) == len(path)
    for size in range(len(path) + 1):
        assert recovery_cost(graph, State(done=frozenset(path[:size]))) == len(path) - size
    assert set(next_calls(graph, State())) <= {solution[0] for solution in solutions(graph)}


GROUP = Group(
    "g",
    (
        Branch("direct", (Step("a", "tool_a", {"x": Field("first", "v")}),), {"v": Field("a", "v")}),
        Branch(
            "long",
            (Step("b", "tool_b", {"x": Field("first", "v")}), Step("c", "tool_c", {"x": Field("b", "v")})),
            {"v": Field("c", "v")},
        ),
    ),
)
GRAPH = Graph((Step("first", "tool_first", {}), GROUP, Step("last", "tool_last", {"x": Field("g", "v")})))
BEGUN = frozenset({"first"})


def test_a_broken_tool_costs_the_way_round() -> None:
    state = State(BEGUN, frozenset({"tool_a"}))
    assert recovery_cost(GRAPH, state) == 3
    assert next_calls(GRAPH, state) == ("b",)
    assert callable_tools(GRAPH, state) == {"tool_b"}


def test_a_longer_way_may_be_called_too() -> None:
    state = State(BEGUN)
    assert next_calls(GRAPH, state) == ("a",)
    assert callable_tools(GRAPH, state) == {"tool_a", "tool_b"}


def test_steps_of_a_branch_given_up_save_nothing_elsewhere() -> None:
    state = State(BEGUN | {"b"}, frozenset({"tool_c", "elsewhere"}))
    assert recovery_cost(GRAPH, state) == 2
    assert next_calls(GRAPH, state) == ("a",)
    assert callable_tools(GRAPH, state) == {"tool_a"}


def test_nothing_finishes_when_every_branch_is_broken() -> None:
    state = State(BEGUN, frozenset({"tool_a", "tool_c"}))
    assert recovery_cost(GRAPH, state) is None
    assert next_calls(GRAPH, state) == ()
    assert callable_tools(GRAPH, state) == frozenset()


def test_a_finished_task_costs_nothing() -> None:
    state = State(frozenset({"first", "a", "last"}), frozenset({"tool_b"}))
    assert recovery_cost(GRAPH, state) == 0
    assert next_calls(GRAPH, state) == ()
    assert callable_tools(GRAPH, state) == frozenset()


def test_a_pending_fault_on_a_group_costs_one_call() -> None:
    transient, permanent = State(BEGUN, pending={"g": "transient"}), State(BEGUN, pending={"g": "permanent"})
    assert recovery_cost(GRAPH, transient) == recovery_cost(GRAPH, permanent) == 3
    assert next_calls(GRAPH, transient) == ("a", "b")
    assert next_calls(GRAPH, permanent) == ("b",)
    assert recovery_cost(GRAPH, after_call(GRAPH, permanent, "a")) == 3
    assert recovery_cost(GRAPH, after_call(GRAPH, permanent, "b")) == 2


def test_a_pending_fault_on_a_step_is_fixed_there() -> None:
    assert recovery_cost(GRAPH, State(BEGUN, pending={"last": "transient"})) == 3
    assert recovery_cost(GRAPH, State(BEGUN, pending={"last": "permanent"})) is None
    assert recovery_cost(GRAPH, State(BEGUN, pending={"a": "permanent"})) == 3
    assert next_calls(GRAPH, State(BEGUN, pending={"a": "transient"})) == ("a", "b")


def test_a_broken_tool_can_take_a_pending_fault() -> None:
    state = State(BEGUN, frozenset({"tool_b"}), {"g": "permanent"})
    assert recovery_cost(GRAPH, state) == 3
    assert next_calls(GRAPH, state) == ("b",)
    assert callable_tools(GRAPH, state) == frozenset()


def test_a_group_of_one_branch_cannot_survive_a_permanent_fault() -> None:
    graph = Graph((Group("g", (Branch("only", chain("a", "b"), {}),)),))
    assert recovery_cost(graph, State(pending={"g": "permanent"})) is None
    assert recovery_cost(graph, State(pending={"g": "transient"})) == 3


def test_a_value_once_given_stays_given() -> None:
    """A step may read the export of a branch that is given up later; a group in `after` must be complete."""
    early = Group(
        "g",
        (
            Branch("one", chain("a", "b"), {"v": Field("a", "v")}),
            Branch("two", chain("c", "d"), {"v": Field("d", "v")}),
        ),
    )
    graph = Graph((early, Step("reader", "reader", {"x": Field("g", "v")}), Step("last", "last", {}, ("g",))))
    state = State(frozenset({"a"}), frozenset({"b"}))
    assert next_calls(graph, state) == ("c", "reader")
    assert recovery_cost(graph, state) == 4


def test_every_misfit_of_a_state_is_named() -> None:
    state = State(
        frozenset({"a", "nobody"}),
        pending={"g": "transient", "c": "permanent", "nothing": "transient", "a": "transient"},
    )
    with pytest.raises(ValueError, match="nobody") as caught:
        recovery_cost(GRAPH, state)
    assert str(caught.value).split("; ") == [
        "done: there is no step 'nobody'",
        "pending: group 'g' was touched: a is done",
        "pending: step 'c' and its group 'g' both",
        "keep one",
        "pending: there is no group and no step 'nothing'",
        "pending: step 'a' is done, so it cannot meet its first fault any more",
    ]
    for ask in (next_calls, callable_tools):
        with pytest.raises(ValueError, match="there is no step 'nobody'"):
            ask(GRAPH, state)
    with pytest.raises(ValueError, match="there is no step 'x'"):
        after_call(GRAPH, State(), "x")
