"""The values of a right run of a task.

A reference is made by running every branch of a task in its world without faults; it is what a judge compares with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Effect


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """One step done right.

    Attributes:
        arguments: all arguments, defaults included.
        defaults: the tool's default of each argument that has one.
        free_text: arguments that are prose, compared by the facts they contain.
        output: the tool's answer.
        effects: what the call does to the world.
    """

    arguments: Mapping[str, Any]
    defaults: Mapping[str, Any]
    free_text: frozenset[str]
    output: Any
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """Every step of a task done right, by step id, and the value of each deliverable in their order."""

    steps: Mapping[str, ExpectedStep]
    deliverables: tuple[Any, ...]
