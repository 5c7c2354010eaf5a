"""CrewAI: an agent that is kicked off by itself, with a scripted model that calls tools natively."""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from pydantic import PrivateAttr

from sealegs.adapters.conformance import Harness, Scene
from sealegs.adapters.crewai import wrap


class Scripted(BaseLLM):
    """A model that does what a script says."""

    _scene: Scene = PrivateAttr()

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, tools: Any = None, *args: Any, **kwargs: Any) -> Any:
        results = {str(m["tool_call_id"]): str(m["content"]) for m in messages if m["role"] == "tool"}
        texts = [f"{m['role']}: {m.get('content')}" for m in messages]
        asks = self._scene.script.turn("\n".join([json.dumps(tools, default=str), *texts]), results)
        calls = [
            {
                "id": ask.id,
                "type": "function",
                "function": {"name": ask.tool, "arguments": json.dumps(dict(ask.arguments))},
            }
            for ask in asks
        ]
        return calls or self._scene.script.last_words

    async def acall(self, messages: Any, tools: Any = None, *args: Any, **kwargs: Any) -> Any:
        return self.call(messages, tools)


class CrewAI(Harness):
    framework = "CrewAI Agent"
    package = "crewai"
    absent = {
        "hang_cancelled": "CrewAI runs tools in threads, which cannot be cancelled",
        "hang_timed_out": "CrewAI has no timeout for a tool call",
        "streaming": "CrewAI streams nothing of its tools",
        "agent_checked of crew with a cache": "the cache gives a wrong answer again, which the check finds",
    }

    def agent(self, scene: Scene) -> Agent:
        tools: list[Any] = [tool(function) for function in scene.tools.values()]
        if scene.armed:
            tools = wrap(tools, scene.session)
        model = Scripted(model="scripted")
        model._scene = scene
        return Agent(role="desk", goal="answer", backstory="none", llm=model, tools=tools, verbose=False)

    def others(self, scene: Scene) -> dict[str, Any]:
        return {"crew": self.crew(scene), "crew with a cache": self.crew(scene, cache=True)}

    def crew(self, scene: Scene, **more: Any) -> Crew:
        agent = self.agent(scene)
        task = Task(description="{input}", expected_output="a sentence", agent=agent)
        return Crew(agents=[agent], tasks=[task], **more)

    def play(self, scene: Scene) -> None:
        self.agent(scene).kickoff("What is the weather?")

    async def play_async(self, scene: Scene) -> None:
        await self.agent(scene).kickoff_async("What is the weather?")
