"""Workloads, and the reading of those that ship.

A scripted solution is a list of steps: a tool, its arguments, and the form by which the needed part of its answer is
found (a pattern with groups that does not depend on what the answer says). `{step}` in an argument or in the final
words is replaced by the first group of that step's answer, `{step.2}` by the second. `otherwise` names other ways to
the same value. In a workload with two agents the steps of the outer one ask the inner one, and `research` holds what
that does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from sealegs.suites.micro.tools import TODAY
from sealegs.suites.micro.workloads.accepted import Accepted, accepted_from
from sealegs.tasks.editions import contents_digest, edition

VERSION = "1-A"  # of the workloads and of what counts as right
RESEARCH = "ResearchAgent"  # the tool that is an agent
NUMBER = r"(-?\d[\d.]*(?:e[+-]?\d+)?)"
Group = Literal["paper", "harder", "two agents"]
PLACE = re.compile(r"\{(\w+)(?:\.(\d))?\}")


@dataclass(frozen=True)
class ScriptedStep:
    """One call of a scripted solution.

    Attributes:
        id: what later steps call its value.
        tool: the tool.
        arguments: texts with places for earlier values; anything that is not text is used unchanged.
        reads: finds the value in the answer: a pattern with one group or more.
        otherwise: other calls that give the same value.
    """

    id: str
    tool: str
    arguments: Mapping[str, Any]
    reads: str = NUMBER
    otherwise: tuple[ScriptedStep, ...] = ()

    def read(self, text: str) -> tuple[str, ...] | None:
        """The value's parts in an answer; None where the answer does not have the form."""
        found = re.search(self.reads, text, re.DOTALL)
        return None if found is None else found.groups()


@dataclass(frozen=True)
class Assignment:
    """A question to an agent, how it may go about it, and what it says in the end."""

    prompt: str
    steps: tuple[ScriptedStep, ...]
    answer: str
    accepted: Accepted

    def judge(self, text: str) -> bool:
        """Return whether a text gives the accepted answer."""
        return self.accepted.judge(text)


@dataclass(frozen=True)
class Workload:
    """A request to an agent.

    Attributes:
        name: what campaigns call it.
        title: one line for people.
        group: where it comes from.
        tools: the names of the tools that the agent has; of the inner agent, where there are two.
        task: the request with its solution, of the outer agent where there are two.
        research: the questions that the outer agent's scripted solution asks, in a workload with two agents.
    """

    name: str
    title: str
    group: Group
    tools: tuple[str, ...]
    task: Assignment
    research: tuple[Assignment, ...] = field(default=())

    @property
    def prompt(self) -> str:
        """The request."""
        return self.task.prompt

    @property
    def accepted(self) -> Accepted:
        """The answer that counts as right."""
        return self.task.accepted

    @property
    def paired(self) -> bool:
        """Whether an agent's tool is another agent."""
        return bool(self.research)

    def judge(self, text: str) -> bool:
        """Return whether a text gives the accepted answer."""
        return self.task.judge(text)


def filled(text: Any, values: Mapping[str, tuple[str, ...]]) -> Any:
    """A text with its places filled; anything else as it is."""
    if not isinstance(text, str):
        return text
    return PLACE.sub(lambda place: values[place[1]][int(place[2] or 1) - 1], text)


def _texts() -> list[str]:
    """The files, in the order of their names."""
    files = sorted(Path(__file__).parent.glob("*.yaml"))
    return [file.read_text(encoding="utf-8") for file in files]


@cache
def workloads_edition() -> str:
    """Version and digest of the workloads and of the texts that their tools find, as records and rows name them."""
    texts = resources.files("sealegs.suites.micro.texts")
    found = sorted(
        (file.name, file.read_text(encoding="utf-8")) for file in texts.iterdir() if file.name.endswith("yaml")
    )
    return edition(VERSION, contents_digest(text.encode() for text in (*_texts(), *(text for _, text in found))))


@cache
def load_workloads() -> dict[str, Workload]:
    """All workloads by name: those of the paper first, those with two agents last."""
    import yaml

    data = map(yaml.safe_load, _texts())
    order = ("paper", "harder", "two agents")
    found = sorted(map(_workload, data), key=lambda one: (order.index(one.group), one.name))
    return {one.name: one for one in found}


def _workload(data: Mapping[str, Any]) -> Workload:
    return Workload(
        name=data["name"],
        title=data["title"],
        group=data["group"],
        tools=tuple(data["tools"]),
        task=_assignment(data),
        research=tuple(map(_assignment, data.get("research", ()))),
    )


def _assignment(data: Mapping[str, Any]) -> Assignment:
    return Assignment(
        " ".join(data["prompt"].split()),
        tuple(map(_step, data["steps"])),
        data["answer"],
        accepted_from(data["accepted"], TODAY),
    )


def _step(data: Mapping[str, Any], id: str = "") -> ScriptedStep:
    name = data.get("id", id)
    others = tuple(_step(other, name) for other in data.get("otherwise", ()))
    return ScriptedStep(name, data["tool"], data["arguments"], data.get("reads", NUMBER), others)
