"""Strands Agents: an agent with decorated functions, and one whose tools stream."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import AsyncGenerator, Callable
from typing import Any

from sealegs.adapters.conformance import ConformanceCase, Harness
from sealegs.adapters.strands import wrap

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of OpenTelemetry, at import
    from strands import Agent, tool
    from strands.hooks import BeforeInvocationEvent
    from strands.models import Model


class Scripted(Model):
    """A model that does what a script says."""

    def __init__(self, case: ConformanceCase) -> None:
        self.case = case
        self.reads_too: Callable[[], str] = str  # what an agent puts before it besides

    def update_config(self, **model_config: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, *args: Any, **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        results: dict[str, str] = {}
        texts = [self.reads_too(), *(json.dumps(spec) for spec in tool_specs or ())]
        for message in messages:
            for part in message["content"]:
                result = part.get("toolResult")
                if result is not None:
                    results[result["toolUseId"]] = "\n".join(str(one.get("text")) for one in result["content"])
                    texts.append(f"{result['toolUseId']} {result['status']}")
                else:
                    texts.append(str(part.get("text")))
        asks = self.case.script.turn("\n".join([*texts, *results.values()]), results)
        yield {"messageStart": {"role": "assistant"}}
        for ask in asks:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": ask.id, "name": ask.tool}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(dict(ask.arguments))}}}}
            yield {"contentBlockStop": {}}
        if not asks:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": self.case.script.last_words}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if asks else "end_turn"}}


class Strands(Harness):
    framework = "Strands Agents"
    package = "strands-agents"
    absent = {"hang_timed_out": "Strands has no timeout for a tool call"}

    def tools(self, case: ConformanceCase) -> list[Any]:
        return [tool(function) for function in case.tools.values()]

    def agent(self, case: ConformanceCase, **more: Any) -> Agent:
        tools = self.tools(case)
        if case.armed:
            tools = wrap(tools, case.session)
        return Agent(model=Scripted(case), tools=tools, **{"callback_handler": None, **more})

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        """One that counts its runs in its state."""
        agent = self.agent(case)

        def count(event: BeforeInvocationEvent) -> None:
            agent.state.set("runs", (agent.state.get("runs") or 0) + 1)

        agent.hooks.add_callback(BeforeInvocationEvent, count)
        model: Any = agent.model
        model.reads_too = lambda: f"run {agent.state.get('runs')}"
        return {"agent with a state": agent}

    def play(self, case: ConformanceCase) -> None:
        self.agent(case, callback_handler=lambda **event: note(case, event))("What is the weather?")

    async def play_async(self, case: ConformanceCase) -> None:
        async for event in self.agent(case).stream_async("What is the weather?"):
            note(case, event)


class StrandsStream(Strands):
    framework = "Strands streaming tools"
    modes = ("async",)

    def tools(self, case: ConformanceCase) -> list[Any]:
        return [tool(streamed(function)) for function in case.tools.values()]


def streamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A tool that tells how it gets on before it answers."""

    async def chunks(city: str) -> AsyncGenerator[Any, None]:
        for text in ("I look.", "I see."):
            yield text
            await asyncio.sleep(0.01)
        yield await function(city)

    chunks.__name__, chunks.__doc__ = function.__name__, function.__doc__
    return chunks


def note(case: ConformanceCase, event: Any) -> None:
    stream = event.get("tool_stream_event")
    data = stream["data"] if stream is not None and isinstance(stream["data"], str) else ""
    case.note(f"{' '.join(sorted(str(key) for key in event))} {data}")
