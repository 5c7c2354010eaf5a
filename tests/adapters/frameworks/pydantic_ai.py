"""Pydantic AI: an agent with the capability, and one with the toolset wrapper."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent, ModelMessage, Tool, ToolFailed
from pydantic_ai.messages import (
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from sealegs.adapters.conformance import ConformanceCase, Harness, ScriptedToolCall
from sealegs.adapters.pydantic_ai import Errors, Seam, SeamToolset


class PydanticAI(Harness):
    framework = "Pydantic AI capability"
    package = "pydantic-ai-slim"
    complaint = ToolFailed

    def agent(self, case: ConformanceCase) -> Agent:
        tools = [Tool(function, timeout=case.patience) for function in case.tools.values()]
        seam = [Seam(case.session, errors(case))] if case.armed else []
        return Agent(model(case), tools=tools, capabilities=seam, retries=0 if case.patience is None else 3)

    def play(self, case: ConformanceCase) -> None:
        async def noted(context: Any, events: Any) -> None:
            async for event in events:
                note(case, event)

        self.agent(case).run_sync("What is the weather?", event_stream_handler=noted)

    async def play_async(self, case: ConformanceCase) -> None:
        async with self.agent(case).run_stream_events("What is the weather?") as events:
            async for event in events:
                note(case, event)


class PydanticAIToolset(PydanticAI):
    framework = "Pydantic AI toolset"

    def agent(self, case: ConformanceCase) -> Agent:
        inner: FunctionToolset[Any] = FunctionToolset(list(case.tools.values()), timeout=case.patience)
        toolset = SeamToolset(inner, case.session, errors(case)) if case.armed else inner
        return Agent(model(case), toolsets=[toolset], retries=0 if case.patience is None else 3)


def errors(case: ConformanceCase) -> Errors:
    return "shown" if case.shows else "raised"


def model(case: ConformanceCase) -> FunctionModel:
    def turn(messages: list[ModelMessage], info: AgentInfo) -> tuple[ScriptedToolCall, ...]:
        results: dict[str, str] = {}
        texts = [f"{tool.name}: {tool.description} {tool.parameters_json_schema}" for tool in info.function_tools]
        for message in messages:
            for part in message.parts:
                if isinstance(part, ToolReturnPart):
                    results[part.tool_call_id] = part.model_response_str()
                    texts.append(f"{part.tool_call_id} {part.outcome}")
                elif isinstance(part, RetryPromptPart):
                    results[part.tool_call_id] = part.model_response()
                elif isinstance(part, UserPromptPart):
                    texts.append(str(part.content))
        return case.script.turn("\n".join([*texts, *results.values()]), results)

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        asks = turn(messages, info)
        for index, ask in enumerate(asks):
            yield {index: DeltaToolCall(ask.tool, json.dumps(dict(ask.arguments)), tool_call_id=ask.id)}
        if not asks:
            yield case.script.last_words

    def whole(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asks = turn(messages, info)
        calls = [ToolCallPart(ask.tool, dict(ask.arguments), tool_call_id=ask.id) for ask in asks]
        return ModelResponse(calls or [TextPart(case.script.last_words)])

    return FunctionModel(whole, stream_function=streamed)


def note(case: ConformanceCase, event: Any) -> None:
    case.note(type(event).__name__)
