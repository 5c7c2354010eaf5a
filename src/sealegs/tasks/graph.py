"""A task as an AND/OR graph.

Every node must be done (AND). A `Step` is one tool call. A `Group` is an alternative group: exactly one of its branches
must be done (OR), and a branch is one or more steps. Arguments are bound to the user's words, to constants or to fields
of earlier answers; these bindings (and `after`) are the only order there is. A later step reads a group through its
exports, which every branch delivers from one of its own steps.

No tool occurs twice in a graph, so a step is known by its tool; groups are not nested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class UserInput:
    """The value of an input that the request names."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that the task fixes."""

    value: Any


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an earlier node's answer; of a group, one of its exports.

    `path` is dotted; a number is a place in a list (`items.0.price`).
    """

    node: str
    path: str


Binding = UserInput | Constant | Field


@dataclass(frozen=True)
class Step:
    """One tool call. `id` is unique in the graph, over all branches."""

    id: str
    tool: str
    arguments: Mapping[str, Binding]
    after: tuple[str, ...] = ()

    @cached_property
    def needs(self) -> tuple[Field, ...]:
        """The fields of earlier answers that the arguments take."""
        return tuple(binding for binding in self.arguments.values() if isinstance(binding, Field))


@dataclass(frozen=True)
class Branch:
    """One way to do a group. `exports` maps each export of the group to a field of one of the branch's steps."""

    id: str
    steps: tuple[Step, ...]
    exports: Mapping[str, Field]


@dataclass(frozen=True)
class Group:
    """An alternative group: exactly one branch must be done."""

    id: str
    branches: tuple[Branch, ...]
    pattern: str = ""

    @property
    def kind(self) -> str:
        """`1-to-1` where every branch is one call, `n-to-n` where none is, else `1-to-n`."""
        return group_kind([len(branch.steps) for branch in self.branches])


Node = Step | Group


@dataclass(frozen=True)
class Graph:
    """The nodes of a task; all of them must be done."""

    nodes: tuple[Node, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The alternative groups, in the order of the nodes."""
        return tuple(node for node in self.nodes if isinstance(node, Group))

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """Every step by id, over all branches."""
        return {step.id: step for step in self.walk()}

    @cached_property
    def step_of(self) -> Mapping[str, Step]:
        """Every step by its tool's name."""
        return {step.tool: step for step in self.walk()}

    @cached_property
    def home(self) -> Mapping[str, tuple[Group, Branch]]:
        """The group and branch of each step that is inside a group."""
        return {step.id: (group, branch) for group in self.groups for branch in group.branches for step in branch.steps}

    def walk(self) -> Iterator[Step]:
        """Every step, over all branches, in the order of the nodes."""
        for node in self.nodes:
            if isinstance(node, Step):
                yield node
            else:
                for branch in node.branches:
                    yield from branch.steps


@dataclass(frozen=True, slots=True)
class Deliverable:
    """A value that the final answer must contain: what it is in words, and where it comes from."""

    label: str
    source: Field


@dataclass(frozen=True)
class Task:
    """A request, what can be read from it, the graph that answers it, and what the answer must contain."""

    id: str
    level: str
    request: str
    inputs: Mapping[str, Any]
    graph: Graph
    deliverables: tuple[Deliverable, ...]
    domains: tuple[str, ...] = ()
    victim: str = field(default="")


def group_kind(sizes: list[int]) -> str:
    """The kind of a group from the number of calls in each branch."""
    if all(size == 1 for size in sizes):
        return "1-to-1"
    return "n-to-n" if all(size > 1 for size in sizes) else "1-to-n"
