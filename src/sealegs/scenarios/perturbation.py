"""Plans of episodes: the places and the forms of their faults.

C1 has a fixed victim. In C2 and C3 one group is perturbed, in C4 every group; the first tool that the agent touches in
a perturbed group becomes its victim, and the rest of the group is safe from then on. An implicit fault is chosen among
the kinds that can be detected in this very answer and change a value that later steps use; under `LADDER`, the rung of
the ladder on which it is detectable is drawn first (`ladder`). Whether an action that is struck was done all the same
is decided by its moment (`moments`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from sealegs.faults import seeds
from sealegs.faults.call import Moment
from sealegs.faults.catalogue import explicit_responses
from sealegs.faults.corruption import FAMILIES, applicable_kinds, can_corrupt
from sealegs.faults.plan import Plan, Rule, canonical_rule
from sealegs.faults.rungs.visible_rung import Rung
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import FirstTouch, Tool
from sealegs.scenarios.ladder import DrawnFault, draw_fault, visible_fault
from sealegs.scenarios.moments import DRAW, PUBLISHED, moment_of
from sealegs.scenarios.step_use import step_spec, used_fields
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.scoring.case import Slot
from sealegs.tasks import Persistence
from sealegs.tasks.editions import CANARY_FIELD
from sealegs.tasks.graph import Graph, Group, Step, Task
from sealegs.tasks.reference import ExpectedStep

IMPLICIT = Path(__file__).parent / "shipped_tasks" / "implicit.json"  # written by `implicit_table`
LADDER = "ladder"
PUBLISHED_FAMILIES = "published"
IMPLICIT_SETTINGS = (LADDER, PUBLISHED_FAMILIES)
MOST_SEEDS = 64  # of which a task keeps where its faults strike
MOST_RULES = 8192  # kept, of some 1.7 kB each: those of all shipped tasks over one epoch, of 80 over six
LEVEL_GROUPS = {"C2": ("1-to-1", "1-to-n"), "C3": ("n-to-n",)}
PERSISTENCE: dict[str, Persistence] = {
    "P1": "transient",
    "P2": "permanent",
    "P3": "transient",
    "P4": "permanent",
}


def slots(task: Task, mode: str, seed: int) -> tuple[Slot, ...]:
    """The places in the task's graph where faults strike; the same in every mode but NP, where there are none."""
    if mode == "NP":
        return ()
    # Kept with the task, since each of its episodes asks for those of one seed.
    kept: dict[str, tuple[str, ...]] = vars(task).setdefault("faulted_nodes", {})
    nodes = kept.get(str(seed))
    if nodes is None:
        if len(kept) >= MOST_SEEDS:
            kept.clear()
        nodes = kept[str(seed)] = tuple(_faulted_nodes(task, seed))
    return tuple(Slot(node, PERSISTENCE[mode]) for node in nodes)


def _faulted_nodes(task: Task, seed: int) -> list[str]:
    graph = task.graph
    if task.level == "C1":
        candidates = [step.id for step in graph.walk() if used_fields(graph, step, task)]
        return [task.victim or candidates[seeds.digest(seed, task.id, "victim") % len(candidates)]]
    if task.level == "C4":
        return [group.id for group in graph.groups]
    kinds = LEVEL_GROUPS[task.level]
    candidates = [group.id for group in graph.groups if group.kind in kinds] or [node.id for node in graph.nodes]
    return [task.victim or candidates[seeds.digest(seed, task.id, "group") % len(candidates)]]


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """The source of tasks, and two settings of their faults.

    Attributes:
        tasks: the folder of the tasks; empty for those that ship.
        moment: when faults strike actions, one of `moments.SETTINGS`.
        implicit: which implicit faults there are, one of `IMPLICIT_SETTINGS`.
    """

    tasks: str = SHIPPED
    moment: str = DRAW
    implicit: str = LADDER


class DrawnPlan(NamedTuple):
    """The faults of an episode.

    Attributes:
        plan: the faults.
        rungs: of those that are on the ladder, by their rules' ids.
        digest: of the plan.
    """

    plan: Plan
    rungs: Mapping[str, Rung]
    digest: str


def draw_plan(task: Task, mode: str, seed: int, epoch: int = 1, settings: PlanSettings = PlanSettings()) -> DrawnPlan:
    """The faults of one episode of a task."""
    drawn = [
        found
        for slot in slots(task, mode, seed)
        for found in _slot_rules(task, slot, mode, (seed, task.id, mode, epoch, slot.node), settings)
    ]
    plan = Plan(name=f"maze {task.id} {mode}", seed=seed, rules=tuple(found.rule for found, _ in drawn))
    digest = plan.digest_of([found.text for found, _ in drawn])
    return DrawnPlan(plan, {found.rule.id: rung for found, rung in drawn if rung}, digest)


@dataclass(frozen=True, eq=False, slots=True)
class _Victim:
    """A step that may become the victim of a slot, and what its rules have in common."""

    step: Step
    id: str
    match: Tool
    when: FirstTouch


def _slot_rules(
    task: Task, slot: Slot, mode: str, key: tuple[object, ...], settings: PlanSettings
) -> Iterator[tuple[_DrawnRule, Rung | None]]:
    persistence = PERSISTENCE[mode]
    for victim in _possible_victims(task, slot.node):
        step = victim.step
        drawn = _fault(task, step, mode, key, settings)
        lasting = persistence == "permanent"
        moment = moment_of(task.id, step.id, lasting, settings.moment, (*key, step.tool), settings.tasks)
        yield _rule(victim, drawn, persistence, moment), drawn.rung


def _possible_victims(task: Task, node: str) -> tuple[_Victim, ...]:
    """The possible victims of a slot, kept with the task."""
    kept: dict[str, tuple[_Victim, ...]] = vars(task).setdefault("possible_victims", {})
    found = kept.get(node)
    if found is None:
        steps = victims(task.graph, node)
        # Every step of a group has a rule, and one of them becomes the victim.
        when = FirstTouch(tuple(step.tool for step in steps))
        found = kept[node] = tuple(_Victim(step, f"{node}:{step.tool}", Tool(step.tool), when) for step in steps)
    return found


class _DrawnRule(NamedTuple):
    """A rule, and its canonical JSON."""

    rule: Rule
    text: str


# The same few faults are drawn for a step in epoch after epoch, and to make a rule costs more than to draw its fault.
@lru_cache(maxsize=MOST_RULES)
def _rule(victim: _Victim, drawn: DrawnFault, persistence: Persistence, moment: Moment | None) -> _DrawnRule:
    rule = Rule(
        id=victim.id,
        match=victim.match,
        when=victim.when,
        fault=drawn.fault,
        persistence=persistence,
        moment=moment,
        at_most=1 if persistence == "transient" else None,
        key="order",  # so that records of one seed stay what they are
    )
    return _DrawnRule(rule, canonical_rule(rule, rule.model_dump(mode="json", by_alias=True, exclude_defaults=True)))


def victims(graph: Graph, node: str) -> tuple[Step, ...]:
    """The steps that may become the victim of a slot."""
    found = graph.by_id[node]
    return tuple(s for b in found.branches for s in b.steps) if isinstance(found, Group) else (found,)


def _fault(task: Task, step: Step, mode: str, key: tuple[object, ...], settings: PlanSettings) -> DrawnFault:
    """A step's fault."""
    if mode in ("P1", "P2"):
        responses = _responses(mode)
        return responses[seeds.digest(*key) % len(responses)]
    tasks = settings.tasks
    if settings.implicit == LADDER:
        stops = task.level == "C1" and PERSISTENCE[mode] == "permanent"
        history = settings.moment != PUBLISHED
        on_ladder = draw_fault(task.id, step.id, (*key, step.tool), tasks, history=history, stops=stops)
        if on_ladder is not None:
            return on_ladder
    drawn = sorted(FAMILIES, key=lambda family: seeds.digest(*key, step.tool, family))
    kind = next((family for family in drawn if _fits(task.id, step.id, family, tasks)), None)
    if kind is None:
        raise ValueError(_nothing_fits(task.id, step, step_spec(task, step, task_set(tasks).corpus(task.id))))
    return visible_fault(kind)


@cache
def _responses(mode: Literal["P1", "P2"]) -> tuple[DrawnFault, ...]:
    """The explicit faults of a mode."""
    return tuple(DrawnFault(fault) for fault in explicit_responses(mode))


@cache
def _shipped_kinds() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """`implicit_kinds` of the shipped tasks, by task and step; computing them took most of the time of a run."""
    found: dict[str, dict[str, list[str]]] = json.loads(IMPLICIT.read_text(encoding="utf-8"))
    found.pop(CANARY_FIELD, None)
    return found


@cache
def _fits(task: str, step: str, family: str, tasks: str) -> bool:
    """Return whether an implicit corruption fits a right answer; for a plan the first in drawn order is enough."""
    if tasks == SHIPPED:
        return family in _shipped_kinds()[task].get(step, ())
    chosen = task_set(tasks)
    base, corpus = chosen.tasks[task], chosen.corpus(task)
    found, expected = base.graph.steps[step], chosen.right_run(task).steps[step]
    spec, others = step_spec(base, found, corpus), corpus.answered_examples(found.tool)
    return bool(spec.used) and can_corrupt(family, spec, expected.arguments, expected.output, (task, step), others)


@cache
def implicit_kinds(task: str, step: str, tasks: str = SHIPPED) -> tuple[str, ...]:
    """The implicit corruptions that fit a step's right answer.

    Raises:
        ValueError: there is none, or nothing of the answer is used.
    """
    chosen = task_set(tasks)
    base, corpus = chosen.tasks[task], chosen.corpus(task)
    found = base.graph.steps[step]
    spec = step_spec(base, found, corpus)
    return fitting_kinds(task, found, spec, chosen.right_run(task).steps[step], corpus.answered_examples(found.tool))


def fitting_kinds(
    task: str, found: Step, spec: ToolSpec, expected: ExpectedStep, others: tuple[object, ...]
) -> tuple[str, ...]:
    """The implicit corruptions that fit a step's right answer, given the tool's answers to its examples.

    Raises:
        ValueError: there is none, or nothing of the answer is used.
    """
    kinds = applicable_kinds(spec, expected.arguments, expected.output, (task, found.id), others) if spec.used else ()
    if not kinds:
        raise ValueError(_nothing_fits(task, found, spec))
    return kinds


def _nothing_fits(task: str, step: Step, spec: ToolSpec) -> str:
    if not spec.used:
        return f"{task}: no field of {step.id} is used whatever way is taken; it cannot be a victim"
    return f"{task}: no implicit corruption fits step {step.id}; give its tool invariants on {spec.used}"
