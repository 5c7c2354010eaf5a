"""Tasks as YAML that people write.

A step names a `tool`, or a `group` (a pattern of the corpus), and binds its arguments under `with`; a group that is not
a pattern lists its `branches`, each with `steps` and `exports`: `user.NAME` is an input of the request, `STEP.PATH` a
field of an earlier step, a number or truth value a constant, and `{constant: X}` any other constant. See
`docs/tasks.md`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic import Field as Described

from sealegs.faults.text_files import utf8_text
from sealegs.tasks.graph import Binding, Branch, Constant, Deliverable, Field, Graph, Group, Node, Step, Task, UserInput
from sealegs.tasks.pattern import Pattern
from sealegs.tasks.validation import InvalidTask


class StepText(BaseModel):
    """A step as written: a tool, a group by its pattern's name, or a group with branches of its own."""

    model_config = ConfigDict(extra="forbid")
    id: str = ""
    tool: str = ""
    group: str = ""
    with_: dict[str, Any] = Described(default_factory=dict, alias="with")
    after: list[str] = []
    branches: list[BranchText] = []


class BranchText(BaseModel):
    """One branch of a group that is not a pattern; `exports` maps names to `STEP.PATH` of its own steps."""

    model_config = ConfigDict(extra="forbid")
    id: str
    steps: list[StepText]
    exports: dict[str, str] = {}


class DeliverableText(BaseModel):
    """A deliverable as written."""

    model_config = ConfigDict(extra="forbid")
    label: str
    from_: str = Described(alias="from")


class TaskText(BaseModel):
    """A task as written."""

    model_config = ConfigDict(extra="forbid")
    id: str
    level: str
    request: str
    inputs: dict[str, Any]
    steps: list[StepText]
    deliverables: list[DeliverableText]
    victim: str = ""
    canary: str = ""  # of a file that is in nobody's training corpus


def read_tasks(path: Path, groups: Mapping[str, Pattern], domains: Mapping[str, str] | None = None) -> tuple[Task, ...]:
    """The tasks of one file.

    Args:
        path: a YAML file that holds a list of tasks, or a `.jsonl` file with one task a line.
        groups: the patterns that steps may name.
        domains: each tool's domain, for the tasks' own list of domains.

    Raises:
        InvalidTask: with every mistake of the file.
    """
    text = utf8_text(path)
    if path.suffix != ".jsonl":
        return tasks_from(text, groups, domains, path.name)
    items: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            items.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise InvalidTask([f"{path.name}:{number}: not JSON: {error}"]) from error
    return tasks_of(items, groups, domains, path.name)


def tasks_from(
    text: str, groups: Mapping[str, Pattern], domains: Mapping[str, str] | None = None, source: str = "tasks"
) -> tuple[Task, ...]:
    """The tasks of a YAML text; see `read_tasks`."""
    try:
        data = yaml.load(text, _LOADER)
    except yaml.YAMLError as error:
        raise InvalidTask([f"{source}: not YAML: {error}"]) from error
    return tasks_of(data, groups, domains, source)


def tasks_of(
    data: Any, groups: Mapping[str, Pattern], domains: Mapping[str, str] | None = None, source: str = "tasks"
) -> tuple[Task, ...]:
    """The tasks of a list of plain data; see `read_tasks`."""
    try:
        written = _TEXTS.validate_python(data)
    except ValidationError as error:
        raise InvalidTask([f"{source}: {_place(item['loc'])}: {item['msg']}" for item in error.errors()]) from error
    problems: list[str] = []
    tasks = [_task(task, groups, domains or {}, problems) for task in written]
    if problems:
        raise InvalidTask([f"{source}: {problem}" for problem in problems])
    return tuple(tasks)


_TEXTS: TypeAdapter[list[TaskText]] = TypeAdapter(list[TaskText])
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _place(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")


def _task(written: TaskText, groups: Mapping[str, Pattern], domains: Mapping[str, str], problems: list[str]) -> Task:
    ids = {_id(step) for step in written.steps}
    nodes: list[Node] = []
    for step in written.steps:
        try:
            nodes.append(_node(step, groups, ids))
        except ValueError as error:
            problems.append(f"{written.id}: step {_id(step) or step.group}: {error}")
    deliverables = tuple(Deliverable(d.label, _field(d.from_, ids, written.id, problems)) for d in written.deliverables)
    graph = Graph(tuple(nodes))
    # A dict as an ordered set: the domains in the order in which the task uses them.
    named = dict.fromkeys(domains[step.tool] for step in graph.walk() if step.tool in domains)
    request = " ".join(written.request.split())
    return Task(written.id, written.level, request, written.inputs, graph, deliverables, tuple(named), written.victim)


def _id(step: StepText) -> str:
    return step.id or step.tool


def _node(step: StepText, groups: Mapping[str, Pattern], ids: set[str]) -> Node:
    if [bool(step.tool), bool(step.group), bool(step.branches)].count(True) != 1:
        raise ValueError("names a tool or a group, or lists branches: one of them")
    if step.branches:
        return _own_group(step, groups, ids)
    bindings = {name: _binding(ref, ids) for name, ref in step.with_.items()}
    if step.tool:
        return Step(step.id or step.tool, step.tool, bindings, tuple(step.after))
    if step.group not in groups:
        raise ValueError(f"there is no group {step.group!r}")
    if not step.id:
        raise ValueError("a group needs an id")
    return groups[step.group].placed(step.id, bindings, tuple(step.after))


def _own_group(step: StepText, groups: Mapping[str, Pattern], ids: set[str]) -> Group:
    if not step.id or step.with_:
        raise ValueError("a group with branches needs an id, and its steps have the bindings")
    branches = []
    for branch in step.branches:
        # Its own steps and those outside the group: of another branch nothing can be read, as only one is chosen.
        known = ids | {_id(own) for own in branch.steps}
        steps = [_node(own, groups, known) for own in branch.steps]
        nested = [own.id for own in steps if not isinstance(own, Step)]
        if nested:
            raise ValueError(f"a branch holds steps alone; {', '.join(nested)} is a group")
        exports = {name: _binding(ref, known) for name, ref in branch.exports.items()}
        fields = {name: field for name, field in exports.items() if isinstance(field, Field)}
        if len(fields) < len(exports):
            raise ValueError(f"an export of branch {branch.id} is not a STEP.PATH")
        branches.append(Branch(branch.id, tuple(s for s in steps if isinstance(s, Step)), fields))
    return Group(step.id, tuple(branches))


def _binding(ref: Any, ids: set[str]) -> Binding:
    if isinstance(ref, Mapping) and set(ref) == {"constant"}:
        return Constant(ref["constant"])
    if isinstance(ref, (bool, int, float)):
        return Constant(ref)
    # Text is never a constant by itself: a misspelt reference would become one.
    if not isinstance(ref, str):
        raise ValueError(f"{ref!r} is not a binding; write user.NAME, STEP.PATH or {{constant: ...}}")
    head, path = _split(ref, ids)
    if head == "user" and path:
        return UserInput(path)
    if head in ids and path:
        return Field(head, path)
    raise ValueError(f"{ref!r} names no input and no step; a constant is written {{constant: {ref}}}")


def _split(ref: str, ids: set[str]) -> tuple[str, str]:
    """Step and path of a reference; a step of a group has a dot in its id, so the longest id that fits is meant."""
    parts = ref.split(".")
    for end in range(len(parts) - 1, 1, -1):
        if ".".join(parts[:end]) in ids:
            return ".".join(parts[:end]), ".".join(parts[end:])
    return parts[0], ".".join(parts[1:])


def task_data(task: Task, groups: Mapping[str, Pattern]) -> dict[str, Any]:
    """A task as plain data that `tasks_of` reads back as the same task."""
    data: dict[str, Any] = {
        "id": task.id,
        "level": task.level,
        "request": task.request,
        "inputs": dict(task.inputs),
        "steps": [_node_data(node, groups) for node in task.graph.nodes],
        "deliverables": [{"label": d.label, "from": f"{d.source.node}.{d.source.path}"} for d in task.deliverables],
    }
    return {**data, **({"victim": task.victim} if task.victim else {})}


def _node_data(node: Node, groups: Mapping[str, Pattern]) -> dict[str, Any]:
    if isinstance(node, Step):
        bound = {name: _reference(binding) for name, binding in node.arguments.items()}
        return {"id": node.id, "tool": node.tool, "with": bound, **({"after": list(node.after)} if node.after else {})}
    pattern = groups.get(node.pattern)
    if pattern is not None:
        bindings = pattern.bindings(node)
        found = {"id": node.id, "group": pattern.name, "with": {name: _reference(b) for name, b in bindings.items()}}
        # `Pattern.placed` gave all its steps the same.
        after = node.branches[0].steps[0].after
        return {**found, **({"after": list(after)} if after else {})}
    return {
        "id": node.id,
        "branches": [
            {
                "id": branch.id,
                "steps": [_node_data(step, groups) for step in branch.steps],
                "exports": {name: f"{field.node}.{field.path}" for name, field in branch.exports.items()},
            }
            for branch in node.branches
        ],
    }


def _reference(binding: Binding) -> Any:
    if isinstance(binding, UserInput):
        return f"user.{binding.name}"
    if isinstance(binding, Field):
        return f"{binding.node}.{binding.path}"
    return {"constant": binding.value}


def _field(ref: str, ids: set[str], task: str, problems: list[str]) -> Field:
    head, path = _split(ref, ids)
    if head not in ids or not path:
        problems.append(f"{task}: deliverable {ref!r} names no step")
    return Field(head, path)
