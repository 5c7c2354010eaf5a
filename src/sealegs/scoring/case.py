"""What a judge must know of an episode besides its record."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.tasks import Persistence, Task
from sealegs.tasks.reference import Reference


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the graph where a fault strikes.

    Attributes:
        node: the id of a group, whose first-touched tool is the victim, or of a fixed step.
        persistence: `transient` or `permanent`.
    """

    node: str
    persistence: Persistence


@dataclass(frozen=True, slots=True)
class Case:
    """An episode's task, what right looks like in values, and where faults were to strike (none: a clean episode)."""

    task: Task
    reference: Reference
    mode: str
    slots: tuple[Slot, ...] = ()
