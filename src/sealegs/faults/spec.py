"""What is known of a tool besides its code: schemas, tags, invariants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sealegs.faults.invariants import Invariant, Present, Violation, violations


@dataclass(frozen=True)
class ToolSpec:
    """A tool as faults, agents and judges see it.

    Attributes:
        name: the tool's name.
        description: what a model reads.
        parameters: JSON Schema of the arguments (an object schema).
        returns: JSON Schema of the answer, where it is known.
        tags: labels for matching (`travel`, `action`, ...).
        invariants: what holds on every right answer.
        effects: whether a call changes the world.
        idempotent: whether the same call made twice changes it no further than made once.
        examples: documented arguments; also where an answer about another entity is taken from.
        used: paths in the answer that later steps use; a corruption must change one of them.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    returns: Mapping[str, Any] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    invariants: tuple[Invariant, ...] = ()
    effects: bool = False
    idempotent: bool = False
    examples: tuple[Mapping[str, Any], ...] = ()
    used: tuple[str, ...] = ()

    @cached_property
    def present(self) -> Present | None:
        """The answer's schema as an invariant; None where it is not known."""
        return Present(self.returns) if self.returns else None

    def violations(self, arguments: Mapping[str, Any], output: Any) -> tuple[Violation, ...]:
        """Everything that is wrong with an answer as far as the call and the answer alone can tell."""
        return violations(self.invariants, self.present, arguments, output)
