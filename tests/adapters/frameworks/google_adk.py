"""Google ADK: `Runner` with an in-memory session and a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import Agent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import PrivateAttr

from sealegs.adapters.conformance import ConformanceCase, Harness
from sealegs.adapters.google_adk import wrap

WHERE = {"user_id": "user", "session_id": "session"}


class Scripted(BaseLlm):
    """A model that does what a script says."""

    _case: ConformanceCase = PrivateAttr()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        results: dict[str, str] = {}
        texts = [str(llm_request.config.system_instruction)]
        for tool in llm_request.config.tools or ():
            texts += [declared.model_dump_json() for declared in tool.function_declarations or ()]  # type: ignore[union-attr]
        for content in llm_request.contents:
            for part in content.parts or ():
                if part.function_response is not None:
                    results[str(part.function_response.id)] = json.dumps(part.function_response.response)
                texts.append(str(part.text))
        asks = self._case.script.turn("\n".join([*texts, *results.values()]), results)
        calls = [types.FunctionCall(id=ask.id, name=ask.tool, args=dict(ask.arguments)) for ask in asks]
        parts = [types.Part(function_call=call) for call in calls] or [types.Part(text=self._case.script.last_words)]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


class GoogleADK(Harness):
    framework = "Google ADK"
    package = "google-adk"
    absent = {"hang_timed_out": "ADK has no timeout for a tool call"}

    def complaint(self, text: str) -> Any:
        return {"error": text}

    def agent(self, case: ConformanceCase) -> Agent:
        tools: list[Any] = list(case.tools.values())
        if case.armed:
            tools = wrap(tools, case.session, "shown" if case.shows else "raised")
        model = Scripted(model="scripted")
        model._case = case
        return Agent(name="desk", model=model, tools=tools)

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {"app": App(name="weather", root_agent=self.agent(case)), "runner": self.runner(case)}

    def runner(self, case: ConformanceCase) -> InMemoryRunner:
        return InMemoryRunner(self.agent(case), app_name="weather")

    def play(self, case: ConformanceCase) -> None:
        runner = self.runner(case)
        asyncio.run(runner.session_service.create_session(app_name="weather", **WHERE))
        for event in runner.run(new_message=question(), **WHERE):
            note(case, event)

    async def play_async(self, case: ConformanceCase) -> None:
        runner = self.runner(case)
        await runner.session_service.create_session(app_name="weather", **WHERE)
        async for event in runner.run_async(new_message=question(), **WHERE):
            note(case, event)


def question() -> types.Content:
    return types.Content(role="user", parts=[types.Part(text="What is the weather?")])


def note(case: ConformanceCase, event: Any) -> None:
    parts = event.content.parts if event.content else ()
    case.note(" ".join(next((name for name, value in part if value is not None), "") for part in parts))
