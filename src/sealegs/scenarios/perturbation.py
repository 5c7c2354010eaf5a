"""Where and how the faults of an episode strike: its plan.

C1 has a fixed victim. In C2 and C3 one group is perturbed, in C4 every group; the first tool that the agent touches in
a perturbed group becomes its victim, and the rest of the group is safe from then on. An implicit fault is chosen among
the kinds that, on this very answer, can be told from it and change what later steps use. Whether an action that is
struck was done all the same is decided by its moment (`moments`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from sealegs.faults import seeds
from sealegs.faults.catalogue import explicit_responses
from sealegs.faults.kinds import AnyFault
from sealegs.faults.kinds.corruption import FAMILIES, applicable_kinds, can_corrupt
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import FirstTouch, Tool
from sealegs.scenarios.moments import DRAW, moment_of
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.scoring.case import Slot
from sealegs.tasks import Persistence
from sealegs.tasks.graph import Field, Graph, Group, Step, Task
from sealegs.tasks.reference import ExpectedStep
from sealegs.world.corpus import Corpus

FAULT: TypeAdapter[AnyFault] = TypeAdapter(AnyFault)
IMPLICIT = Path(__file__).parent / "shipped_tasks" / "implicit.json"  # written by `implicit_table`
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
    return tuple(Slot(node, PERSISTENCE[mode]) for node in _struck_nodes(task, seed))


def _struck_nodes(task: Task, seed: int) -> list[str]:
    graph = task.graph
    if task.level == "C1":
        candidates = [step.id for step in graph.walk() if used_fields(graph, step, task)]
        return [task.victim or candidates[seeds.digest(seed, task.id, "victim") % len(candidates)]]
    if task.level == "C4":
        return [group.id for group in graph.groups]
    kinds = LEVEL_GROUPS[task.level]
    candidates = [group.id for group in graph.groups if group.kind in kinds] or [node.id for node in graph.nodes]
    return [task.victim or candidates[seeds.digest(seed, task.id, "group") % len(candidates)]]


def perturbation_plan(
    task: Task, mode: str, seed: int, epoch: int = 1, tasks: str = SHIPPED, moment: str = DRAW
) -> Plan:
    """The faults of one episode of a task of this set; `moment` is one of `moments.SETTINGS`."""
    rules = [
        rule
        for slot in slots(task, mode, seed)
        for rule in _slot_rules(task, slot, mode, (seed, task.id, mode, epoch, slot.node), tasks, moment)
    ]
    return Plan(name=f"maze {task.id} {mode}", seed=seed, rules=tuple(rules))


def _slot_rules(task: Task, slot: Slot, mode: str, key: tuple[object, ...], tasks: str, moment: str) -> list[Rule]:
    steps = victims(task.graph, slot.node)
    lasting = PERSISTENCE[mode] == "permanent"
    touched = tuple(step.tool for step in steps)
    return [
        Rule(
            id=f"{slot.node}:{step.tool}",
            match=Tool(step.tool),
            when=FirstTouch(touched),
            fault=_fault(task, step, mode, key, tasks),
            persistence=PERSISTENCE[mode],
            moment=moment_of(task.id, step.id, lasting, moment, (*key, step.tool), tasks),
            at_most=1 if PERSISTENCE[mode] == "transient" else None,
            key="order",  # so that records of one seed stay what they are
        )
        for step in steps
    ]


def victims(graph: Graph, node: str) -> tuple[Step, ...]:
    """The steps that may become the victim of a slot."""
    found = graph.by_id[node]
    return tuple(s for b in found.branches for s in b.steps) if isinstance(found, Group) else (found,)


def _fault(task: Task, step: Step, mode: str, key: tuple[object, ...], tasks: str) -> AnyFault:
    if mode in ("P1", "P2"):
        responses = explicit_responses("P1" if mode == "P1" else "P2")
        return responses[seeds.digest(*key) % len(responses)]
    drawn = sorted(FAMILIES, key=lambda family: seeds.digest(*key, step.tool, family))
    kind = next((family for family in drawn if _fits(task.id, step.id, family, tasks)), None)
    if kind is None:
        raise ValueError(_nothing_fits(task.id, step, step_spec(task, step, task_set(tasks).corpus(task.id))))
    return FAULT.validate_python({"kind": kind})


@cache
def _shipped_kinds() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """`implicit_kinds` of the shipped tasks, by task and step; computing them took most of the time of a run."""
    found: dict[str, dict[str, list[str]]] = json.loads(IMPLICIT.read_text(encoding="utf-8"))
    return found


@cache
def _fits(task: str, step: str, family: str, tasks: str) -> bool:
    """Whether one implicit corruption fits a step's right answer; the first in a drawn order is enough for a plan."""
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


def step_spec(task: Task, step: Step, corpus: Corpus) -> ToolSpec:
    """A step's tool with the fields of its answer that the task uses."""
    return replace(corpus.tools[step.tool].spec, used=used_fields(task.graph, step, task))


def used_fields(graph: Graph, step: Step, task: Task) -> tuple[str, ...]:
    """Fields of a step's answer that no way to the end can do without, once the step is on it.

    What steps outside groups, the step's own branch or the answer read is always used. Where only a group reads it,
    the fields that every branch of that group reads are.
    """
    names = _names_of(graph, step)
    own = graph.home.get(step.id)
    always: dict[str, None] = {}
    for reader in graph.walk():
        home = graph.home.get(reader.id)
        if home is None or (own is not None and home[1] is own[1]):
            always |= dict.fromkeys(path for need in reader.needs if (path := names(need)))
    for deliverable in task.deliverables:
        if path := names(deliverable.source):
            always[path] = None
    if always:
        return tuple(always)
    shared: dict[str, None] = {}
    for group in graph.groups:
        read = [{p for s in branch.steps for n in s.needs if (p := names(n))} for branch in group.branches]
        shared |= dict.fromkeys(sorted(set.intersection(*read)))
    return tuple(shared)


def _names_of(graph: Graph, step: Step) -> Callable[[Field], str]:
    """A function that gives the path in the step's answer that a field names, directly or as an export."""

    def path_of(field: Field) -> str:
        if field.node == step.id:
            return field.path
        node = graph.by_id.get(field.node)
        if isinstance(node, Group):
            for branch in node.branches:
                export = branch.exports.get(field.path)
                if export is not None and export.node == step.id:
                    return export.path
        return ""

    return path_of
