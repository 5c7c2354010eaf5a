"""Thought, action, observation as text, as the trajectories of ToolBench have it; nothing is said about failures.

The form of a step is read and written here, also for the suite that reads such trajectories.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from sealegs.agents.arms import arm_prompts
from sealegs.agents.arms.arm_base import Arm, ArmContext, Message, ModelToolUse, Steps, ask_model, use_tool
from sealegs.faults.spec import ToolSpec

FINISH = "Finish"
GIVE_UP = "give_up"
_STEP = re.compile(r"Action\s*:\s*(?P<tool>[^\n]*)\n+\s*Action Input\s*:\s*(?P<input>.*)", re.DOTALL)
_END = re.compile(r"\n\s*(?:Thought|Action|Observation)\s*:")


class ToolBench(Arm):
    """A step of text at a time, until the action Finish, or a text without an action."""

    def converse(self, context: ArmContext) -> Steps:
        """Carry out the request."""
        tools = json.dumps([tool_entry(spec) for spec in context.specs], ensure_ascii=False)
        system = f"{arm_prompts.REACT.format(tools=tools)}\n{context.form}".strip()
        talk = [Message("system", system), Message("user", context.request)]
        while True:
            reply = yield from ask_model(talk, tools=False)
            talk.append(Message("assistant", reply.text))
            step = read_step(reply.text, f"step-{len(talk)}")
            if step is None:
                return reply.text
            if step.tool == FINISH:
                return str(step.arguments.get("final_answer", ""))
            text = f"The step cannot be read: {step.problem}." if step.problem else (yield from use_tool(step))
            talk.append(Message("user", f"Observation: {text}"))


def tool_entry(spec: ToolSpec) -> dict[str, Any]:
    """A tool as the list in the system's text has it."""
    return {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}


def read_step(text: str, id: str = "") -> ModelToolUse | None:
    """The action of a step; None where the text holds none. One that cannot be read says so in `problem`."""
    found = _STEP.search(text)
    if found is None:
        return None
    tool = found["tool"].strip().strip("`\"'")
    given = _END.split(found["input"])[0].strip()
    given = re.sub(r"^```\w*\s*|\s*```$", "", given)
    arguments = object_in(given)
    if arguments is None:
        return ModelToolUse(tool, {}, id, "the action input is no JSON object")
    return ModelToolUse(tool, arguments, id)


def object_in(text: str) -> Mapping[str, Any] | None:
    """The JSON object, or Python's, at the beginning of a text; None where there is none."""
    if not text:
        return {}
    try:
        found, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return found if isinstance(found, Mapping) else None


def written_step(thought: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """A step as text."""
    given = json.dumps(dict(arguments), ensure_ascii=False, default=str)
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {given}"


def finishing(thought: str, answer: str, *, gave_up: bool = False) -> str:
    """The last step as text."""
    kind = GIVE_UP if gave_up else "give_answer"
    return written_step(thought, FINISH, {"return_type": kind, "final_answer": answer})
