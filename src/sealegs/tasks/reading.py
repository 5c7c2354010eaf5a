"""Tasks as YAML that people write.

A step names a `tool`, or a `group` (a pattern of the corpus), and binds its arguments under `with`: `user.NAME` is an
input of the request, `STEP.PATH` a field of an earlier step, a number or truth value a constant, and `{constant: X}`
any other constant. See `docs/tasks.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic import Field as Described

from sealegs.tasks.graph import Binding, Constant, Deliverable, Field, Graph, Node, Step, Task, User
from sealegs.tasks.pattern import Pattern
from sealegs.tasks.validation import InvalidTask


class StepText(BaseModel):
    """A step as written: a tool or a group, never both."""

    model_config = ConfigDict(extra="forbid")
    id: str = ""
    tool: str = ""
    group: str = ""
    with_: dict[str, Any] = Described(default_factory=dict, alias="with")
    after: list[str] = []


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


def read_tasks(path: Path, groups: Mapping[str, Pattern], domains: Mapping[str, str] | None = None) -> tuple[Task, ...]:
    """The tasks of one file.

    Args:
        path: a YAML file that holds a list of tasks.
        groups: the patterns that steps may name.
        domains: each tool's domain, for the tasks' own list of domains.

    Raises:
        InvalidTask: with every mistake of the file.
    """
    return tasks_from(path.read_text(encoding="utf-8"), groups, domains, path.name)


def tasks_from(
    text: str, groups: Mapping[str, Pattern], domains: Mapping[str, str] | None = None, source: str = "tasks"
) -> tuple[Task, ...]:
    """The tasks of a YAML text; see `read_tasks`."""
    try:
        written = TypeAdapter(list[TaskText]).validate_python(yaml.load(text, _LOADER))
    except yaml.YAMLError as error:
        raise InvalidTask([f"{source}: not YAML: {error}"]) from error
    except ValidationError as error:
        raise InvalidTask([f"{source}: {_place(item['loc'])}: {item['msg']}" for item in error.errors()]) from error
    problems: list[str] = []
    tasks = [_task(task, groups, domains or {}, problems) for task in written]
    if problems:
        raise InvalidTask([f"{source}: {problem}" for problem in problems])
    return tuple(tasks)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _place(location: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")


def _task(written: TaskText, groups: Mapping[str, Pattern], domains: Mapping[str, str], problems: list[str]) -> Task:
    ids = {step.id or step.tool for step in written.steps}
    nodes: list[Node] = []
    for step in written.steps:
        try:
            nodes.append(_node(step, groups, ids))
        except ValueError as error:
            problems.append(f"{written.id}: step {step.id or step.tool or step.group}: {error}")
    deliverables = tuple(Deliverable(d.label, _field(d.from_, ids, written.id, problems)) for d in written.deliverables)
    graph = Graph(tuple(nodes))
    named = dict.fromkeys(domains[step.tool] for step in graph.walk() if step.tool in domains)
    request = " ".join(written.request.split())
    return Task(written.id, written.level, request, written.inputs, graph, deliverables, tuple(named), written.victim)


def _node(step: StepText, groups: Mapping[str, Pattern], ids: set[str]) -> Node:
    if bool(step.tool) == bool(step.group):
        raise ValueError("names a tool or a group, one of them")
    bindings = {name: _binding(ref, ids) for name, ref in step.with_.items()}
    if step.tool:
        return Step(step.id or step.tool, step.tool, bindings, tuple(step.after))
    if step.group not in groups:
        raise ValueError(f"there is no group {step.group!r}")
    if not step.id:
        raise ValueError("a group needs an id")
    return groups[step.group].placed(step.id, bindings)


def _binding(ref: Any, ids: set[str]) -> Binding:
    if isinstance(ref, Mapping) and set(ref) == {"constant"}:
        return Constant(ref["constant"])
    if isinstance(ref, (bool, int, float)):
        return Constant(ref)
    if not isinstance(ref, str):
        raise ValueError(f"{ref!r} is no binding; write user.NAME, STEP.PATH or {{constant: ...}}")
    head, _, path = ref.partition(".")
    if head == "user" and path:
        return User(path)
    if head in ids and path:
        return Field(head, path)
    raise ValueError(f"{ref!r} names no input and no step; a constant is written {{constant: {ref}}}")


def _field(ref: str, ids: set[str], task: str, problems: list[str]) -> Field:
    head, _, path = ref.partition(".")
    if head not in ids or not path:
        problems.append(f"{task}: deliverable {ref!r} names no step")
    return Field(head, path)
