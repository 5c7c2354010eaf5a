"""Moments at which faults strike the actions of an episode, and the risks that an agent then runs.

Under the setting `before` a failed call did nothing, as in the published protocol: no history tools are offered, and a
repetition is right. Under every other an agent cannot know what was done: `draw` draws the moment for each action that
may become a victim, and `during` and `after` fix it as far as it can be had. A part is left out only by a transient
fault on an action of several effects: what was begun and cannot be completed would leave nothing right to do. An action
whose tool has no history (tasks from outside) is struck before its work, because otherwise no agent could find out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import get_args

from sealegs.faults import seeds
from sealegs.faults.call import MOMENTS, Moment
from sealegs.scenarios.task_sets import task_set
from sealegs.tasks import Risk
from sealegs.tasks.graph import Step
from sealegs.world.corpus import Corpus

DRAW = "draw"
PUBLISHED: Moment = get_args(Moment)[0]
SETTINGS = (DRAW, *MOMENTS)


def moment_of(task: str, step: str, lasting: bool, setting: str, key: tuple[object, ...], tasks: str) -> Moment | None:
    """The moment at which a fault strikes a step; None for a step without effects.

    Args:
        task: the base task.
        step: the step that is struck.
        lasting: whether the fault is permanent.
        setting: one of `SETTINGS`.
        key: of the draw.
        tasks: the folder of the task.
    """
    able = possible_moments(task, step, tasks)
    if len(able) < 2 or setting == PUBLISHED:
        return able[0] if able else None
    if lasting:
        # An action once begun could never be completed, and nothing right would be left to do.
        able = tuple(moment for moment in able if moment != "during")
    if setting in able:
        return next(moment for moment in able if moment == setting)
    return able[seeds.digest(*key, "moment") % len(able)]


@cache
def possible_moments(task: str, step: str, tasks: str) -> tuple[Moment, ...]:
    """The moments at which a step can be struck; none where it has no effects."""
    chosen = task_set(tasks)
    expected = chosen.right_run(task).steps[step]
    if not expected.effects:
        return ()
    if chosen.corpus(task).history_of(chosen.tasks[task].graph.steps[step].tool) is None:
        return (PUBLISHED,)
    return MOMENTS if len(expected.effects) > 1 else ("before", "after")


def risk_of(step: Step, moment: Moment, corpus: Corpus) -> Risk:
    """The risk of a fault on an action, for an agent that gives a key where the tool takes one."""
    spec = corpus.spec(step.tool)
    return Risk(moment, spec.idempotent or bool(spec.key))


def history_tools(tools: Mapping[str, None], corpus: Corpus) -> tuple[str, ...]:
    """The history tools that show what calls of these tools did."""
    found = (corpus.history_of(tool) for tool in tools)
    return tuple(dict.fromkeys(history.name for history in found if history is not None))
