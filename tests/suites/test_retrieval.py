"""The reverse check: the list that a request asks for holds its task's tools, and the counting is right."""

from dataclasses import replace

import pytest

from sealegs.scenarios.task_sets import base_tasks
from sealegs.suites.maze.retrieval import (
    STATED_K,
    RetrievedTools,
    ReverseCheck,
    first_solution,
    retrieve,
    reverse_check,
)
from sealegs.tasks.graph import Branch, Graph, Group, Step
from sealegs.world.corpus import load_corpus
from sealegs.world.shortlist import Shortlist
from sealegs.world.tool_search import ToolSearch

TASKS = base_tasks()
FEW = {name: TASKS[name] for name in list(TASKS)[::20]}
SHORTLIST = Shortlist(load_corpus())


@pytest.fixture(scope="module")
def check() -> ReverseCheck:
    return reverse_check(TASKS, SHORTLIST)


def step(tool: str) -> Step:
    return Step(tool, tool, {})


def way(*tools: str) -> Branch:
    return Branch("+".join(tools), tuple(map(step, tools)), {})


GRAPH = Graph((step("a"), Group("g", (way("b"), way("c", "d")))))


@pytest.mark.slow  # `maze stats` has the same check, tested as a command
def test_nine_tasks_in_ten_are_found_at_the_stated_k(check: ReverseCheck) -> None:
    far = {found.task: dict(found.missed(STATED_K)) for found in check.failing(STATED_K)}
    assert check.k(0.9) <= STATED_K, far
    assert check.k(0.5) <= 40


@pytest.mark.slow
def test_it_beats_one_query_with_the_whole_request(check: ReverseCheck) -> None:
    search = ToolSearch(load_corpus())
    plain = []
    for task in TASKS.values():
        scores = search.scores(task.request)
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        places = {search.names[at]: place for place, at in enumerate(order, start=1)}
        plain.append(RetrievedTools(task.id, first_solution(task.graph, places)))
    assert ReverseCheck(tuple(plain)).k(0.9) > 2 * check.k(0.9)
    assert ReverseCheck(tuple(plain)).k(0.5) > 2 * check.k(0.5)


def test_every_step_and_one_whole_branch_are_needed() -> None:
    assert_needed(reverse_check(FEW, SHORTLIST))


@pytest.mark.slow
def test_every_step_and_one_whole_branch_are_needed_in_every_task(check: ReverseCheck) -> None:
    assert_needed(check)


def assert_needed(check: ReverseCheck) -> None:
    for found in check.found:
        needed = set(found.places)
        for node in TASKS[found.task].graph.nodes:
            ways = [{node.tool}] if isinstance(node, Step) else [{s.tool for s in b.steps} for b in node.branches]
            assert any(way <= needed for way in ways), (found.task, node.id)


def test_the_graph_does_not_help() -> None:
    task, *_, other = TASKS.values()
    ranked = SHORTLIST.rank(task.request, task.inputs)
    swapped = retrieve(replace(task, graph=other.graph, deliverables=()), SHORTLIST)
    assert swapped.places == {tool: ranked.index(tool) + 1 for tool in swapped.places}


@pytest.mark.parametrize(
    ("places", "solution"),
    [
        ({"a": 1, "b": 9, "c": 2, "d": 3}, {"a": 1, "c": 2, "d": 3}),
        ({"a": 9, "b": 4, "c": 1, "d": 5}, {"a": 9, "b": 4}),
    ],
)
def test_of_a_group_the_branch_that_is_whole_first(places: dict[str, int], solution: dict[str, int]) -> None:
    assert first_solution(GRAPH, places) == solution


def test_k_is_the_shortest_list_that_holds_the_share() -> None:
    check = ReverseCheck(tuple(RetrievedTools(str(rank), {"a": 1, "b": rank}) for rank in range(10, 0, -1)))
    assert [check.k(share) for share in (0.05, 0.5, 0.9, 0.91, 1.0)] == [1, 5, 9, 10, 10]
    assert [(found.task, dict(found.missed(8))) for found in check.failing(8)] == [("10", {"b": 10}), ("9", {"b": 9})]
    assert len(check.failing(check.k(0.9))) == 1


@pytest.mark.parametrize("share", [0.0, 1.1])
def test_k_refuses_what_has_no_answer(share: float) -> None:
    with pytest.raises(ValueError, match="k needs tasks and a share"):
        ReverseCheck((RetrievedTools("t", {"a": 1}),)).k(share)
    with pytest.raises(ValueError, match="0 tasks"):
        ReverseCheck(()).k(0.5)


def test_twice_is_the_same() -> None:
    assert reverse_check(FEW, Shortlist(load_corpus())).found == reverse_check(FEW, SHORTLIST).found
