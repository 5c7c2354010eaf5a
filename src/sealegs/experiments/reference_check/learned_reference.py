"""The learned reference of one task on one's own tools: its steps, the sources of values, and the answer's contents.

Plain data, each entry `declared` by the user or `inferred` from clean runs. A value's source is a step and a path in
its answer; an empty path is the whole answer, for tools that answer with text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sealegs.faults.spec import ToolSpec

Origin = Literal["declared", "inferred"]
How = Literal["copied", "contained", "worked out", "task", "constant", "free"]


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """A place in a step's answer."""

    step: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.step}.{self.path}" if self.path else self.step


@dataclass(frozen=True, slots=True)
class LearnedArgument:
    """An argument of a step.

    Attributes:
        value: what it was in the clean runs.
        how: `copied` from an answer, `contained` in a text that holds values of answers, `worked out` from two values,
            from the `task`, a `constant` of the agent's, or `free`: any value is right.
        sources: the answers that it needs.
    """

    value: Any
    how: How = "constant"
    sources: tuple[AnswerSource, ...] = ()


@dataclass(frozen=True, slots=True)
class LearnedStep:
    """A call that the task needs.

    Attributes:
        id: the tool's name; with a number where the task calls the tool several times.
        tool: the tool's name.
        arguments: by name.
        answer: what the tool returned in a clean run; None where it was never called.
        after: steps that must be done before, besides those that it takes values from.
        text: whether the tool answers with a text.
    """

    id: str
    tool: str
    arguments: Mapping[str, LearnedArgument]
    answer: Any = None
    after: tuple[str, ...] = ()
    origin: Origin = "inferred"
    text: bool = False

    @property
    def sources(self) -> Iterator[AnswerSource]:
        """Every answer that its arguments need."""
        for argument in self.arguments.values():
            yield from argument.sources


@dataclass(frozen=True, slots=True)
class LearnedAlternatives:
    """Ways to the same values.

    Attributes:
        id: names the choice.
        ways: the steps of each.
        gives: by name, where each way gives a value that others read, in the order of the ways.
    """

    id: str
    ways: tuple[tuple[str, ...], ...]
    gives: Mapping[str, tuple[AnswerSource, ...]]
    origin: Origin = "inferred"


@dataclass(frozen=True, slots=True)
class LearnedDeliverable:
    """A value that the answer must contain; `how` and `sources` as in an argument."""

    label: str
    value: Any
    sources: tuple[AnswerSource, ...]
    how: How = "copied"
    origin: Origin = "inferred"


@dataclass(frozen=True, slots=True)
class LearnedTool:
    """The known facts of a tool.

    Attributes:
        name: the tool's.
        effects: whether a call changes anything; None where nobody declared it.
        idempotent, key, shown_by: as in a `ToolSpec`.
        defaults: of its arguments.
        parameters: the names of its arguments; None where they are not known.
    """

    name: str
    effects: bool | None = None
    idempotent: bool = False
    key: str = ""
    shown_by: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    parameters: tuple[str, ...] | None = None

    @classmethod
    def of(cls, spec: ToolSpec) -> LearnedTool:
        """The facts that a spec declares."""
        fields: Mapping[str, Any] = spec.parameters.get("properties", {})
        defaults = {
            name: one["default"] for name, one in fields.items() if isinstance(one, Mapping) and "default" in one
        }
        names = tuple(fields) if spec.parameters else None
        return cls(spec.name, spec.effects, spec.idempotent, spec.key, spec.shown_by, defaults, names)

    @property
    def spec(self) -> ToolSpec:
        """The tool's spec as the seam and the judges take it."""
        return ToolSpec(
            self.name, effects=self.effects, idempotent=self.idempotent, key=self.key, shown_by=self.shown_by
        )


@dataclass(frozen=True)
class LearnedReference:
    """The right course of one task.

    Attributes:
        task: the agent's request.
        tools: by name.
        steps: by id, in the order in which they were first made.
        alternatives: the choices among them.
        deliverables: the values that the answer must contain.
        notes: conclusions that a user should know, a sentence each.
        runs: the number of clean runs that it was learned from.
    """

    task: str
    tools: Mapping[str, LearnedTool]
    steps: Mapping[str, LearnedStep]
    alternatives: tuple[LearnedAlternatives, ...] = ()
    deliverables: tuple[LearnedDeliverable, ...] = ()
    notes: tuple[str, ...] = ()
    runs: int = 0

    def acts(self, tool: str) -> bool | None:
        """Return whether a call of the tool changes anything; None where nobody declared it."""
        found = self.tools.get(tool)
        return None if found is None else found.effects
