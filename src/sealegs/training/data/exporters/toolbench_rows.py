"""ToolBench's form: `conversations` of thought, action and action input as text.

Beside it a row lists the places of corrective segments and of wrong calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from sealegs.agents import UseTool
from sealegs.agents.arms.toolbench_arm import FINISH, finishing, read_step, tool_entry, written_step
from sealegs.faults.spec import ToolSpec
from sealegs.scenarios.toolbench.toolbench_format import SYSTEM
from sealegs.training.data.exporters.exporter import Exporter, Row, RowTurn
from sealegs.training.data.trajectory_player import Message


class ToolBenchRows(Exporter):
    """A turn for each message."""

    name: ClassVar[str] = "toolbench"
    order = 1
    column: ClassVar[str] = "conversations"

    def columns(self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, gave_up: bool) -> Row:
        """The conversation, and the places of what recovers and of what is not learned."""
        return {
            "conversations": toolbench_conversation(messages, specs, gave_up=gave_up),
            "recovery_turns": [place for place, message in enumerate(messages) if message.get("recovery")],
            "unlearned_turns": [place for place, message in enumerate(messages) if message.get("train") is False],
        }

    def turns(self, row: Row) -> Iterator[RowTurn]:
        """The assistant's steps, each with the turn after it."""
        turns = row["conversations"]
        for place, entry in enumerate(turns):
            step = read_step(entry["value"]) if entry["from"] == "assistant" else None
            if step is not None and step.tool != FINISH:
                trained = place not in row.get("unlearned_turns", ())
                yield RowTurn(entry["value"], UseTool(step.tool, step.arguments), turns[place + 1]["value"], trained)

    def last_words(self, row: Row) -> str | None:
        """The last turn, where it is the assistant's."""
        last = row["conversations"][-1]
        return last["value"] if last["from"] == "assistant" else None

    def answer(self, row: Row) -> str | None:
        """The answer that the last turn finishes with; None if it does not finish."""
        last = self.last_words(row)
        step = read_step(last) if last is not None else None
        return str(step.arguments["final_answer"]) if step is not None and step.tool == FINISH else None

    def fields(self, data: Any) -> dict[str, Any]:
        """A list of turns, and lists of places."""
        import pyarrow as pa

        turn = pa.struct([("from", pa.string()), ("value", pa.string())])
        places = pa.list_(pa.int32())
        return {"conversations": pa.list_(turn), "recovery_turns": places, "unlearned_turns": places}


def toolbench_conversation(
    messages: Sequence[Message], specs: Sequence[ToolSpec], *, gave_up: bool
) -> list[dict[str, str]]:
    """Messages as ToolBench has them: one turn each."""
    tools = json.dumps([tool_entry(spec) for spec in specs], ensure_ascii=False)
    texts: list[dict[str, str]] = []
    for message in messages:
        if message["role"] == "system":
            texts.append({"from": "system", "value": f"{message['content']}\n{SYSTEM.format(tools=tools)}"})
        elif message["role"] == "user":
            texts.append({"from": "user", "value": f"\n{message['content']}\nBegin!\n"})
        elif message["role"] == "tool":
            texts.append({"from": "function", "value": toolbench_observation(message["content"])})
        else:
            texts.append({"from": "assistant", "value": "\n" + _step(message, gave_up=gave_up)})
    return texts


def toolbench_observation(text: str) -> str:
    """A tool's text as an observation: an error and a response, one of them empty."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    error = data.get("error") if isinstance(data, dict) else None
    body = (
        {"error": json.dumps(error, ensure_ascii=False), "response": ""} if error else {"error": "", "response": text}
    )
    return json.dumps(body, ensure_ascii=False)


def _step(message: Message, *, gave_up: bool) -> str:
    for call in message.get("tool_calls", ()):
        return written_step(message["content"], call["function"]["name"], call["function"]["arguments"])
    thought = message["content"].split("\n")[0] if message["recovery"] else "All that was asked for is there."
    return finishing(thought, message["content"], gave_up=gave_up)
