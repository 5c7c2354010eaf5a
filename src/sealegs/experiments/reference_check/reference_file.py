"""The file of a reference: declared and inferred facts, for the user to correct and the next run to read.

A file that is there counts as it is; nothing is learned over it. Every mistake in it is named at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sealegs.experiments.reference_check.learned_reference import (
    AnswerSource,
    How,
    LearnedAlternatives,
    LearnedArgument,
    LearnedDeliverable,
    LearnedReference,
    LearnedStep,
    LearnedTool,
    Origin,
)
from sealegs.experiments.reference_check.reference_graph import check_reference
from sealegs.faults import paths
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically

HEAD = """\
# What right looks like in one task, for `sealegs check`. Correct it and give the same command again: what is here
# counts, and nothing is learned over it. Delete it to learn anew.
#
# origin   declared: by you; inferred: concluded from clean runs, so read it.
# effects  true: a call changes something; false: it only reads; null: nobody declared it.
# how      where an argument's value comes from: task (its text), copied (a field of an answer), contained (a text that
#          says values of answers), worked out (from two values), constant (the agent's own), free (any is right).
# from     the step and the path in its answer; no path: the whole answer.
"""


class ArgumentText(BaseModel):
    """An argument as written."""

    model_config = ConfigDict(extra="forbid")
    value: Any = None
    how: How = "constant"
    from_: list[str] = Field(default_factory=list, alias="from")


class LearnedStepText(BaseModel):
    """A step as written."""

    model_config = ConfigDict(extra="forbid")
    origin: Origin = "declared"
    tool: str = ""
    with_: dict[str, ArgumentText] = Field(default_factory=dict, alias="with")
    after: list[str] = []
    text: bool = False
    answer: Any = None


class AlternativesText(BaseModel):
    """A choice as written; `gives` has for each name one place a way."""

    model_config = ConfigDict(extra="forbid")
    id: str
    origin: Origin = "declared"
    ways: list[list[str]] = Field(min_length=2)
    gives: dict[str, list[str]] = {}


class WrittenDeliverable(BaseModel):
    """A deliverable as written."""

    model_config = ConfigDict(extra="forbid")
    label: str
    origin: Origin = "declared"
    value: Any
    how: How = "copied"
    from_: list[str] = Field(alias="from", min_length=1)


class ToolText(BaseModel):
    """A tool as written."""

    model_config = ConfigDict(extra="forbid")
    origin: Origin = "declared"
    effects: bool | None = None
    idempotent: bool = False
    key: str = ""
    shown_by: str = ""
    defaults: dict[str, Any] = {}
    parameters: list[str] | None = None


class ReferenceText(BaseModel):
    """A whole file."""

    model_config = ConfigDict(extra="forbid")
    task: str
    clean_runs: int = 0
    tools: dict[str, ToolText]
    steps: dict[str, LearnedStepText] = Field(min_length=1)
    alternatives: list[AlternativesText] = []
    answer: list[WrittenDeliverable] = []
    notes: list[str] = []


def reference_text(found: LearnedReference) -> str:
    """A reference as YAML, which reads back as an equal one."""
    data = {
        "task": found.task,
        "clean_runs": found.runs,
        "tools": {name: _tool_data(tool) for name, tool in found.tools.items()},
        "steps": {id: _step_data(step) for id, step in found.steps.items()},
        "alternatives": [
            {
                "id": one.id,
                "origin": one.origin,
                "ways": [list(way) for way in one.ways],
                "gives": {name: list(map(str, sources)) for name, sources in one.gives.items()},
            }
            for one in found.alternatives
        ],
        "answer": [
            {
                "label": one.label,
                "origin": one.origin,
                "value": one.value,
                "how": one.how,
                "from": list(map(str, one.sources)),
            }
            for one in found.deliverables
        ],
        "notes": list(found.notes),
    }
    return HEAD + yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Writes every value in full, so that each can be corrected by itself."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _tool_data(tool: LearnedTool) -> dict[str, Any]:
    data: dict[str, Any] = {"origin": "inferred" if tool.effects is None else "declared", "effects": tool.effects}
    data |= {"idempotent": True} if tool.idempotent else {}
    data |= {name: value for name, value in (("key", tool.key), ("shown_by", tool.shown_by)) if value}
    data |= {"defaults": dict(tool.defaults)} if tool.defaults else {}
    return data | ({} if tool.parameters is None else {"parameters": list(tool.parameters)})


def _step_data(step: LearnedStep) -> dict[str, Any]:
    arguments = {
        name: {
            "value": argument.value,
            "how": argument.how,
            **({"from": list(map(str, argument.sources))} if argument.sources else {}),
        }
        for name, argument in step.arguments.items()
    }
    named = {"tool": step.tool} if step.tool != step.id else {}
    more: dict[str, Any] = {"after": list(step.after)} if step.after else {}
    more |= {"text": True} if step.text else {}
    return {"origin": step.origin, **named, "with": arguments, **more, "answer": step.answer}


def write_reference(file: Path, found: LearnedReference) -> None:
    """Write the file, whole or not at all."""
    write_atomically(file, reference_text(found), "name another file")


def read_reference(file: Path, tools: Mapping[str, LearnedTool] | None = None) -> LearnedReference:
    """The reference in a file.

    Args:
        file: as `write_reference` makes it.
        tools: those that the agent has; without them the file is believed.

    Raises:
        UserError: it cannot be read, or contradicts itself or the tools; the message names every mistake.
    """
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{file} cannot be read: {reason}; correct it, or delete it to learn anew") from error
    try:
        written = ReferenceText.model_validate(data)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the file'}: {one['msg']}" for one in error.errors())
        raise UserError(f"{file}: {wrong}; correct it, or delete it to learn anew") from error
    problems = [*_problems(written, tools)]
    found = _reference(written, problems)
    # Only of a file that holds together so far: places are looked up by the steps that it names.
    problems += [] if problems else _place_problems(found)
    if problems:
        raise UserError(f"{file}: {'; '.join(problems)}; correct it, or delete it to learn anew")
    try:
        check_reference(found)
    except UserError as error:
        reason = "; ".join(str(error).splitlines())
        raise UserError(f"{file}: {reason}; correct it, or delete it to learn anew") from error
    return found


def _problems(written: ReferenceText, tools: Mapping[str, LearnedTool] | None) -> Iterator[str]:
    """The contradictions between the file and the tools."""
    known = set(written.tools) if tools is None else set(tools)
    for name in set(written.tools) - known:
        yield f"tools: the agent has no tool {name!r} (it has {', '.join(sorted(known))})"
    for id, step in written.steps.items():
        tool = step.tool or id
        if tool not in known or tool not in written.tools:
            yield f"steps: {id}: the agent has no tool {tool!r} (it has {', '.join(sorted(known))})"
            continue
        noted = written.tools[tool]
        real = None if tools is None else tools[tool]
        names = noted.parameters if real is None or real.parameters is None else list(real.parameters)
        defaults = noted.defaults if real is None or real.parameters is None else real.defaults
        if names is not None:
            yield from (
                f"steps: {id}: {tool} has no argument {name!r} (it has {', '.join(names) or 'none'})"
                for name in step.with_
                if name not in names
            )
            missing = [name for name in names if name not in step.with_ and name not in defaults]
            # A tool that takes any arguments cannot lack one.
            if missing and (real is None or real.parameters is not None):
                yield f"steps: {id}: the argument {missing[0]!r} of {tool} is missing; write it under `with`"


def _reference(written: ReferenceText, problems: list[str]) -> LearnedReference:
    def sources(texts: list[str], where: str) -> tuple[AnswerSource, ...]:
        found = [_source(text, written.steps) for text in texts]
        problems.extend(
            f"{where}: {text!r} names no step (they are {', '.join(written.steps)})"
            for text, source in zip(texts, found, strict=True)
            if source is None
        )
        return tuple(source for source in found if source is not None)

    steps = {
        id: LearnedStep(
            id,
            step.tool or id,
            {
                name: LearnedArgument(one.value, one.how, sources(one.from_, f"steps: {id}: {name}"))
                for name, one in step.with_.items()
            },
            step.answer,
            tuple(step.after),
            step.origin,
            step.text,
        )
        for id, step in written.steps.items()
    }
    groups = tuple(_alternatives(one, steps, sources, problems) for one in written.alternatives)
    deliverables = [
        LearnedDeliverable(one.label, one.value, sources(one.from_, f"answer: {one.label}"), one.how, one.origin)
        for one in written.answer
    ]
    tools = {name: _tool(name, one) for name, one in written.tools.items()}
    return LearnedReference(
        written.task, tools, steps, groups, tuple(deliverables), tuple(written.notes), written.clean_runs
    )


def _alternatives(
    written: AlternativesText,
    steps: Mapping[str, LearnedStep],
    sources: Callable[[list[str], str], tuple[AnswerSource, ...]],
    problems: list[str],
) -> LearnedAlternatives:
    """Read one group of alternatives; what is wrong with it joins the problems."""
    where = f"alternatives: {written.id}"
    strangers = [id for way in written.ways for id in way if id not in steps]
    problems += [f"{where}: there is no step {id!r}" for id in strangers]
    gives = {name: sources(texts, f"{where}: {name}") for name, texts in written.gives.items()}
    problems += [
        f"{where}: {name} needs one place for each of the {len(written.ways)} ways"
        for name, texts in written.gives.items()
        if len(texts) != len(written.ways)
    ]
    return LearnedAlternatives(written.id, tuple(map(tuple, written.ways)), gives, written.origin)


def _tool(name: str, written: ToolText) -> LearnedTool:
    return LearnedTool(
        name,
        written.effects,
        written.idempotent,
        written.key,
        written.shown_by,
        written.defaults,
        None if written.parameters is None else tuple(written.parameters),
    )


def _source(text: str, steps: Mapping[str, Any]) -> AnswerSource | None:
    """A place; a step's name may have dots, so the longest that fits is meant."""
    named = [id for id in steps if text == id or text.startswith(f"{id}.")]
    if not named:
        return None
    step = max(named, key=len)
    return AnswerSource(step, text[len(step) + 1 :])


def _place_problems(found: LearnedReference) -> Iterator[str]:
    """Arguments that say how and not where from, and places that an answer does not have."""
    for id, step in found.steps.items():
        for name, argument in step.arguments.items():
            if argument.how in ("copied", "worked out") and not argument.sources:
                yield f"steps: {id}: {name} is {argument.how} and says not from where; write `from`"
            for source in argument.sources:
                if not _there(source, found):
                    yield f"steps: {id}: {name}: the answer of {source.step} has no {source.path!r}"
    for one in found.deliverables:
        yield from (
            f"answer: {one.label}: the answer of {source.step} has no {source.path!r}"
            for source in one.sources
            if not _there(source, found)
        )


def _there(source: AnswerSource, found: LearnedReference) -> bool:
    answer = found.steps[source.step].answer
    return answer is None or bool(paths.values_at(answer, source.path))
