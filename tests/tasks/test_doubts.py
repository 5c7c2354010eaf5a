"""c* where an action may have had its effect although it failed, against a search over every safe course."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.call import MOMENTS
from sealegs.tasks.graph import Graph, Group, Step
from sealegs.tasks.recovery_cost import Risk, State, after_call, next_calls, next_looks, recovery_cost
from tests.tasks.brute_force import ready
from tests.tasks.brute_force_doubts import cheapest
from tests.tasks.random_graphs import chain, graphs, knotted_graphs, states

ANY = st.one_of(graphs(max_nodes=4, max_steps=5), knotted_graphs(max_nodes=3, max_steps=5))
RISKS = st.builds(Risk, st.sampled_from(MOMENTS), st.booleans())


@st.composite
def standings(draw: st.DrawFn) -> tuple[Graph, State]:
    """A graph, and a state of it in which at most one step of a node is in doubt."""
    graph = draw(ANY)
    state = draw(states(graph))
    risky = draw(st.dictionaries(st.sampled_from(sorted(graph.steps)), RISKS, max_size=4)) if graph.steps else {}
    permanent = {id for id, fault in state.pending.items() if fault == "permanent"}
    risks = {
        id: Risk("after", r.harmless) if lasting(graph, id, permanent) and r.moment == "during" else r
        for id, r in risky.items()
    }
    doubtful: set[str] = set()
    for node in graph.nodes:
        steps = [node] if isinstance(node, Step) else [step for branch in node.branches for step in branch.steps]
        untouched = node.id not in state.pending and not any(s.id in state.pending or s.id in state.done for s in steps)
        able = [s.id for s in steps if s.id in risks and ready(graph, state.done, s)]
        if untouched and able and draw(st.booleans()):
            doubtful.add(draw(st.sampled_from(able)))
    return graph, State(state.done, state.broken, state.pending, risks, frozenset(doubtful))


def lasting(graph: Graph, id: str, permanent: set[str]) -> bool:
    home = graph.home.get(id)
    return id in permanent or (home is not None and home[0].id in permanent)


def assert_cheapest(standing: tuple[Graph, State]) -> None:
    graph, state = standing
    assert recovery_cost(graph, state) == cheapest(graph, state)


@settings(max_examples=200)
@given(standings())
def test_the_cost_is_that_of_the_cheapest_safe_course(standing: tuple[Graph, State]) -> None:
    assert_cheapest(standing)


@settings(max_examples=200)
@given(standings(), st.data())
def test_what_comes_next_is_not_taken_from_another_state_of_the_graph(
    standing: tuple[Graph, State], data: st.DataObject
) -> None:
    graph, state = standing
    risks = st.dictionaries(st.sampled_from(sorted(graph.steps)), RISKS, max_size=4) if graph.steps else st.just({})
    for _ in range(4):
        # Other risks, some of which decide nothing; those of steps in doubt stay.
        other = {**data.draw(risks), **{id: state.risks[id] for id in state.doubtful}}
        varied = State(state.done, state.broken, state.pending, other, state.doubtful)
        assert next_calls(graph, varied) == next_calls(Graph(graph.nodes), varied)


@pytest.mark.slow
@settings(max_examples=1000)
@given(standings())
def test_the_cost_is_that_of_the_cheapest_safe_course_on_many_graphs(standing: tuple[Graph, State]) -> None:
    assert_cheapest(standing)


def step(tool: str = "pay") -> Graph:
    return Graph(chain(tool))


def costs(*, harmless: bool, broken: bool = False) -> dict[str, int | None]:
    """c* of one faulted action, by what it had done."""
    graph = step()
    (only,) = graph.steps.values()
    gone = frozenset({only.tool}) if broken else frozenset[str]()
    return {
        moment: recovery_cost(
            graph, State(broken=gone, risks={only.id: Risk(moment, harmless)}, doubtful=frozenset({only.id}))
        )
        for moment in MOMENTS
    }


def test_one_action_in_doubt() -> None:
    assert costs(harmless=True) == {"before": 1, "during": 1, "after": 1}
    assert costs(harmless=False) == {"before": 2, "during": 2, "after": 1}
    assert costs(harmless=False, broken=True) == {"before": None, "during": None, "after": 1}


def test_what_comes_next_is_a_look_or_a_harmless_repetition() -> None:
    graph = step()
    (only,) = graph.steps.values()
    for moment in MOMENTS:
        for harmless in (True, False):
            state = State(risks={only.id: Risk(moment, harmless)}, doubtful=frozenset({only.id}))
            repeats = harmless and moment != "after"
            assert next_calls(graph, state) == ((only.id,) if repeats else ())
            assert next_looks(graph, state) == (() if repeats else (only.id,))


def test_a_harmless_repetition_settles_the_doubt() -> None:
    graph = step()
    (only,) = graph.steps.values()
    state = State(pending={only.id: "transient"}, risks={only.id: Risk("before", True)})
    assert recovery_cost(graph, state) == 2
    faulted = after_call(graph, state, only.id)
    assert faulted.doubtful == {only.id}
    assert recovery_cost(graph, after_call(graph, faulted, only.id)) == 0


def test_a_group_is_kept_to_the_branch_whose_work_was_done() -> None:
    long, short = chain("reserve", "confirm", "print"), chain("book")
    from sealegs.tasks.graph import Branch

    group = Group("g", (Branch("long", long, {}), Branch("short", short, {})))
    graph = Graph((group,))
    first = long[0].id
    for moment, expected in (("after", 1 + 2), ("before", 1 + 1)):
        state = State(broken=frozenset({long[0].tool}), risks={first: Risk(moment, False)}, doubtful=frozenset({first}))
        assert recovery_cost(graph, state) == expected == cheapest(graph, state)
