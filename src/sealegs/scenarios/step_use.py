"""Fields of a step's answer that a task uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sealegs.faults.spec import ToolSpec
from sealegs.tasks.graph import Field, Graph, Group, Step, Task
from sealegs.world.corpus import Corpus


def step_spec(task: Task, step: Step, corpus: Corpus) -> ToolSpec:
    """A step's tool with the fields of its answer that the task uses."""
    return replace(corpus.tools[step.tool].spec, used=used_fields(task.graph, step, task))


def used_fields(graph: Graph, step: Step, task: Task) -> tuple[str, ...]:
    """Fields of a step's answer that no way to the end can do without, once the step is on it.

    What steps outside groups, the step's own branch or the answer read is always used. Where only a group reads it,
    the fields that every branch of that group reads are.
    """
    names = field_paths(graph, step)
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
        # Whichever branch is chosen, it reads these; a field that only some branches read may never be looked at.
        shared |= dict.fromkeys(sorted(set.intersection(*read)))
    return tuple(shared)


def field_paths(graph: Graph, step: Step) -> Callable[[Field], str]:
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
