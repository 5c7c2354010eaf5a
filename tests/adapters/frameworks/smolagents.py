"""smolagents: the tool-calling agent, whose calls of one turn run in threads, and the code agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from smolagents import ChatMessage, CodeAgent, MultiStepAgent, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole, Model

from sealegs.adapters.conformance import ConformanceCase, Harness, ScriptedToolCall
from sealegs.adapters.smolagents import wrap


class Scripted(Model):
    """A model that does what a script says, by tool calls or by code."""

    def __init__(self, case: ConformanceCase, *, by_code: bool, keeps: bool = False) -> None:
        super().__init__(model_id="scripted")
        self.case, self.by_code = case, by_code
        self.line = "answer = {call}\nprint(answer)" if keeps else "print({call})"
        self.asks: tuple[ScriptedToolCall, ...] = ()
        self.reads_too: Callable[[], str] = str  # what an agent puts before it besides

    def generate(self, messages: list[Any], *args: Any, tools_to_call_from: Any = None, **kwargs: Any) -> ChatMessage:
        texts = [_text(message) for message in messages]
        declared = [tool.to_tool_calling_prompt() for tool in tools_to_call_from or ()]
        # Several calls of one turn come back as one text; with code there is one text by its nature.
        results = {ask.id: texts[-1] for ask in self.asks}
        self.asks = self.case.script.turn("\n".join([self.reads_too(), *declared, *texts]), results)
        if self.by_code:
            lines = [self.line.format(call=f"{ask.tool}(city={ask.arguments['city']!r})") for ask in self.asks]
            code = "\n".join(lines or [f"final_answer({self.case.script.last_words!r})"])
            return ChatMessage(MessageRole.ASSISTANT, f"Thought: so be it\n<code>\n{code}\n</code>")
        calls = [_call(ask.id, ask.tool, dict(ask.arguments)) for ask in self.asks]
        calls = calls or [_call("final", "final_answer", {"answer": self.case.script.last_words})]
        return ChatMessage(MessageRole.ASSISTANT, "", tool_calls=calls)


class SmolToolCalling(Harness):
    framework = "smolagents ToolCallingAgent"
    package = "smolagents"
    modes = ("sync",)
    absent = {"hang_timed_out": "smolagents has no timeout for a tool call"}

    def agent(self, case: ConformanceCase) -> MultiStepAgent:
        return ToolCallingAgent(made(case), Scripted(case, by_code=False), verbosity_level=-1, max_steps=12)

    def play(self, case: ConformanceCase) -> None:
        for step in self.agent(case).run("What is the weather?", stream=True):
            case.note(type(step).__name__)

    async def play_async(self, case: ConformanceCase) -> None:
        raise NotImplementedError("smolagents is sync")


class SmolCode(SmolToolCalling):
    framework = "smolagents CodeAgent"
    absent = {"hang_timed_out": "the timeout of the local executor waits for its thread, faulty or not"}

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        """One whose code defines a variable, and whose model reads which there are."""
        model = Scripted(case, by_code=True, keeps=True)
        agent = CodeAgent(made(case), model, verbosity_level=-1, max_steps=12)
        executor: Any = agent.python_executor
        model.reads_too = lambda: f"defined: {'answer' in executor.state}"
        return {"agent with variables": agent}

    def agent(self, case: ConformanceCase) -> MultiStepAgent:
        return CodeAgent(made(case), Scripted(case, by_code=True), verbosity_level=-1, max_steps=12)


def made(case: ConformanceCase) -> list[Any]:
    tools = [tool(function) for function in case.tools.values()]
    return wrap(tools, case.session) if case.armed else tools


def _call(id: str, name: str, arguments: dict[str, Any]) -> ChatMessageToolCall:
    return ChatMessageToolCall(ChatMessageToolCallFunction(arguments, name), id, "function")


def _text(message: Any) -> str:
    content = message.content
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(str(part.get("text")) for part in parts)
