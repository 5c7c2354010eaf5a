"""TRL's conversational tool-calling form: `messages` and `tools`, which chat templates read too.

`tools` is JSON text, which both take. An assistant's message says in `recovery` whether it is a corrective segment, and
in `train` whether it is learned, which the agent's own wrong calls are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from sealegs.agents import UseTool
from sealegs.agents.arms.toolbench_arm import tool_entry
from sealegs.faults.spec import ToolSpec
from sealegs.training.data.exporters.exporter import Exporter, Row, RowTurn
from sealegs.training.data.trajectory_player import Message


class TrlRows(Exporter):
    """Messages as they are, and the tools as JSON text."""

    name: ClassVar[str] = "trl"
    order = 0
    column: ClassVar[str] = "messages"

    def columns(self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, gave_up: bool) -> Row:
        """The messages and the tools."""
        return {"messages": messages, "tools": json.dumps(offered_tools(specs), ensure_ascii=False)}

    def turns(self, row: Row) -> Iterator[RowTurn]:
        """The calls of all messages, with the answers of the same id."""
        answers = {m["tool_call_id"]: m["content"] for m in row["messages"] if m["role"] == "tool"}
        for message in row["messages"]:
            for call in message.get("tool_calls") or ():
                use = UseTool(call["function"]["name"], call["function"]["arguments"])
                trained = message.get("train") is not False
                yield RowTurn(message["content"], use, answers.get(call["id"], ""), trained)

    def last_words(self, row: Row) -> str | None:
        """The last message, where it is the assistant's and calls nothing."""
        last = row["messages"][-1]
        return last["content"] if last["role"] == "assistant" and not last.get("tool_calls") else None

    def fields(self, data: Any) -> dict[str, Any]:
        """A list of messages, and text."""
        import pyarrow as pa

        text, truth = pa.string(), pa.bool_()
        function = pa.struct([("name", text), ("arguments", data)])
        call = pa.struct([("id", text), ("type", text), ("function", function)])
        names = [("role", text), ("content", text), ("recovery", truth), ("train", truth)]
        names += [("tool_calls", pa.list_(call)), ("tool_call_id", text), ("name", text)]
        return {"messages": pa.list_(pa.struct(names)), "tools": text}

    def stored(self, row: Row) -> Row:
        """The row with the arguments of calls as JSON text."""
        return {**row, "messages": [_flat(message) for message in row["messages"]]}

    def restored(self, row: Row) -> Row:
        """The row with the arguments of calls as objects, and without what a message has not."""
        return {**row, "messages": [_message(message) for message in row["messages"]]}


def offered_tools(specs: Sequence[ToolSpec]) -> tuple[dict[str, Any], ...]:
    """Tools as TRL and chat templates take them."""
    return tuple({"type": "function", "function": tool_entry(spec)} for spec in specs)


def _flat(message: Mapping[str, Any]) -> dict[str, Any]:
    if "tool_calls" not in message:
        return dict(message)
    calls = [
        {
            **call,
            "function": {
                **call["function"],
                "arguments": json.dumps(call["function"]["arguments"], ensure_ascii=False),
            },
        }
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _message(stored: Mapping[str, Any]) -> dict[str, Any]:
    message = {name: value for name, value in stored.items() if value is not None}
    for call in message.get("tool_calls", ()):
        if isinstance(call["function"]["arguments"], str):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return message
