"""The dialogue of an agent that acts in code and its host: `<thought>`, `<execute>`, `<solution>`, observations.

A message's first action counts, and whatever a model then writes after it (observations that it makes up, often)
is ignored. A tag that is never closed counts to the end: many models are stopped at the closing tag.
"""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass
from typing import Literal

from sealegs.sandbox import CodeTurn

ACTION = re.compile(r"<\s*(execute|solution)\s*>", re.IGNORECASE)
ENDS = {kind: re.compile(rf"<\s*/\s*{kind}\s*>", re.IGNORECASE) for kind in ("execute", "solution")}
FENCE = re.compile(r"\A\s*```[a-zA-Z]*[ \t]*\n(.*?)(?:\n?```\s*)?\Z", re.DOTALL)
NO_ACTION = (
    "Your message held no action. Write Python between <execute> and </execute> to go on, or the answer between "
    "<solution> and </solution> to finish."
)
NO_OUTPUT = "(nothing was printed)"


@dataclass(frozen=True, slots=True)
class Action:
    """The action that a message asks for.

    Attributes:
        kind: run code, give the answer, or nothing that can be read.
        text: the code; the message from the solution on.
    """

    kind: Literal["execute", "solution", "none"]
    text: str


def action(message: str) -> Action:
    """The first action of a message."""
    found = ACTION.search(message)
    if found is None:
        return Action("none", "")
    if found[1].lower() == "solution":
        return Action("solution", message[found.start() :])
    end = ENDS["execute"].search(message, found.end())
    code = message[found.end() : end.start() if end else len(message)]
    fenced = FENCE.match(code)
    return Action("execute", textwrap.dedent(fenced[1] if fenced else code).strip("\n"))


def turn_observation(turn: CodeTurn) -> str:
    """The text that the agent is shown of a turn of its code."""
    text = "\n".join(part.rstrip("\n") for part in (turn.output, turn.error or "") if part)
    return wrap_observation(text or NO_OUTPUT)


def wrap_observation(text: str) -> str:
    """A text as an observation."""
    return f"<observation>\n{text}\n</observation>"


def unwrap_observation(text: str) -> str:
    """The text of an observation."""
    return text.removeprefix("<observation>\n").removesuffix("\n</observation>")


def solution(value: object) -> str:
    """An answer in its tags: a text unchanged, data as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"<solution>{text}</solution>"
