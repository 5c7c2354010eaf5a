"""A graph as an architect proposes it, with typed bindings, and what code can say against it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sealegs.generate.rules.vocabulary import accepts, parameters
from sealegs.generate.staged.model_queries import BadAnswer, json_in
from sealegs.tasks import Task, validate_graph
from sealegs.tasks.graph import Constant, Group, Step, UserInput
from sealegs.tasks.graph import Field as GraphField
from sealegs.tasks.levels import level_problems
from sealegs.tasks.validation import InvalidTask
from sealegs.tasks.yaml_tasks import tasks_of
from sealegs.world.corpus import Corpus

KINDS = {  # words of our validation -> the name that a bad answer is counted under
    "cycle": "cyclic graph",
    "names no input": "wrong binding",
    "there is no group": "unknown group",
    "inputs are": "missing argument",
}


class StrictModel(BaseModel):
    """Base of what an architect writes: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Source(StrictModel):
    """The source of an argument: a value of the user's, a field of an earlier step, or a constant; one of them."""

    user: str | None = None
    step: str | None = None
    field: str | None = None
    constant: Any = None


class ProposedStep(StrictModel):
    """A step: a tool or an alternative group, and where its arguments come from."""

    id: str
    tool: str = ""
    group: str = ""
    arguments: dict[str, Source] = {}


class ProposedDeliverable(StrictModel):
    """Something that the user wants to know."""

    label: str
    step: str
    field: str


class Proposal(StrictModel):
    """A graph and the user's values."""

    inputs: dict[str, Any]
    steps: list[ProposedStep] = Field(min_length=1)
    deliverables: list[ProposedDeliverable] = Field(min_length=1)


def read_proposal(text: str, level: str, offered: Sequence[str], corpus: Corpus, domains: Mapping[str, str]) -> Task:
    """A task without words from an architect's answer.

    Raises:
        BadAnswer: it is not JSON, not a graph, not of the level, or uses tools that were not offered.
    """
    try:
        found = Proposal.model_validate(json_in(text))
    except ValidationError as error:
        first = error.errors()[0]
        raise BadAnswer("wrong form", f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from error
    strangers = sorted({step.tool or step.group for step in found.steps} - set(offered))
    if strangers:
        raise BadAnswer("unknown tool", f"{', '.join(strangers)} was not offered.")
    try:
        task = tasks_of([_data(found, level)], corpus.groups, domains)[0]
    except InvalidTask as error:
        raise BadAnswer(_kind(str(error)), str(error)) from error
    # In this order, one sort at a time: types mean nothing in a graph that is not valid, and a level nothing without
    # types.
    problems = validate_graph(task.graph) or list(type_problems(task, corpus)) or level_problems(task)
    if problems:
        raise BadAnswer(_kind(problems[0]), " ".join(problems[:5]))
    return task


def _data(found: Proposal, level: str) -> dict[str, Any]:
    def reference(source: Source) -> Any:
        if source.user is not None:
            return f"user.{source.user}"
        return f"{source.step}.{source.field}" if source.step is not None else {"constant": source.constant}

    steps = [
        {
            "id": step.id,
            **({"tool": step.tool} if step.tool else {"group": step.group}),
            "with": {name: reference(source) for name, source in step.arguments.items()},
        }
        for step in found.steps
    ]
    wanted = [{"label": d.label, "from": f"{d.step}.{d.field}"} for d in found.deliverables]
    facts = {"id": "proposal", "level": level, "request": "", "inputs": found.inputs}
    return {**facts, "steps": steps, "deliverables": wanted}


def _kind(problem: str) -> str:
    for words, name in KINDS.items():
        if words in problem:
            return name
    for name in ("missing argument", "unknown argument", "wrong binding", "wrong type"):
        if problem.startswith(name):
            return name
    return "not of the level" if problem.startswith(("C1", "C2", "C3", "C4", "group")) else "wrong graph"


def type_problems(task: Task, corpus: Corpus) -> Iterator[str]:
    """The problems of the flow of data, by the tools' schemas alone."""
    for step in task.graph.walk():
        tool = corpus.tools[step.tool]
        schemas, required = parameters(tool), tool.spec.parameters.get("required", ())
        missing = [name for name in required if name not in step.arguments]
        if missing:
            yield f"missing argument: {step.tool} needs {', '.join(missing)}."
        for name, binding in step.arguments.items():
            if name not in schemas:
                yield f"unknown argument: {step.tool} takes no {name}."
            elif isinstance(binding, GraphField):
                yield from _field_problems(task, step, name, binding, corpus)
            elif isinstance(binding, (UserInput, Constant)):
                value = task.inputs.get(binding.name) if isinstance(binding, UserInput) else binding.value
                if not schema_takes(schemas[name], value):
                    yield f"wrong type: {step.tool} does not take {json.dumps(value)} as {name}."


def schema_takes(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a parameter takes a written value."""
    if "enum" in schema:
        return value in schema["enum"]
    if schema.get("type") == "array":
        items = schema.get("items", {})
        return isinstance(value, list) and all("$ref" in items or schema_takes(items, item) for item in value)
    if schema.get("type") == "boolean":
        return isinstance(value, bool)
    return "$ref" in schema or accepts(schema, value)


def _field_problems(task: Task, step: Step, name: str, field: GraphField, corpus: Corpus) -> Iterator[str]:
    for source in field_sources(task, field):
        schema = field_schema(corpus.tools[task.graph.steps[source.node].tool].spec.returns, source.path)
        if schema is None:
            yield f"wrong binding: {source.node} answers no {source.path}."
        elif not _compatible(schema, parameters(corpus.tools[step.tool])[name]):
            yield f"wrong type: {source.node}.{source.path} cannot be {step.tool}'s {name}."


def field_sources(task: Task, field: GraphField) -> list[GraphField]:
    """The fields of single steps behind a field, which may be a group's export."""
    node = task.graph.by_id.get(field.node)
    if not isinstance(node, Group):
        return [field]
    return [branch.exports[field.path] for branch in node.branches if field.path in branch.exports]


def field_schema(schema: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """The schema of a path in an answer; None where it has none."""
    defs, found = schema.get("$defs", {}), schema
    for key in path.split("."):
        found = _resolved(found, defs)
        if found.get("type") == "array" or "items" in found:
            found = _resolved(found.get("items", {}), defs)
            if key.isdigit():
                continue
        if key not in found.get("properties", {}):
            return None
        found = found["properties"][key]
    return _resolved(found, defs)


def _resolved(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        found: Mapping[str, Any] = defs.get(str(schema["$ref"]).split("/")[-1], {})
        return found
    return schema


def _types(schema: Mapping[str, Any]) -> set[str]:
    if "anyOf" in schema:
        return set().union(*(_types(option) for option in schema["anyOf"]))
    kind = schema.get("type")
    return {"string"} if kind is None and "enum" in schema else {str(kind)} if kind else set()


def _compatible(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    have, want = _types(given), _types(wanted)
    if "number" in want:
        want = want | {"integer"}
    return not have or not want or bool(have & want)
