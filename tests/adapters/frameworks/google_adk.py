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

from sealegs.adapters.conformance import Harness, Scene
from sealegs.adapters.google_adk import wrap

WHERE = {"user_id": "user", "session_id": "session"}


class Scripted(BaseLlm):
    """A model that does what a script says."""

    _scene: Scene = PrivateAttr()

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
        asks = self._scene.script.turn("\n".join([*texts, *results.values()]), results)
        calls = [types.FunctionCall(id=ask.id, name=ask.tool, args=dict(ask.arguments)) for ask in asks]
        parts = [types.Part(function_call=call) for call in calls] or [types.Part(text=self._scene.script.last_words)]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


class GoogleADK(Harness):
    framework = "Google ADK"
    package = "google-adk"
    absent = {"hang_timed_out": "ADK has no timeout for a tool call"}

    def complaint(self, text: str) -> Any:
        return {"error": text}

    def agent(self, scene: Scene) -> Agent:
        tools: list[Any] = list(scene.tools.values())
        if scene.armed:
            tools = wrap(tools, scene.session, "shown" if scene.shows else "raised")
        model = Scripted(model="scripted")
        model._scene = scene
        return Agent(name="desk", model=model, tools=tools)

    def others(self, scene: Scene) -> dict[str, Any]:
        return {"app": App(name="weather", root_agent=self.agent(scene)), "runner": self.runner(scene)}

    def runner(self, scene: Scene) -> InMemoryRunner:
        return InMemoryRunner(self.agent(scene), app_name="weather")

    def play(self, scene: Scene) -> None:
        runner = self.runner(scene)
        asyncio.run(runner.session_service.create_session(app_name="weather", **WHERE))
        for event in runner.run(new_message=question(), **WHERE):
            note(scene, event)

    async def play_async(self, scene: Scene) -> None:
        runner = self.runner(scene)
        await runner.session_service.create_session(app_name="weather", **WHERE)
        async for event in runner.run_async(new_message=question(), **WHERE):
            note(scene, event)


def question() -> types.Content:
    return types.Content(role="user", parts=[types.Part(text="What is the weather?")])


def note(scene: Scene, event: Any) -> None:
    parts = event.content.parts if event.content else ()
    scene.note(" ".join(next((name for name, value in part if value is not None), "") for part in parts))
