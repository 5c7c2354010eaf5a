"""Checks that a made task must pass, in order, each with a name under which its rejections are counted.

Not covered: whether the request reads well; whether two requests say the same in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sealegs.scenarios.perturbation import fitting_kinds, victims
from sealegs.scenarios.step_use import step_spec, used_fields
from sealegs.scoring.task_progress import node_of
from sealegs.tasks import Reference, Task
from sealegs.tasks.levels import kind_problems, level_problems
from sealegs.tasks.value_matching import contains_value
from sealegs.world.corpus import Corpus
from sealegs.world.corpus_check import task_problems
from sealegs.world.reference_runs import Unanswerable, reference

FEWEST_KINDS = 2  # implicit corruptions that must fit each possible victim
MOST_CALLS = 18  # of any path: a run has 25 steps


@dataclass(frozen=True)
class CheckedTask:
    """A task under check, and what right looks like in it, where it can be answered at all."""

    task: Task
    corpus: Corpus
    right: Reference | None


Check = Callable[[CheckedTask], Iterator[str]]


def rejection(task: Task, corpus: Corpus, *, small: bool = False) -> tuple[str, str] | None:
    """The name of the first check that a task fails, and its reason; None where it passes all.

    `small`: a task of a small domain, which need not have its level's size.
    """
    right: Reference | None = None
    for name, check in (CHECKS | {"structure": _kinds} if small else CHECKS).items():
        if name == "world":
            try:
                right = reference(task, corpus)
            except Unanswerable as error:
                return name, str(error)
        for reason in check(CheckedTask(task, corpus, right)):
            return name, reason
    return None


def _structure(found: CheckedTask) -> Iterator[str]:
    yield from level_problems(found.task)


def _kinds(found: CheckedTask) -> Iterator[str]:
    yield from kind_problems(found.task)


def _length(found: CheckedTask) -> Iterator[str]:
    graph = found.task.graph
    longest = len(graph.nodes) + sum(max(len(b.steps) for b in group.branches) - 1 for group in graph.groups)
    if longest > MOST_CALLS:
        yield f"its longest path is {longest} calls; {MOST_CALLS} at most"


def _hidden_way(found: CheckedTask) -> Iterator[str]:
    """Find both ways of a group among tools offered for other ends: one would be right, and count as wrong.

    Where both lie in one node, the judge takes a mixture of its branches for what it delivers.
    """
    graph = found.task.graph
    home = {step.tool: node_of(step, graph) for step in graph.walk()}
    for pattern in found.corpus.groups.values():
        open_ways = [way for way in pattern.ways if set(way.calls) <= home.keys()]
        nodes = {home[tool] for way in open_ways for tool in way.calls}
        if len(open_ways) > 1 and len(nodes) > 1:
            ways = " and ".join(way.id for way in open_ways)
            yield f"the ways {ways} of {pattern.name} are both open, and only one is taken as right"


def _world(found: CheckedTask) -> Iterator[str]:
    yield from task_problems(found.task, found.corpus)


def _answer(found: CheckedTask) -> Iterator[str]:
    assert found.right is not None
    for deliverable, value in zip(found.task.deliverables, found.right.deliverables, strict=True):
        if contains_value(found.task.request, value):
            yield f"the request already says {deliverable.label} ({value})"
        if isinstance(value, (list, dict)):
            yield f"{deliverable.label} is not a single value"


def _corruption(found: CheckedTask) -> Iterator[str]:
    assert found.right is not None
    task, corpus = found.task, found.corpus
    nodes = [group.id for group in task.graph.groups]
    candidates = [step for node in nodes for step in victims(task.graph, node)] or list(task.graph.walk())
    for step in candidates:
        spec = step_spec(task, step, corpus)
        if not nodes and not used_fields(task.graph, step, task):
            continue  # such a step is never made a victim
        try:
            others = corpus.answered_examples(step.tool)
            kinds = fitting_kinds(task.id, step, spec, found.right.steps[step.id], others)
        except ValueError as error:
            yield str(error)
            continue
        if len(kinds) < FEWEST_KINDS:
            yield f"only {', '.join(kinds)} can corrupt {step.tool}; {FEWEST_KINDS} kinds are wanted"


def answer_and_corruption(found: CheckedTask) -> Iterator[str]:
    """The problems of the values that a task asks for, and of those in it that may be corrupted."""
    yield from _answer(found)
    yield from _corruption(found)


CHECKS: dict[str, Check] = {
    "structure": _structure,
    "length": _length,
    "hidden way": _hidden_way,
    "world": _world,
    "answer": _answer,
    "corruption": _corruption,
}
