"""The episodes of a run, and everything that one of them needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sealegs.agents import Briefing
from sealegs.faults import seeds
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.scoring import Case
from sealegs.suites.maze import LEVELS, MODES
from sealegs.suites.maze.base_tasks import base_tasks, corpus, right_run
from sealegs.suites.maze.perturbation import plan_for, slots, spec_in
from sealegs.tasks import Task

SUITE = "maze"
VERSION = "1-A"
DISTRACTORS = 6
TOOL_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Episode:
    """One task under one mode. `seed` decides victims and faults, `epoch` counts repetitions from 1."""

    task: str
    mode: str
    epoch: int = 1
    seed: int = 0

    @property
    def id(self) -> str:
        """The episode's name, unique in a run."""
        return f"{self.task}/{self.mode}/{self.epoch}"

    @property
    def base(self) -> Task:
        """The base task."""
        return base_tasks()[self.task]

    @property
    def plan(self) -> Plan:
        """The faults."""
        return plan_for(self.base, self.mode, self.seed, self.epoch)

    @property
    def case(self) -> Case:
        """What a judge must know."""
        return Case(self.base, right_run(self.task), self.mode, slots(self.base, self.mode, self.seed))

    @property
    def briefing(self) -> Briefing:
        """What a scripted agent may know."""
        places = {slot.node: slot.persistence for slot in slots(self.base, self.mode, self.seed)}
        return Briefing(self.base, {spec.name: spec for spec in self.specs}, places)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the agent is offered."""
        return offered(self.task, self.seed)

    def about(self, who: Mapping[str, Any]) -> dict[str, Any]:
        """What a record notes of the episode when it begins."""
        facts = {"suite": SUITE, "version": VERSION, "task": self.task, "level": self.base.level, "mode": self.mode}
        return {**facts, "epoch": self.epoch, "seed": self.seed, "plan": self.plan.digest(), **who}


@cache
def offered(task: str, seed: int) -> tuple[ToolSpec, ...]:
    """The tools of a task and a few that do not help, in a fixed shuffle."""
    base = base_tasks()[task]
    needed = [spec_in(base, step) for step in base.graph.walk()]
    others = [corpus().tools[name].spec for name in distractors(base, seed)]
    return tuple(sorted([*needed, *others], key=lambda spec: seeds.digest(seed, task, spec.name)))


def distractors(task: Task, seed: int, count: int = DISTRACTORS) -> tuple[str, ...]:
    """Tools of the task's domains that stand in no group with a tool of the task, so that none is a hidden way."""
    used = {step.tool for step in task.graph.walk()}
    kin = used | {tool for group in corpus().groups.values() if used & set(group.tools) for tool in group.tools}
    free = [t.name for t in corpus().tools.values() if t.domain in task.domains and t.name not in kin]
    return tuple(sorted(free, key=lambda name: seeds.digest(seed, task.id, "distractor", name))[:count])


def episodes(
    levels: Sequence[str] = LEVELS,
    modes: Sequence[str] = MODES,
    *,
    limit: int | None = None,
    epochs: int = 1,
    seed: int = 0,
) -> list[Episode]:
    """The episodes of a run.

    Args:
        levels: some of C1 to C4.
        modes: some of NP and P1 to P4.
        limit: at most this many base tasks of each level.
        epochs: how many times each is run; each time with faults of its own.
        seed: decides victims and faults.
    """
    chosen = [
        task.id for level in levels for task in [task for task in base_tasks().values() if task.level == level][:limit]
    ]
    return [Episode(t, mode, epoch, seed) for epoch in range(1, epochs + 1) for t in chosen for mode in modes]
