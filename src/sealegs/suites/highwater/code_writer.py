"""A scripted agent that writes code: its calls as messages in the protocol, and observations as what came of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sealegs.agents import Coder, Earlier, Say, UseTool
from sealegs.faults.call import Failure, Outcome, Value, render
from sealegs.suites.highwater.coding_protocol import solution, unwrap_observation

LONGEST = 18_000  # characters of an answer that are printed whole; a turn shows a little more
CODE = """\
import json
answer_{nth} = {tool}({arguments})
text = json.dumps(answer_{nth})
if len(text) > {longest}:
    text = json.dumps([list(row.values()) if isinstance(row, dict) else row for row in answer_{nth}])
print(text if len(text) <= {longest} else json.dumps({{"rows": len(answer_{nth})}}))"""


class Writer:
    """An agent's side of the talk.

    Args:
        agent: decides.
    """

    def __init__(self, agent: Coder) -> None:
        self._agent = agent
        self._made = 0
        self._last: UseTool | None = None

    def message(self) -> str:
        """The next message of the agent."""
        act = self._agent.act()
        if isinstance(act, Say):
            self._last = None
            return f"<thought>This is all I can find.</thought>\n{solution(act.text)}"
        self._last = act
        arguments = ", ".join(f"{name}={_source(value)}" for name, value in act.arguments.items())
        code = CODE.format(nth=self._made, tool=act.tool, arguments=arguments, longest=LONGEST)
        self._made += 1
        return f"<thought>I call {act.tool}.</thought>\n<execute>\n{code}\n</execute>"

    def observe(self, observation: str) -> None:
        """Pass the host's observation to the agent."""
        assert self._last is not None
        self._agent.observe(self._last, _read(unwrap_observation(observation)))


def printed_outcome(outcome: Outcome) -> str:
    """The text that an agent's code would print of an outcome, for an agent that makes its calls in this process.

    Of an answer that is too long to print, the columns' names are left out; if the rest is too long, it becomes the
    number of rows.
    """
    if isinstance(outcome, Failure):
        return render(outcome)
    text = json.dumps(outcome.value)
    if len(text) > LONGEST:
        text = json.dumps([list(row.values()) if isinstance(row, Mapping) else row for row in outcome.value])
    return text if len(text) <= LONGEST else json.dumps({"rows": len(outcome.value)})


def resolve_arguments(use: UseTool, answers: list[Outcome]) -> dict[str, Any]:
    """A call's arguments with what earlier calls answered in their place."""
    given: dict[str, Any] = {}
    for name, value in use.arguments.items():
        earlier = answers[value.call] if isinstance(value, Earlier) else None
        given[name] = value if earlier is None else earlier.value if isinstance(earlier, Value) else None
    return given


def _source(value: Any) -> str:
    return f"answer_{value.call}" if isinstance(value, Earlier) else repr(value)


def _read(text: str) -> str:
    """An observation as JSON: what was printed, or the error in a traceback's last line."""
    last = text.rstrip().rpartition("\n")[2]
    if not text.startswith("Traceback") and "\nTraceback" not in text:
        return text
    name, _, message = last.partition(": ")
    return message if message.startswith('{"error"') else json.dumps({"error": {"type": name, "message": message}})
