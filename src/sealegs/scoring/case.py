"""The facts of an episode that a judge needs besides its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sealegs.faults.spec import ToolSpec
from sealegs.tasks import Persistence, Risk, Task
from sealegs.tasks.reference import Reference
from sealegs.tasks.written_forms import ENGLISH


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
    """The facts of an episode that a judge needs.

    Attributes:
        task: the base task.
        reference: the right values.
        mode: of the faults.
        slots: the places where faults were to strike; none in a clean episode.
        risks: the risk of a fault on each action, by step; none where a failed call is known to have done nothing.
        actions: the offered actions whose effects a history tool shows, by name.
        language: of the request, one of `written_forms.LANGUAGES`; answers may be in it.
    """

    task: Task
    reference: Reference
    mode: str
    slots: tuple[Slot, ...] = ()
    risks: Mapping[str, Risk] = field(default_factory=dict)
    actions: Mapping[str, ToolSpec] = field(default_factory=dict)
    language: str = ENGLISH
