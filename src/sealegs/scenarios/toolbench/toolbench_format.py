"""The format: `conversations` of `system`, `user`, `assistant` and `function`; steps as text; a list of tools as text.

The list of tools is in the system's text, as JSON or as Python prints it. An observation is
`{"error": "...", "response": ...}`, the response often JSON in a string once more. The tree of a search is not in it; a
file holds the one path that was taken.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sealegs.agents.arms.toolbench_arm import FINISH, GIVE_UP, finishing, read_step, written_step
from sealegs.faults.user_error import UserError

SYSTEM = """\
You are an agent that solves tasks with tools. At each step give a thought and one action with its input. When the \
task is done call Finish with the final answer.
Specifically, you have access to the following APIs: {tools}"""


class ConversationEntry(BaseModel):
    """One entry of a conversation."""

    model_config = ConfigDict(extra="allow")
    who: Literal["system", "user", "assistant", "function"] = Field(alias="from")
    value: str


class ToolBenchConversation(BaseModel):
    """One trajectory as its file holds it."""

    model_config = ConfigDict(extra="allow")
    id: str = ""
    conversations: list[ConversationEntry]


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """One call and what was observed. `error` is empty where the call worked."""

    tool: str
    arguments: Mapping[str, Any]
    answer: Any
    error: str = ""


@dataclass(frozen=True, slots=True)
class ToolBenchTrajectory:
    """One trajectory read.

    Attributes:
        id: as the file names it.
        request: the user's words.
        tools: entries of the list in the system's text, without Finish.
        steps: the calls in order.
        answer: the final answer; empty where there is none.
        gave_up: whether it ended by giving up.
    """

    id: str
    request: str
    tools: tuple[Mapping[str, Any], ...]
    steps: tuple[ObservedCall, ...]
    answer: str
    gave_up: bool


def read_trajectories(path: Path) -> list[ToolBenchTrajectory]:
    """The trajectories of a file: one JSON list, or one a line.

    Raises:
        UserError: the file cannot be read, or holds entries that are not trajectories; every one is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}; name a file of trajectories in ToolBench's format") from error
    return trajectories_in(text, str(path))


def trajectories_in(text: str, source: str = "trajectories") -> list[ToolBenchTrajectory]:
    """The trajectories of a text; see `read_trajectories`."""
    found: list[ToolBenchTrajectory] = []
    problems: list[str] = []
    for place, item in _items(text, problems, source):
        try:
            found.append(trajectory(ToolBenchConversation.model_validate(item)))
        except ValidationError as error:
            first = error.errors()[0]
            problems.append(f"{source}:{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}")
        except ValueError as error:
            problems.append(f"{source}:{place}: {error}")
    if problems:
        raise UserError("\n".join(problems))
    if not found:
        raise UserError(f"{source} holds no trajectory; it should be a JSON list of them, or hold one per line")
    return found


def _items(text: str, problems: list[str], source: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), 1)
        except (ValueError, RecursionError) as error:
            problems.append(f"{source} is not JSON: {error}")
        return
    # Not `splitlines`: a string of JSON may hold characters such as U+2028, at which that would cut too.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                problems.append(f"{source}:{number}: not JSON: {error}")


def trajectory(found: ToolBenchConversation) -> ToolBenchTrajectory:
    """A conversation read.

    Raises:
        ValueError: it has no request, or its list of tools cannot be read.
    """
    request = next((turn.value for turn in found.conversations if turn.who == "user"), "")
    # The format itself ends the request with this word, which is not the user's.
    request = request.strip().removesuffix("Begin!").strip()
    if not request:
        raise ValueError(f"conversation {found.id!r} has no request of a user")
    system = next((turn.value for turn in found.conversations if turn.who == "system"), "")
    steps: list[ObservedCall] = []
    answer, gave_up = "", False
    turns = found.conversations
    for place, entry in enumerate(turns):
        step = read_step(entry.value) if entry.who == "assistant" else None
        if step is None or step.problem:
            continue
        if step.tool == FINISH:
            answer = str(step.arguments.get("final_answer", ""))
            gave_up = str(step.arguments.get("return_type", "")).startswith(GIVE_UP)
            break
        # A call without an observation, the last one of a file that was cut off, says nothing of its tool.
        after = turns[place + 1] if place + 1 < len(turns) else None
        if after is not None and after.who == "function":
            data, error = parse_observation(after.value)
            steps.append(ObservedCall(step.tool, step.arguments, data, error))
    return ToolBenchTrajectory(found.id, request, tuple(tools_in(system)), tuple(steps), answer, gave_up)


def tools_in(system: str) -> list[Mapping[str, Any]]:
    """The list of tools in the system's text, without Finish; empty where it has none.

    Raises:
        ValueError: what looks like the list cannot be read.
    """
    start, end = system.find("[{"), system.rfind("]")
    if start < 0 or end < start:
        return []
    text = system[start : end + 1]
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            # Many files hold the list as Python prints it, with single quotes and None. It is read as data and never
            # run.
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(f"the list of tools in the system's text is neither JSON nor Python: {error}") from error
    return [entry for entry in found if isinstance(entry, Mapping) and entry.get("name", FINISH) != FINISH]


def parse_observation(text: str) -> tuple[Any, str]:
    """The data of an observation, and its error."""
    data = _data(text)
    if isinstance(data, Mapping) and {"error", "response"} <= data.keys():
        error = str(data["error"] or "")
        return (data["response"] if error else _data(data["response"])), error
    return data, ""


def _data(value: Any) -> Any:
    """A text as the data it writes, JSON or Python's; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError):
        pass
    if value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def conversation_data(found: ToolBenchTrajectory, thoughts: Sequence[str] = ()) -> dict[str, Any]:
    """A trajectory as the format has it."""
    tools = json.dumps([*found.tools, _FINISH_ENTRY], ensure_ascii=False)
    entries = [("system", SYSTEM.format(tools=tools)), ("user", f"\n{found.request}\nBegin!\n")]
    for place, step in enumerate(found.steps):
        thought = thoughts[place] if place < len(thoughts) else ""
        response = json.dumps(step.answer, ensure_ascii=False)
        entries.append(("assistant", "\n" + written_step(thought, step.tool, step.arguments)))
        entries.append(
            ("function", json.dumps({"error": step.error, "response": response}, ensure_ascii=False)),
        )
    entries.append(("assistant", "\n" + finishing("", found.answer, gave_up=found.gave_up)))
    return {"id": found.id, "conversations": [{"from": who, "value": value} for who, value in entries]}


_FINISH_ENTRY = {
    "name": FINISH,
    "description": "Call this when the task is done, or cannot be done.",
    "parameters": {
        "type": "object",
        "properties": {
            "return_type": {"type": "string", "enum": ["give_answer", GIVE_UP]},
            "final_answer": {"type": "string"},
        },
        "required": ["return_type"],
    },
}
