"""Contents of a campaign: experiments, the repeated runs of each, and the runs without a fault beside them.

A run's name depends on its own content alone, so a line that moves, or a comment, changes nothing, and a changed
experiment is a different one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sealegs.faults.seeds import digest

Scalar = str | int | float | bool
CLEAN = "none"
ALWAYS = "permanent"
ANY_TOOL = ""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One combination of what a line lists.

    Attributes:
        task: the workload.
        model: as a campaign names it.
        fault: one of the kinds of fault, or `none`.
        parameters: of the fault, by name.
        schedule: when the fault strikes.
        tool: which tool; empty for all of them.
        level: where the fault strikes: at Python functions, or at MCP's messages.
        boundary: between which agents it strikes, where there are two; else empty.
        errors: whether the agent is shown a tool's failure, or its run ends at it (`raised`).
        seed: of the fault plan and the model.
        repeat: how many runs.
        line: where it is in the file.
    """

    task: str
    model: str
    fault: str = CLEAN
    parameters: tuple[tuple[str, Scalar], ...] = ()
    schedule: str = ALWAYS
    tool: str = ANY_TOOL
    level: str = "python"
    boundary: str = ""
    errors: str = "shown"
    seed: int = 0
    repeat: int = 1
    line: int = field(default=0, compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """The texts that distinguish it from every other experiment, however often each is run."""
        key = (self.task, self.model, self.fault, sorted(self.parameters), self.schedule)
        return *map(repr, (*key, self.tool, self.level, self.boundary, self.errors)), str(self.seed)

    @property
    def fault_name(self) -> str:
        """The fault with its parameters, schedule and place, as a table names it."""
        settings = ", ".join(f"{name}={value}" for name, value in self.parameters)
        parts = [f"{self.fault}({settings})" if settings else self.fault]
        if self.schedule != ALWAYS:
            parts.append(self.schedule)
        if self.tool:
            parts.append(f"at {self.tool}")
        if self.boundary:
            parts.append(self.boundary)
        if self.errors != "shown":
            parts.append(self.errors)
        return " ".join(parts)

    def __str__(self) -> str:
        known = [self.task, self.fault_name, "" if self.level == "python" else self.level, self.model]
        return " ".join(part for part in known if part)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run.

    Attributes:
        experiment: what is run.
        repetition: which of its runs, from 1.
    """

    experiment: Experiment
    repetition: int

    @property
    def id(self) -> str:
        """The run's name: 16 hexadecimal digits of what it is."""
        return f"{digest('campaign run', *self.experiment.key, self.repetition):016x}"

    @property
    def clean(self) -> bool:
        """Whether no fault is planned."""
        return self.experiment.fault == CLEAN

    def baseline(self) -> PlannedRun:
        """The run of the same prompt, model and seed without a fault."""
        one = self.experiment
        clean = Experiment(one.task, one.model, level=one.level, errors=one.errors, seed=one.seed, line=one.line)
        return PlannedRun(clean, self.repetition)

    @property
    def seed(self) -> int:
        """The repetition's own seed, the same with a fault and without."""
        return digest("campaign seed", self.experiment.seed, self.repetition) >> 33

    def as_data(self) -> dict[str, Any]:
        """The run as data, for a journal and a payload."""
        one = self.experiment
        return {
            "id": self.id,
            "task": one.task,
            "model": one.model,
            "fault": one.fault,
            "parameters": dict(one.parameters),
            "schedule": one.schedule,
            "tool": one.tool,
            "level": one.level,
            "boundary": one.boundary,
            "errors": one.errors,
            "seed": self.seed,
            "repetition": self.repetition,
        }


@dataclass(frozen=True, slots=True)
class Campaign:
    """A sound campaign file."""

    experiments: tuple[Experiment, ...]

    def planned(self) -> list[PlannedRun]:
        """The runs with a fault, in the order of the file."""
        return [PlannedRun(one, number + 1) for one in self.experiments for number in range(one.repeat)]

    def baselines(self) -> list[PlannedRun]:
        """The runs without a fault that the others are compared with, each once."""
        return list({run.id: run for run in (planned.baseline() for planned in self.planned())}.values())

    def runs(self) -> list[PlannedRun]:
        """All of them, the ones without a fault first."""
        return [*self.baselines(), *self.planned()]

    def under(self, model: str) -> Campaign:
        """The campaign with another model in place of all of its models; equal runs are merged."""
        merged: dict[Experiment, Experiment] = {}
        for one in self.experiments:
            other = replace(one, model=model)
            key = replace(other, repeat=1)
            merged[key] = max(other, merged.get(key, other), key=lambda each: each.repeat)
        return Campaign(tuple(merged.values()))
