"""AutoGen AgentChat: `AssistantAgent` with tools, with tools that stream, and with a workbench of somebody else's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import CreateResult, FunctionExecutionResultMessage, RequestUsage
from autogen_core.tools import BaseStreamTool, FunctionTool, TextResultContent, ToolResult, ToolSchema, Workbench
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel

from sealegs.adapters.autogen import wrap
from sealegs.adapters.conformance import ConformanceCase, Harness

ABLE = ("vision", "function_calling", "json_output", "structured_output")
INFO = {**{name: name == "function_calling" for name in ABLE}, "family": "unknown"}


class Scripted(ReplayChatCompletionClient):
    """A model that does what a script says."""

    def __init__(self, case: ConformanceCase) -> None:
        super().__init__([], model_info=INFO)  # type: ignore[arg-type]
        self.case = case

    async def create(self, messages: Sequence[Any], *, tools: Sequence[Any] = (), **kwargs: Any) -> CreateResult:
        results: dict[str, str] = {}
        texts = [json.dumps(tool if isinstance(tool, dict) else tool.schema) for tool in tools]
        for message in messages:
            if isinstance(message, FunctionExecutionResultMessage):
                results |= {result.call_id: result.content for result in message.content}
                texts += [f"{result.name} {result.is_error} {result.content}" for result in message.content]
            else:
                texts.append(str(message.content) if isinstance(message.content, str) else "")
        asks = self.case.script.turn("\n".join(texts), results)
        calls = [FunctionCall(ask.id, json.dumps(dict(ask.arguments)), ask.tool) for ask in asks]
        return CreateResult(
            finish_reason="function_calls" if calls else "stop",
            content=calls or self.case.script.last_words,
            usage=RequestUsage(0, 0),
            cached=False,
        )


class AutoGen(Harness):
    framework = "AutoGen AssistantAgent"
    package = "autogen-agentchat"
    modes = ("async", "mixed")
    absent = {
        "hang_timed_out": "AutoGen has no timeout for a tool call",
        "hang_let_go": "AutoGen waits for ever once a tool was cancelled, faulty or not; cancel the run itself",
    }

    def play(self, case: ConformanceCase) -> None:
        raise NotImplementedError("AutoGen is async")

    def given(self, case: ConformanceCase) -> dict[str, Any]:
        tools = made(case)
        return {"tools": wrap(tools, case.session) if case.armed else tools}

    def agent(self, case: ConformanceCase) -> AssistantAgent:
        return AssistantAgent("desk", Scripted(case), **self.given(case), max_tool_iterations=20)

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {"team": RoundRobinGroupChat([self.agent(case)], max_turns=1)}

    async def play_async(self, case: ConformanceCase) -> None:
        async for event in self.agent(case).run_stream(task="What is the weather?"):
            case.note(type(event).__name__)


class Bench(Workbench):
    """A workbench of somebody else's: answers are JSON, as those of MCP servers, and errors are part of the result."""

    component_type = "workbench"

    def __init__(self, tools: list[FunctionTool]) -> None:
        self.tools = {tool.name: tool for tool in tools}

    async def list_tools(self) -> list[ToolSchema]:
        return [tool.schema for tool in self.tools.values()]

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        try:
            value = await self.tools[name].run_json(arguments or {}, CancellationToken())
        except Exception as error:
            return ToolResult(name=name, result=[TextResultContent(content=str(error))], is_error=True)
        text = value if isinstance(value, str) else json.dumps(value)
        return ToolResult(name=name, result=[TextResultContent(content=text)])

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def reset(self) -> None: ...

    async def save_state(self) -> Mapping[str, Any]:
        return {}

    async def load_state(self, state: Mapping[str, Any]) -> None: ...


class AutoGenWorkbench(AutoGen):
    framework = "AutoGen workbench"

    def given(self, case: ConformanceCase) -> dict[str, Any]:
        bench = Bench(made(case))
        return {"workbench": wrap(bench, case.session) if case.armed else bench}


class City(BaseModel):
    city: str


class Answer(BaseModel):
    value: Any


class Streamed(BaseStreamTool[City, TextMessage, Answer]):
    """A tool that tells how it gets on before it answers, with an object that it puts into words itself."""

    def __init__(self, function: Callable[..., Any], case: ConformanceCase) -> None:
        super().__init__(City, Answer, function.__name__, function.__doc__ or "")
        self.function, self.case = function, case

    def return_value_as_string(self, value: Answer) -> str:
        return value.value if isinstance(value.value, str) else json.dumps(value.value)

    async def run(self, args: City, cancellation_token: CancellationToken) -> Answer:
        return Answer(value=await self.function(args.city))

    async def run_stream(self, args: City, cancellation_token: CancellationToken) -> AsyncGenerator[Any, None]:
        for text in ("I look.", "I see."):
            yield TextMessage(content=text, source=self.name)
            await asyncio.sleep(0.01)
        self.case.note(f"{self.name} has seen")
        yield await self.run(args, cancellation_token)


class AutoGenStream(AutoGen):
    framework = "AutoGen streaming tools"
    modes = ("async",)

    def given(self, case: ConformanceCase) -> dict[str, Any]:
        tools = [Streamed(function, case) for function in case.tools.values()]
        return {"tools": wrap(tools, case.session) if case.armed else tools}


def made(case: ConformanceCase) -> list[Any]:
    return [FunctionTool(function, description=function.__doc__ or "") for function in case.tools.values()]
