"""LlamaIndex: `FunctionAgent`, whose workflow calls the tools of one turn at the same time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.llms.mock import MockLLM
from llama_index.core.tools import FunctionTool
from pydantic import PrivateAttr

from sealegs.adapters.conformance import ConformanceCase, Harness, ScriptedToolCall
from sealegs.adapters.llama_index import wrap

PATIENT = 5.0  # seconds


class Scripted(MockLLM, FunctionCallingLLM):
    """A model that does what a script says."""

    _case: ConformanceCase = PrivateAttr()

    @property
    def metadata(self) -> Any:
        return super().metadata.model_copy(update={"is_function_calling_model": True})

    def _prepare_chat_with_tools(self, tools: Sequence[Any], **kwargs: Any) -> dict[str, Any]:
        declared = [json.dumps(tool.metadata.to_openai_tool()) for tool in tools]
        return {"messages": kwargs.get("chat_history") or [], "declared": declared}

    async def achat_with_tools(self, tools: Sequence[Any], *args: Any, **kwargs: Any) -> ChatResponse:
        given = self._prepare_chat_with_tools(tools, **kwargs)
        messages: list[ChatMessage] = given["messages"]
        results = {
            str(message.additional_kwargs["tool_call_id"]): str(message.content)
            for message in messages
            if message.role == MessageRole.TOOL
        }
        texts = [f"{message.role}: {message.content}" for message in messages if message.role != MessageRole.TOOL]
        answers = [results[id] for id in sorted(results)]  # a turn's calls come back in the order in which they end
        asks = self._case.script.turn("\n".join([*given["declared"], *texts, *answers]), results)
        message = ChatMessage(role=MessageRole.ASSISTANT, content="" if asks else self._case.script.last_words)
        message.additional_kwargs["asks"] = asks
        return ChatResponse(message=message)

    def get_tool_calls_from_response(self, response: ChatResponse, **kwargs: Any) -> list[ToolSelection]:
        asks: tuple[ScriptedToolCall, ...] = response.message.additional_kwargs.get("asks", ())
        return [ToolSelection(tool_id=ask.id, tool_name=ask.tool, tool_kwargs=dict(ask.arguments)) for ask in asks]


class LlamaIndex(Harness):
    framework = "LlamaIndex FunctionAgent"
    package = "llama-index-core"
    modes = ("async", "mixed")

    def play(self, case: ConformanceCase) -> None:
        raise NotImplementedError("LlamaIndex's agents are async")

    def agent(self, case: ConformanceCase) -> FunctionAgent:
        tools: list[Any] = [FunctionTool.from_defaults(function) for function in case.tools.values()]
        if case.armed:
            tools = wrap(tools, case.session)
        model = Scripted()
        model._case = case
        # The only timeout is that of the whole run; without it, a cancelled tool leaves the run waiting for ever.
        timeout = case.patience or PATIENT
        return FunctionAgent(tools=tools, llm=model, streaming=False, timeout=timeout)

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {"workflow": AgentWorkflow(agents=[self.agent(case)])}

    async def play_async(self, case: ConformanceCase) -> None:
        run = self.agent(case).run("What is the weather?")
        try:
            async for event in run.stream_events():
                case.note(type(event).__name__)
            await run
        finally:
            if not run.done():
                await run.cancel_run()
