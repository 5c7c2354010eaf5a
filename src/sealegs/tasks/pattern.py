"""An alternative group before it is placed in a task.

A pattern is written once, beside the tools, with its own inputs and exports; a task puts it into its graph by
binding the inputs. So two tasks that use one group cannot differ in what its branches are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.tasks.graph import Binding, Branch, Constant, Field, Group, Step, UserInput, group_kind


@dataclass(frozen=True, slots=True)
class Way:
    """One branch of a pattern.

    Attributes:
        id: short and telling (`direct`, `by_rate`).
        calls: tool name -> argument name -> where it comes from: `in.NAME` (an input of the pattern), `TOOL.PATH` (the
            answer of an earlier call of this way), or any other value as a constant. Text that looks like a reference
            but is meant as a constant is written `Constant(text)`.
        exports: export name -> `TOOL.PATH`.
    """

    id: str
    calls: Mapping[str, Mapping[str, Any]]
    exports: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """An alternative group of the corpus.

    Attributes:
        name: unique in the corpus.
        purpose: what every way achieves, in one sentence.
        inputs: the names that a task must bind.
        exports: the names that every way delivers.
        ways: two or more.
        examples: inputs over which every way delivers equal exports and leaves an equal world.
    """

    name: str
    purpose: str
    inputs: tuple[str, ...]
    exports: tuple[str, ...]
    ways: tuple[Way, ...]
    examples: tuple[Mapping[str, Any], ...]

    @property
    def kind(self) -> str:
        """`1-to-1`, `1-to-n` or `n-to-n`."""
        return group_kind([len(way.calls) for way in self.ways])

    @property
    def lengths(self) -> tuple[int, ...]:
        """The number of calls of each way, the shortest first."""
        return tuple(sorted(len(way.calls) for way in self.ways))

    @property
    def tools(self) -> tuple[str, ...]:
        """Every tool of every way."""
        return tuple(tool for way in self.ways for tool in way.calls)

    def placed(self, id: str, bindings: Mapping[str, Binding], after: tuple[str, ...] = ()) -> Group:
        """The pattern as a group of a graph, its inputs bound. Its steps' ids are `ID.TOOL`.

        Args:
            id: the group's.
            bindings: where each input comes from.
            after: nodes that must be done before any step of the group.

        Raises:
            ValueError: an input is not bound, or a binding names no input.
        """
        unbound = sorted(set(self.inputs) - set(bindings))
        unknown = sorted(set(bindings) - set(self.inputs))
        if unbound or unknown:
            raise ValueError(
                f"group {self.name}: inputs are {', '.join(self.inputs)};"
                + (f" not bound: {', '.join(unbound)};" if unbound else "")
                + (f" unknown: {', '.join(unknown)};" if unknown else "")
            )
        branches = []
        for way in self.ways:
            steps = tuple(
                Step(
                    f"{id}.{tool}",
                    tool,
                    {name: self._bound(id, way, ref, bindings) for name, ref in arguments.items()},
                    after,
                )
                for tool, arguments in way.calls.items()
            )
            exports = {name: _field(id, ref) for name, ref in way.exports.items()}
            branches.append(Branch(way.id, steps, exports))
        return Group(id, tuple(branches), self.name)

    def bindings(self, group: Group) -> dict[str, Binding]:
        """The bindings of this pattern's inputs in a group that it was placed as."""
        found: dict[str, Binding] = {}
        for way, branch in zip(self.ways, group.branches, strict=True):
            for (_, arguments), step in zip(way.calls.items(), branch.steps, strict=True):
                for name, ref in arguments.items():
                    if isinstance(ref, str) and ref.startswith("in."):
                        found[ref.removeprefix("in.")] = step.arguments[name]
        return {name: found[name] for name in self.inputs}

    def _bound(self, id: str, way: Way, ref: Any, bindings: Mapping[str, Binding]) -> Binding:
        if isinstance(ref, (Constant, UserInput, Field)):
            return ref
        if isinstance(ref, str) and "." in ref:
            head, _, rest = ref.partition(".")
            if head == "in":
                return bindings[rest]
            # Any other text with a dot in it (an address, a file's name) is a constant.
            if head in way.calls:
                return _field(id, ref)
        return Constant(ref)


def _field(id: str, ref: str) -> Field:
    tool, _, path = ref.partition(".")
    return Field(f"{id}.{tool}", path)
