"""Implicit faults that can strike a step, by the rung of the ladder on which they are detectable.

- `glance`: rules that know no tool see it in one value (`faults.rungs.glance`), or general knowledge does;
- `arithmetic`: two values of the answer, or one and an argument, contradict each other by a declared relation;
- `across`: the answer is right in itself, and contradicts what another tool answers: an earlier call, whichever
  branches were taken, or every call that is made with the false value and refused for it;
- `second_source`: it contradicts no earlier answer, and every call that is made with it is answered. Only a call that
  nothing else asks for tells: the history of an action, another branch, or the tool itself, which then says otherwise.

A step is offered a rung only where code has proven, on its right answer, that the fault is on that rung and on no
higher one. On the two lower ones the plan therefore holds the very values that were proven; of each there are several
that differ in the fields used, so that a lasting fault never says the same twice running. Calls with other arguments
than the right ones are not considered.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from sealegs.faults import seeds
from sealegs.faults.corruption import FAMILIES, VisibleRung, can_corrupt
from sealegs.faults.kinds import AnyFault
from sealegs.faults.rungs.forgery import Edit
from sealegs.faults.rungs.visible_rung import Rung
from sealegs.scenarios.lower_rungs import lower_rungs
from sealegs.scenarios.step_use import step_spec
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.tasks.editions import CANARY_FIELD

FAULT: TypeAdapter[AnyFault] = TypeAdapter(AnyFault)
TABLE = Path(__file__).parent / "shipped_tasks" / "ladder.json"  # written by `ladder_table`
UPPER: tuple[VisibleRung, ...] = ("glance", "arithmetic")
# They make the shares as equal as the tools allow: nearly every step offers `glance`, few offer `across`.
WEIGHTS: Mapping[Rung, float] = {"glance": 1, "arithmetic": 3.3, "across": 60, "second_source": 15}


@dataclass(frozen=True)
class StepLadder:
    """The implicit faults that were proven for a step.

    Attributes:
        families: the corruptions that fit on each of the two upper rungs.
        values: what is written over the answer on the lower rungs, by how it is detected, see `lower_rungs.WAYS`.
    """

    families: Mapping[Rung, tuple[str, ...]]
    values: Mapping[str, tuple[Edit, ...]]

    def offers(self, *, looks: bool = True, stops: bool = False) -> dict[Rung, str]:
        """The rungs that are offered, the highest first, each with the way in which its fault is detected.

        Args:
            looks: whether a second source is there.
            stops: whether a right stop is all that is left after the fault. Then a refusal comes too late, because
                nothing may be called with a false value.
        """
        barred = {*(() if looks else ("second_source",)), *(("refused",) if stops else ())}
        ways = {way: edits for way, edits in self.values.items() if way not in barred}
        found: dict[Rung, str] = {rung: rung for rung in UPPER if self.families.get(rung)}
        # Both ways are of one rung, and one of them is enough.
        lower = next((way for way in ("across", "refused") if ways.get(way)), None)
        found |= {"across": lower} if lower is not None else {}
        return found | ({"second_source": "second_source"} if ways.get("second_source") else {})


@dataclass(frozen=True, eq=False)
class DrawnFault:
    """A fault that may be drawn. Each is made once, so it can be a key. `rung`: None off the ladder."""

    fault: AnyFault
    rung: Rung | None = None


@cache
def step_ladder(task: str, step: str, tasks: str = SHIPPED) -> StepLadder:
    """The proven ladder of a step of a task: read where it ships, else worked out."""
    if tasks == SHIPPED:
        found = _shipped_ladders()[task].get(step)
        if found is not None:
            return found
    return proven_ladder(task, step, tasks)


def draw_fault(
    task: str, step: str, key: tuple[object, ...], tasks: str = SHIPPED, *, history: bool, stops: bool
) -> DrawnFault | None:
    """A fault on a step, on a rung that is drawn by weight among those that the step offers.

    Args:
        task, step: what is struck.
        key: of the draw.
        tasks: the folder of the task.
        history: whether the agent has history tools; without them only reads have a second source.
        stops: whether a right stop is all that is left after the fault.

    Returns:
        None where the step offers no rung.
    """
    found = step_ladder(task, step, tasks)
    looks = history or not task_set(tasks).right_run(task).steps[step].effects
    offered = found.offers(looks=looks, stops=stops)
    if not offered:
        return None
    rung = min(offered, key=lambda rung: _time_until(rung, key))
    if rung in UPPER and rung in found.families:
        return visible_fault(min(found.families[rung], key=lambda kind: seeds.digest(*key, kind)), rung)
    way = offered[rung]
    return _forged(task, step, tasks, rung, way, seeds.digest(*key, "values") % len(found.values[way]))


@cache
def visible_fault(kind: str, rung: VisibleRung | None = None) -> DrawnFault:
    """The fault of a kind, of which there are nine, on one of the two upper rungs or any."""
    return DrawnFault(FAULT.validate_python({"kind": kind, "rung": rung}), rung)


@cache
def _forged(task: str, step: str, tasks: str, rung: Rung, way: str, first: int) -> DrawnFault:
    """The fault that writes the values of a lower rung over a step's answer, this one first."""
    values = step_ladder(task, step, tasks).values[way]
    return DrawnFault(FAULT.validate_python({"kind": "forged", "values": [*values[first:], *values[:first]]}), rung)


def _time_until(rung: Rung, key: tuple[object, ...]) -> float:
    """An exponential time with the rung's weight as its rate: the first one is drawn with that share."""
    return -math.log(1 - seeds.stream(*key, "rung", rung).random()) / WEIGHTS[rung]


@cache
def _shipped_ladders() -> Mapping[str, Mapping[str, StepLadder]]:
    read: dict[str, dict[str, dict[str, Any]]] = json.loads(TABLE.read_text(encoding="utf-8"))
    read.pop(CANARY_FIELD, None)
    return {task: {step: ladder_from(data) for step, data in steps.items()} for task, steps in read.items()}


def ladder_from(data: Mapping[str, Any]) -> StepLadder:
    """A step's ladder as the table holds it: families of the upper rungs, and values by the way they are detected."""
    families: dict[Rung, tuple[str, ...]] = {rung: tuple(data[rung]) for rung in UPPER if rung in data}
    return StepLadder(families, {way: tuple(data[way]) for way in data if way not in UPPER})


def proven_ladder(task: str, step: str, tasks: str = SHIPPED) -> StepLadder:
    """The implicit faults of a step by rung, each proven on its right answer."""
    chosen = task_set(tasks)
    base, corpus = chosen.tasks[task], chosen.corpus(task)
    found, expected = base.graph.steps[step], chosen.right_run(task).steps[step]
    spec, others = step_spec(base, found, corpus), corpus.answered_examples(found.tool)
    if not spec.used:
        return StepLadder({}, {})
    # An agent may leave the defaults out, and a statement that repeats an argument is silent without it: both calls
    # must do.
    given = {name: value for name, value in expected.arguments.items() if expected.defaults.get(name) != value}
    families: dict[Rung, tuple[str, ...]] = {
        rung: tuple(
            family
            for family in FAMILIES
            if can_corrupt(family, spec, expected.arguments, expected.output, (task, step), others, rung)
            and can_corrupt(family, spec, given, expected.output, (task, step), others, rung)
        )
        for rung in UPPER
    }
    shown = not expected.effects or corpus.history_of(found.tool) is not None
    values = lower_rungs(chosen, base, found, spec)
    # To ask a second time would do an action twice, so that an action has a second source only where a history shows
    # it.
    values = {way: edits for way, edits in values.items() if shown or way != "second_source"}
    return StepLadder({rung: kinds for rung, kinds in families.items() if kinds}, values)
