"""Running a task's graph in its world, every branch of it, to learn what right looks like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Call, Failure
from sealegs.tasks.graph import Binding, Constant, Graph, Group, Step, Task, UserInput
from sealegs.tasks.reference import ExpectedStep, Reference
from sealegs.world.corpus import Corpus
from sealegs.world.state import World

Choice = Mapping[str, int]


class Unanswerable(ValueError):
    """A step of a task is refused, or lacks a field, in a world without faults."""


def reference(task: Task, corpus: Corpus) -> Reference:
    """Every step of the task done right.

    Raises:
        Unanswerable: a step cannot be done as bound; the message names task, step and reason.
    """
    try:
        steps: dict[str, ExpectedStep] = {}
        for choice in choices(task.graph):
            for id, expected in run_branches(task.graph, task.inputs, corpus, choice).items():
                steps.setdefault(id, expected)
        values = tuple(_read(d.source, task.graph, task.inputs, {}, steps) for d in task.deliverables)
    except Unanswerable as error:
        raise Unanswerable(f"{task.id}: {error}") from None
    return Reference(steps, values)


def choices(graph: Graph) -> Iterator[Choice]:
    """Choices of branches (by group id) that together take every branch of every group once."""
    yield {}
    # Not every combination: branches deliver the same, so what follows does not depend on which were taken before.
    for group in graph.groups:
        for index in range(1, len(group.branches)):
            yield {group.id: index}


def run_branches(
    graph: Graph, inputs: Mapping[str, Any], corpus: Corpus, choice: Choice, draw: Random | None = None
) -> dict[str, ExpectedStep]:
    """Run the chosen branches (the first one where nothing is chosen) in a fresh world.

    Args:
        graph, inputs, corpus, choice: what is run.
        draw: picks among the steps that could come next; the first of them by default.

    Returns:
        What each step was called with, answered and did, by step id, in the order of the calls.
    """
    world = World()
    waiting = [step for node in graph.nodes for step in _chosen(node, choice)]
    done: dict[str, ExpectedStep] = {}
    while waiting:
        could = [step for step in waiting if _ready(step, graph, choice, done)]
        ready = draw.choice(could) if draw is not None and could else next(iter(could), None)
        if ready is None:
            raise Unanswerable(f"steps {', '.join(step.id for step in waiting)} wait for one another")
        waiting.remove(ready)
        done[ready.id] = _run(ready, graph, inputs, corpus, choice, done, world)
    return done


def _chosen(node: Step | Group, choice: Choice) -> tuple[Step, ...]:
    return (node,) if isinstance(node, Step) else node.branches[choice.get(node.id, 0)].steps


def _source(name: str, path: str, graph: Graph, choice: Choice) -> tuple[str, str]:
    """Step id and path behind a field, which may be a group's export."""
    node = graph.by_id.get(name)
    if isinstance(node, Group):
        export = node.branches[choice.get(name, 0)].exports.get(path)
        if export is None:
            raise Unanswerable(f"group {name} exports no {path!r}")
        return export.node, export.path
    return name, path


def _ready(step: Step, graph: Graph, choice: Choice, done: Mapping[str, ExpectedStep]) -> bool:
    fields = all(_source(need.node, need.path, graph, choice)[0] in done for need in step.needs)
    order = all(all(s.id in done for s in _chosen(graph.by_id[id], choice)) for id in step.after if id in graph.by_id)
    return fields and order


def _read(
    binding: Binding, graph: Graph, inputs: Mapping[str, Any], choice: Choice, done: Mapping[str, ExpectedStep]
) -> Any:
    if isinstance(binding, UserInput):
        if binding.name not in inputs:
            raise Unanswerable(f"there is no input {binding.name!r}")
        return inputs[binding.name]
    if isinstance(binding, Constant):
        return binding.value
    step, path = _source(binding.node, binding.path, graph, choice)
    try:
        return paths.first_value(done[step].output, path)
    except KeyError:
        raise Unanswerable(f"the answer of {step} has no field {path!r}") from None


def _run(
    step: Step,
    graph: Graph,
    inputs: Mapping[str, Any],
    corpus: Corpus,
    choice: Choice,
    done: Mapping[str, ExpectedStep],
    world: World,
) -> ExpectedStep:
    tool = corpus.tools.get(step.tool)
    if tool is None:
        raise Unanswerable(f"there is no tool {step.tool!r}")
    given = {name: _read(binding, graph, inputs, choice, done) for name, binding in step.arguments.items()}
    before = len(world.effects)
    outcome = corpus.run(Call(step.tool, given, id=step.id), world)
    if isinstance(outcome, Failure):
        raise Unanswerable(
            f"{step.id} with {given} is refused: {outcome.status} {outcome.message} {outcome.body or ''}"
        )
    return ExpectedStep(
        arguments={**tool.defaults, **given},
        defaults=tool.defaults,
        free_text=tool.free_text,
        output=outcome.value,
        effects=tuple(world.effects[before:]),
    )
