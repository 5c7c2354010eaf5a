"""A stand-in for the package of a model's provider, so that pages which name a real model run without its key.

The model calls the first tool that it is given, with `EUR` and `USD`, until an answer comes that is not a failure, and
then repeats that answer.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any


def langchain_openai() -> ModuleType:
    """A module that LangChain takes for the package `langchain-openai`."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class ChatOpenAI(BaseChatModel):
        model: str = ""
        tool: str = ""

        @property
        def _llm_type(self) -> str:
            return "stand-in"

        def bind_tools(self, tools: Any, **settings: Any) -> Any:
            return self.model_copy(update={"tool": tools[0].name})

        def _generate(self, messages: list[BaseMessage], *args: Any, **settings: Any) -> ChatResult:
            last = messages[-1]
            if isinstance(last, ToolMessage) and last.status != "error":
                reply = AIMessage(f"One euro is {last.text} dollars.")
            else:
                call = {"name": self.tool, "args": {"base": "EUR", "quote": "USD"}, "id": f"call-{len(messages)}"}
                reply = AIMessage("", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=reply)])

    module = ModuleType("langchain_openai")
    module.__dict__["ChatOpenAI"] = ChatOpenAI
    return module
