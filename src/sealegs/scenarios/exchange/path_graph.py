"""A graph from the valid paths of a published task.

Tools on every path are steps. The others are distinguished by the paths they are on: tools on the same paths are one
branch, branches that share no path and together cover all of them are one group. Paths that are not such a product have
no graph of this suite, and the task is left out with that reason.

An argument is bound to the field of an earlier answer that has its value, unless the request says it and the field only
repeats what its own tool was called with; a value of neither is a constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from sealegs.faults import paths
from sealegs.tasks import value_matching
from sealegs.tasks.graph import Binding, Branch, Constant, Field, Graph, Group, Step, UserInput


class InconsistentPaths(ValueError):
    """The valid paths make no graph of this suite; the message says why."""


@dataclass(frozen=True, slots=True)
class KnownTool:
    """One tool of a task as its records show it: arguments and clean answer."""

    tool: str
    arguments: Mapping[str, Any]
    output: Any


@dataclass(frozen=True, slots=True)
class GraphShape:
    """A graph and the inputs that it binds."""

    graph: Graph
    inputs: Mapping[str, Any]

    def source(self, tool: str, path: str) -> Field | None:
        """The field or export that holds a value of a tool's answer; None where no node delivers it."""
        if tool in self.graph.by_id:
            return Field(tool, path)
        home = self.graph.home.get(tool)
        exports = home[1].exports if home else {}
        return next((Field(home[0].id, n) for n, f in exports.items() if home and f == Field(tool, path)), None)


def build_graph_shape(
    orders: Sequence[Sequence[str]],
    known: Mapping[str, KnownTool],
    request: str,
    wanted: Sequence[Sequence[tuple[str, str]]] = (),
) -> GraphShape:
    """The graph behind valid paths.

    Args:
        orders: each path as its tools in order.
        known: every tool's arguments and answer.
        request: the user's words.
        wanted: fields that the answer needs, each with its `(tool, path)` in every branch, which become exports.

    Raises:
        InconsistentPaths: the paths make no graph of this suite.
    """
    repeated = sorted({tool for order in orders for tool in order if order.count(tool) > 1})
    if repeated:
        raise InconsistentPaths(
            f"{', '.join(repeated)} is called twice on a path; a graph of this suite holds a tool once"
        )
    return _Builder(_layout(orders), known, request, wanted).shape()


Layout = list[str | list[list[str]]]


def _layout(orders: Sequence[Sequence[str]]) -> Layout:
    """Steps and groups in the order of the first path; a group is a list of branches."""
    whole = frozenset(range(len(orders)))
    on: dict[str, frozenset[int]] = {}
    for tool in dict.fromkeys(tool for order in orders for tool in order):
        on[tool] = frozenset(i for i, order in enumerate(orders) if tool in order)
    branches: dict[frozenset[int], list[str]] = {}
    for tool, where in on.items():
        if where != whole:
            branches.setdefault(where, []).append(tool)
    groups = list(_groups(list(branches), whole))
    # Groups choose independently of one another: where paths lack a combination, no graph of ours has just these paths.
    if prod(map(len, groups)) != len({frozenset(order) for order in orders}):
        raise InconsistentPaths("the valid paths are not a product of independent alternatives")
    layout: Layout = []
    placed: set[frozenset[int]] = set()
    for tool, where in on.items():
        if where == whole:
            layout.append(tool)
        elif where not in placed:
            group = next(group for group in groups if where in group)
            placed |= set(group)
            layout.append([branches[key] for key in group])
    return layout


def _groups(keys: list[frozenset[int]], whole: frozenset[int]) -> Iterator[list[frozenset[int]]]:
    left = list(keys)
    while left:
        group = [left.pop(0)]
        for key in list(left):
            # Branches of one group are never on one path together, and every path has one of them.
            if all(not key & other for other in group):
                group.append(key)
                left.remove(key)
        if frozenset().union(*group) != whole:
            raise InconsistentPaths("the valid paths are not a product of independent alternatives")
        yield group


class _Builder:
    """Binds the arguments of every step, and makes the exports that the bindings need."""

    def __init__(
        self, layout: Layout, known: Mapping[str, KnownTool], request: str, wanted: Sequence[Sequence[tuple[str, str]]]
    ) -> None:
        self.layout = layout
        self.known = known
        self.request = request
        self.wanted = wanted
        self.inputs: dict[str, Any] = {}
        self.exports: dict[str, dict[str, dict[str, str]]] = {}  # group -> export -> tool -> path
        self.group_of = {tool: f"group_{n}" for n, node in self._numbered() for branch in node for tool in branch}
        self.branch_of = {tool: branch for _, node in self._numbered() for branch in node for tool in branch}

    def _numbered(self) -> Iterator[tuple[int, list[list[str]]]]:
        yield from enumerate((node for node in self.layout if isinstance(node, list)), 1)

    def shape(self) -> GraphShape:
        steps: dict[str, Step] = {}
        earlier: list[str] = []
        for node in self.layout:
            for branch in [[node]] if isinstance(node, str) else node:
                for place, tool in enumerate(branch):
                    # A step may read what precedes its group, and what precedes it in its own branch: of the others one
                    # alone is ever taken.
                    steps[tool] = self._step(tool, [*earlier, *branch[:place]])
            earlier += [node] if isinstance(node, str) else [tool for branch in node for tool in branch]
        for sources in self.wanted:
            self._exported(sources)
        nodes = tuple(steps[node] if isinstance(node, str) else self._group(node, steps) for node in self.layout)
        return GraphShape(Graph(nodes), self.inputs)

    def _group(self, branches: list[list[str]], steps: Mapping[str, Step]) -> Group:
        id = self.group_of[branches[0][0]]
        made = []
        for number, branch in enumerate(branches, 1):
            exports = self.exports.get(id, {}).items()
            fields = {name: Field(t, path) for name, by_tool in exports for t, path in by_tool.items() if t in branch}
            made.append(Branch(f"way_{number}", tuple(steps[tool] for tool in branch), fields))
        return Group(id, tuple(made))

    def _step(self, tool: str, earlier: list[str]) -> Step:
        arguments = self.known[tool].arguments.items()
        return Step(tool, tool, {name: self._binding(tool, name, value, earlier) for name, value in arguments})

    def _binding(self, tool: str, name: str, value: Any, earlier: list[str]) -> Binding:
        mentioned = value_matching.contains_value(self.request, value)
        for source, path in self._holders(name, value, earlier):
            repeats = any(value == given for _, given in paths.leaves(dict(self.known[source].arguments)))
            # The user said it: an answer that holds it by chance, or repeats what its call was given, is not a source.
            if mentioned and (repeats or path.split(".")[-1] != name):
                continue
            field = self._field(source, path, tool)
            if field is not None:
                return field
        if mentioned:
            return UserInput(self._input(name, value))
        return Constant(value)

    def _holders(self, name: str, value: Any, earlier: list[str]) -> Iterator[tuple[str, str]]:
        """Tools and paths that hold the value, the likeliest first: under the same name, and the latest."""
        # Such values are everywhere: to hold one says nothing of where it came from.
        if isinstance(value, bool) or value in (None, "", 0):
            return
        found = [
            (path.split(".")[-1] != name, -place, source, path)
            for place, source in enumerate(earlier)
            for path in self._places(source, value)
        ]
        yield from ((source, path) for _, _, source, path in sorted(found))

    def _places(self, tool: str, value: Any) -> Iterator[str]:
        """The paths at which a tool's answer holds the value. A key with a dot in it is one that no path can name."""
        output = self.known[tool].output
        for path, held in paths.leaves(output):
            if held == value and not isinstance(held, bool) and held in paths.values_at(output, path):
                yield path

    def _field(self, source: str, path: str, reader: str) -> Field | None:
        if source not in self.group_of or self.branch_of[source] is self.branch_of.get(reader):
            return Field(source, path)
        return self._exported(self._alike(source, path))

    def _alike(self, source: str, path: str) -> list[tuple[str, str]]:
        """The field's counterparts, one a branch: the same value, best under the same name, in the latest answer."""
        value, leaf = paths.first_value(self.known[source].output, path), path.split(".")[-1]
        found = [(source, path)]
        for branch in self._branches(source):
            if source in branch:
                continue
            options = [
                # The tool and the path only break ties, so that the same paths always give the same graph.
                (p.split(".")[-1] != leaf, -place, tool, p)
                for place, tool in enumerate(branch)
                for p in self._places(tool, value)
            ]
            found += [(tool, p) for _, _, tool, p in sorted(options)[:1]]
        return found

    def _exported(self, sources: Sequence[tuple[str, str]]) -> Field | None:
        """The export that delivers these fields; None where a branch lacks it."""
        first, path = sources[0]
        if first not in self.group_of:
            return Field(first, path)
        branches = self._branches(first)
        # Whichever branch is taken must give it, or a reader would wait for what never comes.
        if any(sum(tool in branch for tool, _ in sources) != 1 for branch in branches):
            return None
        exports = self.exports.setdefault(self.group_of[first], {})
        wanted = dict(sources)
        for name, by_tool in exports.items():
            if by_tool == wanted:
                return Field(self.group_of[first], name)
        name = f"{path.replace('.', '_')}" + ("" if path.replace(".", "_") not in exports else f"_{len(exports)}")
        exports[name] = wanted
        return Field(self.group_of[first], name)

    def _branches(self, tool: str) -> list[list[str]]:
        id = self.group_of[tool]
        return next(node for n, node in self._numbered() if f"group_{n}" == id)

    def _input(self, name: str, value: Any) -> str:
        for known, held in self.inputs.items():
            if held == value and type(held) is type(value):
                return known
        free = name
        while free in self.inputs:
            free += "_too"
        self.inputs[free] = value
        return free
