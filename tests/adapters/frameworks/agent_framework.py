"""Microsoft Agent Framework: `Agent` with a scripted chat client under the framework's own loop of calls."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)

from sealegs.adapters.agent_framework import wrap
from sealegs.adapters.conformance import ConformanceCase, Harness


class Scripted(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A model that does what a script says."""

    case: ConformanceCase

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def updates() -> AsyncIterable[ChatResponseUpdate]:
            yield ChatResponseUpdate(role="assistant", contents=self._contents(messages, options))

        async def response() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", self._contents(messages, options))])

        if not stream:
            return response()
        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

    def _contents(self, messages: Sequence[Message], options: Mapping[str, Any]) -> list[Content]:
        results: dict[str, str] = {}
        texts = [json.dumps(tool.to_json_schema_spec()) for tool in options.get("tools") or ()]
        for message in messages:
            texts.append(f"{message.role}: {message.text}")
            results |= {str(c.call_id): str(c.result) for c in message.contents if c.type == "function_result"}
        asks = self.case.script.turn("\n".join([*texts, *results.values()]), results)
        calls = [Content.from_function_call(ask.id, ask.tool, arguments=dict(ask.arguments)) for ask in asks]
        return calls or [Content.from_text(self.case.script.last_words)]


class AgentFramework(Harness):
    framework = "Microsoft Agent Framework"
    package = "agent-framework-core"
    modes = ("async", "mixed")
    absent = {"hang_timed_out": "the framework has no timeout for a tool call"}

    def play(self, case: ConformanceCase) -> None:
        raise NotImplementedError("the framework is async")

    def agent(self, case: ConformanceCase) -> Agent:
        tools: list[Any] = [tool(function) for function in case.tools.values()]
        if case.armed:
            tools = wrap(tools, case.session)
        client = Scripted()
        client.case = case
        return Agent(client, tools=tools)

    async def play_async(self, case: ConformanceCase) -> None:
        async for update in self.agent(case).run("What is the weather?", stream=True):
            case.note(" ".join(content.type for content in update.contents))
