"""A model's output, read back as text and calls: the reverse of what its chat template does with a message.

Every form in which the shipped templates write calls is known, and these are the forms of most families too. Which one
a template uses is found by trying: it writes a call, and the reader that reads this call back is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

PROBE = "Here it is."
CALL = "look_up"
GIVEN = {"name": "Å {x}", "most": 2}


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call that a model wrote.

    Attributes:
        tool: its name; empty where none can be read.
        arguments: what it is given.
        problem: why it cannot be read; empty for one that can.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


Read = tuple[str, tuple[ModelCall, ...]]
Reader = Callable[[str], Read]


def reader_of(render: Callable[[list[dict[str, Any]]], str]) -> Reader | None:
    """The reader for what a template writes; None where no form that is known here reads it back.

    Args:
        render: writes messages as the template does.
    """
    function = {"name": CALL, "arguments": GIVEN}
    turn = {
        "role": "assistant",
        "content": PROBE,
        "tool_calls": [{"id": "call00001", "type": "function", "function": function}],
    }
    try:
        text = render([{"role": "user", "content": "?"}, turn])
    except Exception:  # a template raises what it likes
        return None
    tail = text[text.find(PROBE) :] if PROBE in text else ""
    for reader in READERS.values():
        content, calls = reader(tail)
        if calls == (ModelCall(CALL, GIVEN),) and content == PROBE:
            return reader
    return None


def _read(opening: re.Pattern[str], arguments: str, text: str) -> Read:
    """Calls that are JSON objects behind an opening; what comes before the first of them is text."""
    content, place = text, 0
    calls: list[ModelCall] = []
    while found := opening.search(text, place):
        if not calls:
            content = text[: found.start()]
        try:
            # Not strict, since models write line breaks inside strings as they are.
            data, place = json.JSONDecoder(strict=False).raw_decode(text, found.end())
        except (ValueError, RecursionError):
            calls.append(
                ModelCall("", problem=f"the call is not a complete JSON object: {_short(text[found.end() :])}")
            )
            # Where a broken object ends is not known, so what follows it cannot be told from its inside.
            break
        calls.append(_called(data, found.groupdict().get("tool"), arguments))
    return content.strip("\n") if calls else text, tuple(calls)


def _called(data: Any, tool: str | None, arguments: str) -> ModelCall:
    if not isinstance(data, dict):
        return ModelCall(tool or "", problem=f"the call is not a JSON object: {_short(json.dumps(data))}")
    name, given = (tool, data) if tool else (data.get("name"), data.get(arguments, {}))
    if isinstance(given, str):  # some families write the arguments as text
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return ModelCall(str(name), problem=f"{arguments!r} is not a JSON object: {_short(given)}")
    if not isinstance(name, str) or not name:
        return ModelCall("", problem=f"the call has no 'name': {_short(json.dumps(data, ensure_ascii=False))}")
    if not isinstance(given, dict):
        return ModelCall(name, problem=f"{arguments!r} is not a JSON object: {_short(json.dumps(given))}")
    return ModelCall(name, given)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


READERS: Mapping[str, Reader] = {
    "tags": partial(_read, re.compile(r"<tool_call>\s*(?=\{)"), "arguments"),
    "fences": partial(_read, re.compile(r"^```tool_call\s*(?=\{)", re.MULTILINE), "arguments"),
    "parameters": partial(_read, re.compile(r"^(?=\{\"name\": )", re.MULTILINE), "parameters"),
    "lines": partial(_read, re.compile(r"^call (?P<tool>[\w.-]+) (?=\{)", re.MULTILINE), "arguments"),
}
