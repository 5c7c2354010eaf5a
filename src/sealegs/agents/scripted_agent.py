"""Scripted agents: their input, their actions, and what all of them share.

A scripted agent acts only on what it sees: the request's task as far as its name says it knows it, the tools' schemas,
and the text of every answer. It does no I/O, so the same agent runs under any engine: it is asked to `act`, and told
what came of it by `observe`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.faults import paths
from sealegs.faults.spec import ToolSpec
from sealegs.tasks import Persistence, Risk
from sealegs.tasks.graph import Binding, Constant, Deliverable, Graph, Step, Task, UserInput

SPACES = " \t\n\r"  # those of JSON
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class UseTool:
    """The agent calls a tool."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Say:
    """The agent gives its final answer."""

    text: str


@dataclass(frozen=True)
class Briefing:
    """The facts that a scripted agent may know.

    Attributes:
        task: the task with its graph.
        specs: the tools by name.
        slots: where faults will strike: node id -> `transient` or `permanent`. Only `oracle` looks at it.
        risks: what a fault on an action leaves behind, by step. Only `oracle` looks at it.
    """

    task: Task
    specs: Mapping[str, ToolSpec]
    slots: Mapping[str, Persistence] = field(default_factory=dict)
    risks: Mapping[str, Risk] = field(default_factory=dict)


class ScriptedAgent(ABC):
    """An agent that needs no model.

    Args:
        briefing: what it may know.
    """

    def __init__(self, briefing: Briefing) -> None:
        self.task = briefing.task
        self.graph: Graph = briefing.task.graph
        self.answers: dict[str, Any] = {}

    @abstractmethod
    def act(self) -> UseTool | Say:
        """The next call, or the final answer."""

    @abstractmethod
    def observe(self, use: UseTool, text: str) -> None:
        """Take the tool's message."""

    def use(self, step: Step) -> UseTool:
        """The call of a step, its arguments taken from the request and from the answers so far."""
        return UseTool(step.tool, {name: self.value(binding) for name, binding in step.arguments.items()})

    def value(self, binding: Binding) -> Any:
        """The value that a binding names; None where an answer lacks the field."""
        if isinstance(binding, UserInput):
            return self.task.inputs[binding.name]
        if isinstance(binding, Constant):
            return binding.value
        node, path = binding.node, binding.path
        for branch in getattr(self.graph.by_id.get(node), "branches", ()):
            export = branch.exports.get(path)
            if export is not None and export.node in self.answers:
                node, path = export.node, export.path
                break
        return next(iter(paths.values_at(self.answers.get(node), path)), None)

    def finished(self) -> Say:
        """The answer of an agent that thinks all is done."""
        lines = [f"- {d.label}: {format_value(self.value(d.source))}" for d in self.task.deliverables]
        return Say("\n".join(["Everything is done.", *lines, "Status: complete"]))

    def stopped(self, reason: str) -> Say:
        """The answer of an agent that stops: why, and what it has."""
        have = [(d, self.value(d.source)) for d in self.task.deliverables]
        lines = [f"- {d.label}: {format_value(value)}" for d, value in have if value is not None]
        missing = [missing_line(d) for d, value in have if value is None]
        return Say("\n".join([f"I could not complete the request: {reason}", *lines, *missing, "Status: incomplete"]))


def missing_line(deliverable: Deliverable) -> str:
    """A line that says what is not there."""
    return f"- {deliverable.label}: not available"


def format_value(value: Any) -> str:
    """A value as an answer prints it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parse_tool_message(text: str) -> Any:
    """The data of a tool message; the text itself where it is not JSON."""
    try:
        bare = text.strip(SPACES)  # which `json.loads` looks for at more cost
        data, end = _DECODER.raw_decode(bare)
        return data if end == len(bare) else text
    except (ValueError, RecursionError):
        return text


def error_body(data: Any) -> Mapping[str, Any] | None:
    """The error's body where a tool message is one."""
    if isinstance(data, Mapping) and isinstance(data.get("error"), Mapping):
        error: Mapping[str, Any] = data["error"]
        return error
    return None
