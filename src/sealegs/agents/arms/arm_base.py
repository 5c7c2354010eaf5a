"""The interface of an arm: a generator that asks a model and uses tools, and does neither by itself.

It yields an `AwaitModel` and is sent a `ModelReply`, or a `ModelToolUse` and is sent the text of the tool's message; it
returns the final answer. So one arm runs over a scripted backbone, over any model of Inspect and over anything else
that can answer. Not covered: limits of steps and time, which whoever drives it keeps.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sealegs.agents.scripted_agent import error_body, parse_tool_message
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies.advise import NOTE

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ModelToolUse:
    """The model calls a tool. `id` is unique in the conversation; `problem` says why it could not be read."""

    tool: str
    arguments: Mapping[str, Any]
    id: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `calls` are the assistant's; `answers` is the id of the call that a tool's message answers."""

    role: Role
    text: str
    calls: tuple[ModelToolUse, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class AwaitModel:
    """The model is to continue from here. `tools` says whether it may call tools in its own way of calling them."""

    messages: tuple[Message, ...]
    tools: bool = True


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The model's text."""

    text: str
    calls: tuple[ModelToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Menu:
    """The options for a failing call, and the right one of them.

    Attributes:
        options: each a sentence that tells the model to do it.
        right: the place of the one that leads on.
    """

    options: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class ArmContext:
    """The facts of an episode that an arm is given.

    Attributes:
        request: the user's words.
        specs: the tools.
        menu: the options for a failing call of a tool, by one who knows the truth. Only `critic` asks.
        draw: a number in [0, 1) that is the same for the same words, and independent for others.
        form: a sentence on the required end of the final answer.
    """

    request: str
    specs: Sequence[ToolSpec]
    menu: Callable[[str], Menu]
    draw: Callable[[str], float] = field(default=lambda word: 0.0)
    form: str = ""


Steps = Generator[AwaitModel | ModelToolUse, ModelReply | str, str]


class Arm(ABC):
    """A way to run a model on a task."""

    @abstractmethod
    def converse(self, context: ArmContext) -> Steps:
        """Carry out the request; the returned text is the final answer."""


def ask_model(
    messages: Sequence[Message], *, tools: bool = True
) -> Generator[AwaitModel | ModelToolUse, ModelReply | str, ModelReply]:
    """Ask the model."""
    reply = yield AwaitModel(tuple(messages), tools)
    assert isinstance(reply, ModelReply)
    return reply


def use_tool(call: ModelToolUse) -> Generator[AwaitModel | ModelToolUse, ModelReply | str, str]:
    """Use a tool."""
    text = yield call
    assert isinstance(text, str)
    return text


def advice_in(text: str) -> str:
    """The advice that a tool's message carries; empty where there is none."""
    data = parse_tool_message(text)
    if isinstance(data, Mapping):
        error = error_body(data)
        message = str(error.get("message", "")) if error is not None else str(data.get(NOTE, ""))
        return message.partition("\n\n")[2] if error is not None else message
    return text.partition("\n\nRecovery:")[2]


def without_advice(text: str) -> str:
    """A tool's message as it was before advice was appended."""
    data = parse_tool_message(text)
    if isinstance(data, Mapping):
        error = error_body(data)
        if error is not None and "\n\n" in str(error.get("message", "")):
            return json.dumps({**data, "error": {**error, "message": str(error["message"]).partition("\n\n")[0]}})
        if NOTE in data:
            left = {name: value for name, value in data.items() if name != NOTE}
            return json.dumps(left["answer"] if left.keys() == {"answer"} else left)
        return text
    return text.partition("\n\nRecovery:")[0]


def failure_symptom(text: str) -> str:
    """The sign that a call failed: the error's words, or that the answer cannot be read; empty if there is none."""
    data = parse_tool_message(without_advice(text))
    error = error_body(data)
    if error is not None:
        status = f"{error['status']} " if error.get("status") else ""
        return f"{status}{error.get('type', '')}: {error.get('message', '')}"
    if isinstance(data, str) and data.lstrip()[:1] in ("{", "[", "<"):
        return "the answer cannot be read as JSON"
    return "the answer carries a warning" if advice_in(text) else ""


def shown_call(call: ModelToolUse) -> str:
    """A call as people write it."""
    return f"{call.tool}({json.dumps(dict(call.arguments), ensure_ascii=False, default=str)})"
