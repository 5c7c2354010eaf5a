"""Every message of the validation, and cycles against brute force."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings

from sealegs.tasks.graph import Binding, Branch, Constant, Deliverable, Field, Graph, Group, Node, Step, Task, UserInput
from sealegs.tasks.validation import InvalidTask, check_graph, check_task, validate_graph, validate_task
from tests.tasks.brute_force import acyclic, choices, waits
from tests.tasks.random_graphs import chain, graphs, knotted_graphs, loose_graphs


def step(id: str, *reads: str, after: tuple[str, ...] = (), tool: str = "") -> Step:
    """A step that reads `NODE.PATH`, each into an argument of its own."""
    fields = [Field(*ref.rsplit(".", 1)) for ref in reads]
    arguments: dict[str, Binding] = {f"x{number}": field for number, field in enumerate(fields)}
    return Step(id, tool or f"tool_{id}", arguments, after)


def branch(id: str, *steps: Step, **exports: str) -> Branch:
    return Branch(id, steps, {name: Field(giver, "v") for name, giver in exports.items()})


def pair(*reads: str, **exports: tuple[str, str]) -> Group:
    """Group `g` of branches `one` (step a) and `two` (step b)."""
    return Group(
        "g",
        (
            branch("one", step("a", *reads), **{name: givers[0] for name, givers in exports.items()}),
            branch("two", step("b", *reads), **{name: givers[1] for name, givers in exports.items()}),
        ),
    )


GOOD = pair("first.v", out=("a", "b"))


def around(group: Group, *more: Node) -> tuple[Node, ...]:
    return (step("first"), group, step("last", "g.out"), *more)


@pytest.mark.parametrize(
    ("nodes", "problems"),
    [
        ((), ["the graph has no nodes; add a step"]),
        (around(GOOD), []),
        (
            (step("s"), step("s", tool="other")),
            ["id 's' occurs 2 times; groups and the steps of all branches need ids of their own"],
        ),
        (
            around(GOOD, step("g", tool="other")),
            ["id 'g' occurs 2 times; groups and the steps of all branches need ids of their own"],
        ),
        (
            around(GOOD, step("again", tool="tool_a")),
            ["tool 'tool_a' occurs 2 times (steps a, again); a graph has each tool once"],
        ),
        (
            (step("s", "nobody.v", after=("nothing",)),),
            [
                "step 's': argument 'x0' names 'nobody', which is not a node of the graph; name a step or a group of"
                " it",
                "step 's': `after` names 'nothing', which is not a node of the graph; name a step or a group of it",
            ],
        ),
        (
            around(GOOD, step("s", "g.other")),
            ["step 's': argument 'x0' reads 'other', which is not an export of group 'g'; its exports are out"],
        ),
        (
            (pair(), step("s", "g.out")),
            ["step 's': argument 'x0' reads 'out', which is not an export of group 'g'; it has none"],
        ),
        (
            around(GOOD, step("s", "a.v", after=("b",))),
            [
                "step 's': argument 'x0' names 'a' inside branch 'one' of group 'g'; read an export of the group",
                "step 's': `after` names 'b' inside branch 'two' of group 'g'; name the group",
            ],
        ),
        (
            around(Group("g", (branch("one", step("a"), out="a"), branch("two", step("b", "a.v"), out="b")))),
            [
                "step 'b': argument 'x0' names 'a' in branch 'one' of the same group, which is never called with branch"
                " 'two'; name a step of its own branch or a node outside the group"
            ],
        ),
        (
            around(Group("g", (branch("one", step("a"), out="a"), branch("two", step("b", "g.out"), out="b")))),
            ["step 'b': argument 'x0' names its own group 'g'; name a step of its branch or a node outside the group"],
        ),
        (
            (step("a", "b.v"), step("b", "c.v"), step("c", "a.v"), step("d", "c.v")),
            ["cycle: a -> c -> b -> a: each waits for the one before it; take one of these inputs away"],
        ),
        (
            (step("s", "s.v"), step("p", after=("q",)), step("q", after=("p",))),
            [
                "cycle: s -> s: each waits for the one before it; take one of these inputs away",
                "cycle: p -> q -> p: each waits for the one before it; take one of these inputs away",
            ],
        ),
        (
            (pair("s.v", out=("a", "b")), step("s", after=("g",))),
            ["cycle: a -> s -> a: each waits for the one before it; take one of these inputs away"],
        ),
        (
            around(Group("g", (branch("one", step("a", "first.v"), out="a"),))),
            ["group 'g' has 1 branches; a group needs two or more, or is a step"],
        ),
        (
            around(Group("g", (branch("one", step("a"), out="a"), branch("one", step("b"), out="b")))),
            ["group 'g': branch id 'one' occurs 2 times; branches need ids of their own"],
        ),
        (
            (step("first"), Group("g", (branch("one", step("a")), branch("two")))),
            ["group 'g': branch 'two' is empty; give it a step or take it away"],
        ),
        (
            around(pair(out=("a", "first"))),
            [
                "group 'g': branch 'two' takes export 'out' from 'first', which is not a step of the branch; take it"
                " from one of its steps"
            ],
        ),
        (
            (Group("g", (branch("one", step("a"), out="a"), branch("two", step("b")))), step("last", "g.out")),
            [
                "group 'g': branch 'two' does not give export 'out', which step 'last': argument 'x0' reads; every"
                " branch gives what is read"
            ],
        ),
        ((Group("g", (branch("one", step("a"), out="a"), branch("two", step("b")))),), []),
    ],
)
def test_each_fault_of_a_graph_is_named(nodes: tuple[Node, ...], problems: list[str]) -> None:
    graph = Graph(nodes)
    assert validate_graph(graph) == problems
    if problems:
        with pytest.raises(InvalidTask) as caught:
            check_graph(graph)
        assert caught.value.problems == problems
        assert str(caught.value) == "\n".join(problems)
    else:
        check_graph(graph)


def test_all_faults_are_named_at_once() -> None:
    group = Group("g", (branch("one", step("a", "b.v"), out="zero"), branch("one"), branch("two", step("b"))))
    nodes = (group, step("s", "g.out", "a.v", "nobody.v"), step("s", "g.none"), step("p", "q.v"), step("q", "p.v"))
    words = [problem.split(";")[0] for problem in validate_graph(Graph(nodes))]
    assert words == [
        "id 's' occurs 2 times",
        "tool 'tool_s' occurs 2 times (steps s, s)",
        "group 'g': branch id 'one' occurs 2 times",
        "group 'g': branch 'one' takes export 'out' from 'zero', which is not a step of the branch",
        "group 'g': branch 'one' is empty",
        "step 'a': argument 'x0' names 'b' in branch 'two' of the same group, which is never called with branch 'one'",
        "step 's': argument 'x1' names 'a' inside branch 'one' of group 'g'",
        "step 's': argument 'x2' names 'nobody', which is not a node of the graph",
        "step 's': argument 'x0' reads 'none', which is not an export of group 'g'",
        "group 'g': branch 'one' does not give export 'out', which step 's': argument 'x0' reads",
        "group 'g': branch 'two' does not give export 'out', which step 's': argument 'x0' reads",
        "cycle: p -> q -> p: each waits for the one before it",
    ]


TASK = Task(
    "t",
    "C2",
    "Do it in Rome.",
    {"city": "Rome"},
    Graph((Step("first", "tool_first", {"city": UserInput("city")}), GOOD, step("last", "g.out"))),
    (Deliverable("the end", Field("last", "v")),),
)


def with_nodes(*nodes: Node) -> Task:
    return replace(TASK, inputs={}, graph=Graph(nodes))


@pytest.mark.parametrize(
    ("task", "problems"),
    [
        (TASK, []),
        (replace(TASK, victim="first"), []),
        (replace(TASK, victim="g"), []),
        (
            replace(TASK, victim="a"),
            ["victim 'a' is not a node of the graph; name a group, or a step outside of groups"],
        ),
        (
            replace(TASK, inputs={}),
            [
                "step 'first': argument 'city' takes user input 'city', which the task does not have; its inputs are:"
                " none"
            ],
        ),
        (
            replace(TASK, inputs={"city": "Rome", "day": 1}),
            ["user input 'day' is used by no step; bind it or take it away"],
        ),
        (
            with_nodes(step("first"), step("idle", "first.v"), GOOD, step("last", "g.out")),
            ["step 'idle': its answer is not used; read it in a later step or make it a deliverable"],
        ),
        (
            with_nodes(step("first"), step("told", "first.v"), GOOD, step("last", "g.out", after=("told",))),
            ["step 'told': its answer is not used; read it in a later step or make it a deliverable"],
        ),
        (
            with_nodes(
                step("first"),
                Group("g", (branch("one", *chain("a", "b"), out="a"), branch("two", step("c"), out="c", more="c"))),
                step("last", "g.out", "first.v"),
            ),
            ["step 'b': its answer is not used; read it in a later step or make it a deliverable"],
        ),
        (
            with_nodes(step("first"), pair("first.v"), step("last", "first.v", after=("g",))),
            [
                "step 'a': its answer is not used; read it in a later step or make it a deliverable",
                "step 'b': its answer is not used; read it in a later step or make it a deliverable",
            ],
        ),
        (
            replace(TASK, deliverables=()),
            [
                "the task has no deliverables; say what its answer must contain",
                "step 'last': its answer is not used; read it in a later step or make it a deliverable",
            ],
        ),
        (
            replace(TASK, deliverables=(*TASK.deliverables, Deliverable("x", Field("nobody", "v")))),
            ["deliverable 'x' names 'nobody', which is not a node of the graph; name a step or a group of it"],
        ),
        (
            replace(TASK, deliverables=(*TASK.deliverables, Deliverable("x", Field("g", "v")))),
            ["deliverable 'x' reads 'v', which is not an export of group 'g'; its exports are out"],
        ),
        (
            replace(TASK, deliverables=(*TASK.deliverables, Deliverable("x", Field("a", "v")))),
            ["deliverable 'x' names 'a' inside branch 'one' of group 'g'; read an export of the group"],
        ),
        (
            replace(TASK, deliverables=(*TASK.deliverables, Deliverable("the end", Field("g", "out")))),
            ["deliverable 'the end' occurs 2 times; labels tell deliverables apart"],
        ),
        (
            replace(
                with_nodes(Group("g", (branch("one", step("a"), out="a"), branch("two", step("b"))))),
                deliverables=(Deliverable("x", Field("g", "out")),),
            ),
            [
                "group 'g': branch 'two' does not give export 'out', which deliverable 'x' reads; every branch gives"
                " what is read",
                "step 'b': its answer is not used; read it in a later step or make it a deliverable",
            ],
        ),
        (
            replace(with_nodes(pair(out=("a", "b"))), deliverables=(Deliverable("x", Field("g", "out")),)),
            [],
        ),
    ],
)
def test_each_fault_of_a_task_is_named(task: Task, problems: list[str]) -> None:
    assert validate_task(task) == problems
    if problems:
        with pytest.raises(InvalidTask) as caught:
            check_task(task)
        assert caught.value.problems == problems
    else:
        check_task(task)


def test_the_faults_of_the_graph_are_faults_of_the_task() -> None:
    bad = replace(TASK, graph=Graph((*TASK.graph.nodes, Step("s", "tool_s", {"x": Constant(1)}, ("s",)))))
    assert validate_task(bad)[0].startswith("cycle: s -> s")


def test_a_circle_that_no_choice_closes_is_good() -> None:
    """x reads e and z reads f; branch one gives f before e is asked for, branch two e before f."""
    group = Group(
        "g",
        (
            branch("one", step("a1", "z.v"), step("a2"), e="a1", f="a2"),
            branch("two", step("b1"), step("b2", "x.v"), e="b1", f="b2"),
        ),
    )
    good = (group, step("x", "g.e"), step("z", "g.f"))
    assert validate_graph(Graph(good)) == []
    third = branch("three", step("c1", "z.v"), step("c2", "x.v"), e="c1", f="c2")
    assert validate_graph(Graph((Group("g", (*group.branches, third)), *good[1:]))) == [
        "cycle: c1 -> x -> c2 -> z -> c1: each waits for the one before it; take one of these inputs away"
    ]


@settings(max_examples=600)
@given(loose_graphs())
def test_a_cycle_is_named_exactly_if_a_choice_has_one(graph: Graph) -> None:
    problems = validate_graph(graph)
    assert all(problem.startswith("cycle: ") for problem in problems)
    assert bool(problems) == (not acyclic(graph))
    for problem in problems:
        named = problem.removeprefix("cycle: ").split(": ")[0].split(" -> ")
        assert any(
            all(before in needed[after] for before, after in pairwise(named))
            for choice in choices(graph)
            for needed in [waits(graph, choice)]
            if set(named) <= set(needed)
        )


@settings(max_examples=200)
@given(graphs())
def test_a_good_graph_has_no_problems(graph: Graph) -> None:
    assert validate_graph(graph) == []


@settings(max_examples=200)
@given(knotted_graphs())
def test_a_knotted_graph_has_no_problems(graph: Graph) -> None:
    assert validate_graph(graph) == []


def test_its_mistake_comes_whole_from_another_process() -> None:
    found = pickle.loads(pickle.dumps(InvalidTask(["one is wrong", "another is"])))
    assert (str(found), found.problems) == ("one is wrong\nanother is", ["one is wrong", "another is"])
