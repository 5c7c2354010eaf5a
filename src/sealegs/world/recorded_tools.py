"""Tools that are answered from records: the same arguments get the recorded answer, others a clear refusal.

They stand in for tools whose code is not here. Their parameters are what the record shows of them, and their
invariants what can be read off it: which fields there are, and which of them repeat an argument.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from sealegs.faults.call import Effect
from sealegs.faults.invariants import Echo, Invariant, roughly_equal
from sealegs.faults.text_files import utf8_text
from sealegs.faults.user_error import UserError
from sealegs.world.corpus import Corpus
from sealegs.world.state import World
from sealegs.world.tool import Answer, Refusal, SimulatedTool

UNNAMEABLE = re.compile("[\0\ud800-\udfff]")  # what no name in Python can hold


class Recording(BaseModel):
    """One answered call.

    Attributes:
        arguments: what the tool was called with.
        output: what it answered.
        effects: what it did to the world: `action`, `subject`, `details`.
    """

    model_config = ConfigDict(extra="forbid")
    arguments: dict[str, Any]
    output: Any
    effects: list[dict[str, Any]] = []


class RecordedTool(BaseModel):
    """A tool of one task as its records show it.

    Attributes:
        task: the task that it belongs to.
        name, description: as an agent reads them.
        defaults: arguments that may be left out.
        free_text: arguments that are prose.
        recordings: the answered calls.
    """

    model_config = ConfigDict(extra="forbid")
    task: str
    name: str
    description: str = ""
    defaults: dict[str, Any] = {}
    free_text: list[str] = []
    recordings: list[Recording]


class RecordedAnswer(Answer):
    """Any answer: a record has no declared shape."""

    model_config = ConfigDict(extra="allow")


def read_recorded(file: Path) -> dict[str, Corpus]:
    """The recorded tools of each task, from a file with one tool a line.

    Raises:
        UserError: a line is not a recorded tool; every such line is named.
    """
    found: dict[str, dict[str, SimulatedTool]] = {}
    problems: list[str] = []
    for number, line in enumerate(utf8_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            tool = RecordedTool.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            problems.append(f"{file}:{number}: {'.'.join(map(str, first['loc']))}: {first['msg']}")
            continue
        found.setdefault(tool.task, {})[tool.name] = recorded_tool(tool)
    if problems:
        raise UserError("\n".join(problems))
    return {task: Corpus(tools, {}) for task, tools in found.items()}


def recorded_tool(found: RecordedTool) -> SimulatedTool:
    """A tool that answers from its records."""
    names = dict.fromkeys(name for recording in found.recordings for name in recording.arguments)
    fields: dict[str, Any] = {
        name: (_type(name, found.recordings), ...) for name in names if name not in found.defaults
    }
    fields |= {name: (Any, default) for name, default in found.defaults.items()}
    title = f"{UNNAMEABLE.sub('_', found.name)}_parameters"

    def run(world: World, **arguments: Any) -> Any:
        recording = _recording(found, arguments)
        for effect in recording.effects:
            world.effect(effect["action"], effect["subject"], **effect.get("details", {}))
        return json.loads(json.dumps(recording.output))

    return SimulatedTool(
        name=found.name,
        domain="recorded",
        category="action" if any(recording.effects for recording in found.recordings) else "source",
        description=found.description or f"{found.name.replace('_', ' ')} (answered from records)",
        parameters=create_model(title, __config__=ConfigDict(extra="forbid"), **fields),
        answer=RecordedAnswer,
        run=run,
        invariants=_echoes(found.recordings),
        examples=tuple(recording.arguments for recording in found.recordings),
        free_text=frozenset(found.free_text),
    )


def _recording(found: RecordedTool, arguments: Mapping[str, Any]) -> Recording:
    for recording in found.recordings:
        wanted = {**found.defaults, **recording.arguments}
        if wanted.keys() == arguments.keys() and all(
            name in found.free_text or roughly_equal(arguments[name], wanted[name]) for name in wanted
        ):
            return recording
    raise Refusal(
        404,
        "NoRecord",
        f"{found.name} is answered from records, and none has these arguments",
        arguments=dict(arguments),
    )


def _type(name: str, recordings: Sequence[Recording]) -> Any:
    values = [recording.arguments[name] for recording in recordings if name in recording.arguments]
    # To Python a boolean is an integer too, so it is tried first and kept out of the others.
    for kind in (bool, int, str):
        if all(isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) for value in values):
            return kind
    return float if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values) else Any


def _echoes(recordings: Sequence[Recording]) -> tuple[Invariant, ...]:
    """Fields that repeat an argument in every record."""
    outputs = [recording.output for recording in recordings]
    if not outputs or not all(isinstance(output, Mapping) for output in outputs):
        return ()
    return tuple(
        Echo(name, name)
        for name in recordings[0].arguments
        if all(
            name in recording.output and roughly_equal(recording.arguments.get(name), recording.output[name])
            for recording in recordings
        )
    )


def recordings_of(effects: Sequence[Effect]) -> list[dict[str, Any]]:
    """Effects as a recording keeps them."""
    return [{"action": e.action, "subject": e.subject, "details": dict(e.details)} for e in effects]
