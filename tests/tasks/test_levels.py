"""Each rule of the levels, by a task that keeps it and tasks that break it."""

from __future__ import annotations

import pytest

from sealegs.tasks.graph import Branch, Deliverable, Field, Graph, Group, Node, Step, Task
from sealegs.tasks.levels import level_problems


def step(id: str, *nodes: str) -> Step:
    """A step that reads a step's `v` or, of a node whose id begins with g, its export `v`."""
    return Step(id, f"tool_{id}", {f"x{number}": Field(node, "v") for number, node in enumerate(nodes)})


def group(id: str, sizes: tuple[int, ...], *nodes: str) -> Group:
    """A group whose branches are chains of these sizes; the first step of each reads the nodes."""
    branches = []
    for number, size in enumerate(sizes):
        ids = [f"{id}.{number}.{place}" for place in range(size)]
        steps = tuple(step(name, *(nodes if place == 0 else (ids[place - 1],))) for place, name in enumerate(ids))
        branches.append(Branch(f"b{number}", steps, {"v": Field(ids[-1], "v")}))
    return Group(id, tuple(branches))


def task(level: str, *nodes: Node, delivers: str = "last") -> Task:
    return Task("t", level, "Do it.", {}, Graph(nodes), (Deliverable("the end", Field(delivers, "v")),))


def line(*ids: str) -> tuple[Step, ...]:
    return tuple(step(id, *ids[max(0, place - 1) : place]) for place, id in enumerate(ids))


FIVE: tuple[Node, ...] = line("s1", "s2", "s3", "s4", "last")
WITH_1_TO_N: tuple[Node, ...] = (*line("s1", "s2", "s3"), group("g", (1, 2), "s3"), step("last", "g"))
WITH_N_TO_N: tuple[Node, ...] = (*line("s1", "s2", "s3"), group("g", (2, 3), "s3"), step("last", "g"))
PARALLEL: tuple[Node, ...] = (
    *line("s1", "s2", "s3", "s4", "s5"),
    group("g", (1, 2), "s5"),
    group("h", (2, 2), "s5"),
    step("last", "g", "h"),
)


@pytest.mark.parametrize(
    "good",
    [
        task("C1", *FIVE),
        task("C1", *line("s1", "s2", "s3", "s4", "s5", "s6", "last")),
        task("C1", *FIVE[:4], step("last", "s4", "s2")),
        task("C2", *WITH_1_TO_N),
        task("C2", *line("s1", "s2"), group("g", (1, 1), "s2"), group("h", (1, 3), "g"), step("last", "h")),
        task("C3", *WITH_N_TO_N),
        task("C3", *line("s1", "s2"), group("g", (1, 1), "s2"), group("h", (2, 2), "g"), step("last", "h")),
        task("C4", *PARALLEL),
    ],
)
def test_a_task_that_keeps_its_level_passes(good: Task) -> None:
    assert level_problems(good) == []


@pytest.mark.parametrize(
    ("bad", "problems"),
    [
        (task("C9", *FIVE), ["level 'C9' is unknown; the levels are C1, C2, C3, C4"]),
        (task("C1", *line("s1", "last")), ["C1 has 5 to 7 logical steps; this task has 2"]),
        (
            task("C1", *line("s1", "s2", "s3", "s4", "s5", "s6", "s7", "last")),
            ["C1 has 5 to 7 logical steps; this task has 8"],
        ),
        (
            task("C1", step("s1"), step("s2"), step("s3", "s1", "s2"), step("s4", "s3"), step("last", "s4")),
            ["C1 is a line: one order of its steps; bind each step to the one before it"],
        ),
        (task("C1", *WITH_1_TO_N), ["C1 has no alternative groups; this task has g (1-to-n)"]),
        (task("C2", *FIVE), ["C2 has at least one 1-to-1 or 1-to-n group; this task has none"]),
        (
            task("C2", *WITH_N_TO_N),
            [
                "C2 has at least one 1-to-1 or 1-to-n group; this task has none",
                "C2 has no n-to-n group; this task has g (n-to-n)",
            ],
        ),
        (
            task("C2", *line("s1", "s2"), group("g", (1, 1), "s2"), group("h", (2, 2), "g"), step("last", "h")),
            ["C2 has no n-to-n group; this task has h (n-to-n)"],
        ),
        (task("C3", *WITH_1_TO_N), ["C3 has at least one n-to-n group; this task has none"]),
        (
            task("C4", *PARALLEL[:4], group("g", (1, 2), "s4"), group("h", (2, 2), "s4"), step("last", "g", "h")),
            ["C4 has 8 to 12 logical steps; this task has 7"],
        ),
        (
            task("C4", *PARALLEL[:6], group("h", (2, 2), "g"), step("last", "h")),
            ["C4 has at least two groups of which neither waits for the other; this task has none"],
        ),
        (
            task("C4", *PARALLEL[:6], step("s6", "g"), group("h", (2, 2), "s6"), step("last", "h")),
            ["C4 has at least two groups of which neither waits for the other; this task has none"],
        ),
        (
            task("C2", group("g", (1, 1)), step("s2", "g"), step("s3", "s2"), step("s4", "s3"), step("last", "s4")),
            [
                "group 'g' can be first: branch 'b0' waits for nothing; bind it to a step",
                "group 'g' can be first: branch 'b1' waits for nothing; bind it to a step",
            ],
        ),
        (
            task("C2", *line("s1", "s2", "s3", "s4"), group("g", (1, 1), "s4"), delivers="g"),
            ["group 'g' is last: nothing waits for it; let a step read one of its exports"],
        ),
        (
            task("C1", *FIVE, step("idle", "s1")),
            ["step 'idle': its answer is not used; read it in a later step or make it a deliverable"],
        ),
    ],
)
def test_each_broken_rule_is_named(bad: Task, problems: list[str]) -> None:
    assert level_problems(bad) == problems
