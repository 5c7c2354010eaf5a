"""CrewAI: an agent that is kicked off by itself, with a scripted model that calls tools natively."""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from pydantic import PrivateAttr

from sealegs.adapters.conformance import ConformanceCase, Harness
from sealegs.adapters.crewai import wrap


class Scripted(BaseLLM):
    """A model that does what a script says."""

    _case: ConformanceCase = PrivateAttr()

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, tools: Any = None, *args: Any, **kwargs: Any) -> Any:
        results = {str(m["tool_call_id"]): str(m["content"]) for m in messages if m["role"] == "tool"}
        texts = [f"{m['role']}: {m.get('content')}" for m in messages]
        asks = self._case.script.turn("\n".join([json.dumps(tools, default=str), *texts]), results)
        calls = [
            {
                "id": ask.id,
                "type": "function",
                "function": {"name": ask.tool, "arguments": json.dumps(dict(ask.arguments))},
            }
            for ask in asks
        ]
        return calls or self._case.script.last_words

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

    def agent(self, case: ConformanceCase) -> Agent:
        tools: list[Any] = [tool(function) for function in case.tools.values()]
        if case.armed:
            tools = wrap(tools, case.session)
        model = Scripted(model="scripted")
        model._case = case
        return Agent(role="desk", goal="answer", backstory="none", llm=model, tools=tools, verbose=False)

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {"crew": self.crew(case), "crew with a cache": self.crew(case, cache=True)}

    def crew(self, case: ConformanceCase, **more: Any) -> Crew:
        agent = self.agent(case)
        task = Task(description="{input}", expected_output="a sentence", agent=agent)
        return Crew(agents=[agent], tasks=[task], **more)

    def play(self, case: ConformanceCase) -> None:
        self.agent(case).kickoff("What is the weather?")

    async def play_async(self, case: ConformanceCase) -> None:
        await self.agent(case).kickoff_async("What is the weather?")
