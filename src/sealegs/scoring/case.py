"""What a judge must know of an episode besides its record."""

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
    """What a judge must know of an episode.

    Attributes:
        task: the base task.
        reference: what right looks like in values.
        mode: of the faults.
        slots: where faults were to strike; none in a clean episode.
        risks: what a fault on each action risks, by step; none where a failed call is known to have done nothing.
        actions: the offered actions of which a history tool shows what was done, by name.
        language: of the request, one of `written_forms.LANGUAGES`; answers may be in it.
    """

    task: Task
    reference: Reference
    mode: str
    slots: tuple[Slot, ...] = ()
    risks: Mapping[str, Risk] = field(default_factory=dict)
    actions: Mapping[str, ToolSpec] = field(default_factory=dict)
    language: str = ENGLISH
