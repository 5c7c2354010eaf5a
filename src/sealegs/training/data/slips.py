"""Slips: calls that the agent itself makes wrongly, and that the tool, or the lack of one, refuses.

Failures of the class Argument Hallucination come from here alone: an argument is really wrong, the tool's own check
refuses it, and the words of the refusal are those of the failure's name (a `KeyError` names the key that is missing).
Nothing is injected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from sealegs.agents import UseTool
from sealegs.agents.scripted_agent import format_value
from sealegs.faults.call import Failure
from sealegs.faults.spec import ToolSpec

TOOL_WAYS = ("prefix", "version", "case")
ARGUMENTS = "Argument Hallucination"
TOOLS = "Tool Hallucination"


class MistakeKind(BaseModel):
    """One kind of slip: how a call goes wrong, and how it is refused.

    Attributes:
        name: the failure's.
        ways: in which it goes wrong; drawn.
        status, type, words: how it is refused, by way; without words as the tool words it.
        reads: whether only tools that change nothing refuse so.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    ways: tuple[str, ...] = Field(min_length=1)
    status: int | None = None
    type: str | None = None
    words: dict[str, tuple[str, ...]] = {}
    reads: bool = False

    @property
    def of_the_tool(self) -> bool:
        """Whether it is the tool's name that is wrong."""
        return self.ways[0] in TOOL_WAYS


@dataclass(frozen=True, slots=True)
class CallMistake:
    """A call gone wrong.

    Attributes:
        use: as it was made.
        way: how it went wrong.
        name: the argument, or the tool that was meant.
        given: what was given in its place.
        right: the right value, as text.
        refusal: how the tool words its refusal; None for its own wording.
    """

    use: UseTool
    way: str
    name: str
    given: str
    right: str
    refusal: Failure | None = None


@cache
def mistake_kinds() -> Mapping[str, MistakeKind]:
    """All kinds of slips by name."""
    text = resources.files("sealegs.training.data").joinpath("slips.yaml").read_text(encoding="utf-8")
    return {one.name: one for one in (MistakeKind.model_validate(item) for item in yaml.safe_load(text))}


def make_mistake(kind: str, use: UseTool, spec: ToolSpec, draw: random.Random) -> CallMistake | None:
    """The call as an agent that slips makes it; None where this slip cannot be made with it."""
    slipping = mistake_kinds()[kind]
    if slipping.of_the_tool:
        called = _renamed(slipping.ways[0], use.tool, draw)
        return CallMistake(replace(use, tool=called), slipping.ways[0], use.tool, called, use.tool)
    required = [name for name in spec.parameters.get("required", ()) if name in use.arguments]
    # Only the lack of a required argument is certain to be refused by the tool's own check.
    if not required or (slipping.reads and spec.effects is not False):
        return None
    way, name = draw.choice(slipping.ways), draw.choice(required)
    arguments = dict(use.arguments)
    value = arguments.pop(name)
    given = ""
    if way == "misnamed":
        given = draw.choice((f"{name}_value", f"the_{name}", name.upper()))
        arguments[given] = value
    elif way == "other type":
        arguments[name] = wrong = _other_type(value, draw)
        given = format_value(wrong)
    wanted = spec.parameters.get("properties", {}).get(name, {}).get("type", "value")
    refusal = _refusal(slipping, way, {"name": name, "given": given, "type": str(wanted)}, draw)
    return CallMistake(replace(use, arguments=arguments), way, name, given, format_value(value), refusal)


def _refusal(slipping: MistakeKind, way: str, facts: Mapping[str, str], draw: random.Random) -> Failure | None:
    words = slipping.words.get(way)
    if words is None:
        return None
    return Failure(draw.choice(words).format_map(facts), type=slipping.type or "", status=slipping.status)


def _renamed(way: str, tool: str, draw: random.Random) -> str:
    if way == "prefix":
        return f"{draw.choice(('do', 'call', 'api', 'run'))}_{tool}"
    if way == "version":
        return f"{tool}_{draw.choice(('v2', 'v3', 'new', 'api'))}"
    first, *rest = tool.split("_")
    return first + "".join(part.title() for part in rest) if rest else tool.upper()


def _other_type(value: Any, draw: random.Random) -> Any:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (int, float)):
        return draw.choice(("unknown", "as requested", "n/a"))
    return "see above"
