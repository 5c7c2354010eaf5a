"""DSPy: `ReAct`, whose calls come one after the other."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import dspy

from sealegs.adapters.conformance import ConformanceCase, Harness, ScriptedToolCall
from sealegs.adapters.dspy import wrap

OBSERVED = re.compile(r"\[\[ ## observation_(\d+) ## \]\]\n(.*?)(?=\n\n\[\[ ## |\Z)", re.DOTALL)


class Scripted(dspy.BaseLM):
    """A model that does what a script says, a call a turn."""

    def __init__(self, case: ConformanceCase) -> None:
        super().__init__(model="scripted", cache=False)
        self.case = case
        self.waiting: list[ScriptedToolCall] = []
        self.asks: list[ScriptedToolCall] = []

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        text = "\n".join(str(message["content"]) for message in messages)
        if "[[ ## next_tool_name ## ]]" not in text:  # what is left is to put the answer into words
            words = self.case.script.last_words
            return _reply(f"[[ ## reasoning ## ]]\nEnough.\n\n[[ ## answer ## ]]\n{words}\n\n[[ ## completed ## ]]")
        if not self.waiting:
            if not OBSERVED.search(text):  # a conversation begins
                self.asks.clear()
            found = {int(number): observation for number, observation in OBSERVED.findall(text)}
            results = {ask.id: found[number] for number, ask in enumerate(self.asks)}
            self.waiting = list(self.case.script.turn(text, results))
        name, arguments = "finish", {}
        if self.waiting:
            ask = self.waiting.pop(0)
            self.asks.append(ask)
            name, arguments = ask.tool, dict(ask.arguments)
        return _reply(
            f"[[ ## next_thought ## ]]\nSo be it.\n\n[[ ## next_tool_name ## ]]\n{name}\n\n"
            f"[[ ## next_tool_args ## ]]\n{json.dumps(arguments)}\n\n[[ ## completed ## ]]"
        )

    async def aforward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        return self.forward(prompt, messages, **kwargs)


class DSPy(Harness):
    framework = "DSPy ReAct"
    package = "dspy"
    absent = {
        "hang_timed_out": "DSPy has no timeout for a tool call",
        "streaming": "ReAct streams nothing of its tools",
        "delay (mixed)": "DSPy runs sync tools in the event loop itself, faulty or not",
        "hang_cancelled (mixed)": "DSPy runs sync tools in the event loop itself, faulty or not",
    }

    def agent(self, case: ConformanceCase) -> dspy.ReAct:
        made = agent(case)
        made.set_lm(Scripted(case))
        return made

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {"module": Program(self.agent(case))}

    def play(self, case: ConformanceCase) -> None:
        with dspy.context(lm=Scripted(case), adapter=dspy.ChatAdapter()):
            agent(case)(question="What is the weather?")

    async def play_async(self, case: ConformanceCase) -> None:
        with dspy.context(lm=Scripted(case), adapter=dspy.ChatAdapter()):
            await agent(case).acall(question="What is the weather?")


class Program(dspy.Module):
    """A module of one's own around it."""

    def __init__(self, react: dspy.ReAct) -> None:
        super().__init__()
        self.react = react

    def forward(self, request: str) -> Any:
        return self.react(question=request)


def agent(case: ConformanceCase) -> dspy.ReAct:
    tools: list[Any] = list(case.tools.values())
    return dspy.ReAct("question -> answer", tools=wrap(tools, case.session) if case.armed else tools)


def _reply(text: str) -> Any:
    message = SimpleNamespace(content=text, tool_calls=None, role="assistant")
    choice = SimpleNamespace(message=message, finish_reason="stop", index=0)
    return SimpleNamespace(choices=[choice], usage={}, model="scripted")
