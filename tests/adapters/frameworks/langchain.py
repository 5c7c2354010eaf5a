"""LangChain: `create_agent` with the middleware, and a graph of one's own with a bare `ToolNode` and wrapped tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import PrivateAttr

from sealegs.adapters.conformance import ConformanceCase, Harness, ModelScript
from sealegs.adapters.langchain import Seam, wrap

START_WITH = {"messages": [{"role": "user", "content": "What is the weather?"}]}


class Scripted(BaseChatModel):
    """A chat model that does what a script says."""

    _script: ModelScript = PrivateAttr()
    _declared: str = PrivateAttr(default="")

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Scripted:  # type: ignore[override]
        self._declared = json.dumps([convert_to_openai_tool(tool) for tool in tools])
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        results = {m.tool_call_id: m.text for m in messages if isinstance(m, ToolMessage)}
        texts = [f"{m.type} {getattr(m, 'status', '')}: {m.text}" for m in messages]
        asks = self._script.turn("\n".join([self._declared, *texts]), results)
        calls = [{"id": ask.id, "name": ask.tool, "args": dict(ask.arguments)} for ask in asks]
        message = AIMessage(content="" if asks else self._script.last_words, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def model(script: ModelScript) -> Scripted:
    made = Scripted()
    made._script = script
    return made


class LangChain(Harness):
    framework = "LangChain create_agent"
    package = "langchain"
    complaint = ToolException
    absent = {
        "hang_timed_out (sync)": "step_timeout waits for the thread of a sync tool",
        "hang_timed_out (mixed)": "step_timeout waits for the thread of a sync tool, faulty or not",
    }

    def agent(self, case: ConformanceCase, **more: Any) -> Any:
        tools = made(case)
        seam = [Seam(case.session, "shown" if case.shows else "raised")] if case.armed else []
        agent = create_agent(model(case.script), tools, middleware=seam, **more)
        agent.step_timeout = case.patience
        return agent

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {
            "agent with a checkpointer": self.agent(case, checkpointer=InMemorySaver()),
            "agent in a chain": self.agent(case).with_retry() | (lambda state: state["messages"][-1]),
        }

    def play(self, case: ConformanceCase) -> None:
        for kind, part in self.agent(case).stream(START_WITH, stream_mode=["updates", "custom"]):
            noted(case, kind, part)

    async def play_async(self, case: ConformanceCase) -> None:
        async for kind, part in self.agent(case).astream(START_WITH, stream_mode=["updates", "custom"]):
            noted(case, kind, part)

    def progress(self, text: str) -> None:
        get_stream_writer()(text)


class LangGraph(LangChain):
    framework = "LangGraph ToolNode"
    package = "langgraph-prebuilt"

    def agent(self, case: ConformanceCase, **more: Any) -> Any:
        tools = made(case)
        if case.armed:
            tools = wrap(tools, case.session, "shown" if case.shows else "raised")
        chat = model(case.script).bind_tools(tools)
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda state: {"messages": [chat.invoke(state["messages"])]})
        graph.add_node("tools", ToolNode(tools, handle_tool_errors=False))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
        graph.add_edge("tools", "model")
        compiled = graph.compile(**more)
        compiled.step_timeout = case.patience
        return compiled


def made(case: ConformanceCase) -> list[BaseTool]:
    way = "coroutine" if case.mode == "async" else "func"
    tools: list[BaseTool] = [
        StructuredTool.from_function(**{way: function}, parse_docstring=True)  # type: ignore[arg-type]
        for function in case.tools.values()
    ]
    for tool in tools:
        tool.handle_tool_error = not case.armed  # a tool whose author has it tell the model of its `ToolException`
    return tools


def noted(case: ConformanceCase, kind: str, part: Any) -> None:
    case.note(str(part) if kind == "custom" else f"{kind}: {', '.join(part)}")
