"""Episodes over LangChain: its own agent, messages and running of tools, with a scripted agent as the chat model.

The tools are LangChain tools whose calls go through the session as those of any LangChain agent do; what answers below
the session is the simulated world, in place of the tools' bodies, so that a tool can be run without its effect.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool

from sealegs.adapters.langchain import Seam
from sealegs.agents import Say, ScriptedAgent
from sealegs.engines.episode_harness import EpisodeHarness
from sealegs.faults.call import Call, Failure, Outcome, failure_body
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session
from sealegs.scenarios.scenario import TOOL_TIMEOUT
from sealegs.world.state import World


class OutOfSteps(Exception):
    """The model was called more often than it may be."""


class ScriptedChatModel(BaseChatModel):
    """A scripted agent as a chat model: it reads the tools' messages, and calls one tool or answers.

    Attributes:
        agent: the scripted agent.
        left: how often it may still be called.
        use: its latest call.
    """

    agent: Any
    left: int
    use: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        """Return itself: it knows its tools."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        agent: ScriptedAgent = self.agent
        if isinstance(messages[-1], ToolMessage):
            agent.observe(self.use, tool_message_text(messages[-1]))
        if self.left <= 0:
            raise OutOfSteps
        self.left -= 1
        act = agent.act()
        if isinstance(act, Say):
            message = AIMessage(content=act.text)
        else:
            self.use = act
            call = {"name": act.tool, "args": dict(act.arguments), "id": f"use-{len(messages)}"}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def tool_message_text(message: ToolMessage) -> str:
    """A tool's message as agents read it: an error is marked as one whatever its words."""
    text = str(message.content)
    if message.status == "error" and not text.startswith('{"error"'):
        return json.dumps(failure_body(Failure(text)))
    return text


class SimulatedSession(Session):
    """A session whose tools are answered by the world, in place of what an adapter would run."""

    def __init__(self, harness: EpisodeHarness) -> None:
        episode = harness.episode
        super().__init__(
            episode.plan,
            episode=episode.id,
            specs=episode.specs,
            layers=harness.layers,
            others=None,
            clock=harness.clock,
            timeout=TOOL_TIMEOUT,
            watcher=harness.recorder,
        )
        self._world = World(harness.recorder.effect)
        self._corpus = episode.set.corpus(episode.task)

    def runner(self, run: Callable[[Call], Outcome]) -> Callable[[Call], Outcome]:
        """The world, in place of the tool."""
        return self._answer

    def runner_async(self, run: Callable[[Call], Awaitable[Outcome]]) -> Callable[[Call], Awaitable[Outcome]]:
        """The same in a task."""
        return self._answer_async

    def _answer(self, call: Call) -> Outcome:
        return self._corpus.run(call, self._world)

    async def _answer_async(self, call: Call) -> Outcome:
        return self._answer(call)


def play_over_langchain(harness: EpisodeHarness) -> None:
    """Play an episode with LangChain's agent."""
    model = ScriptedChatModel(agent=harness.agent, left=harness.max_steps)
    tools = [_tool(spec) for spec in harness.episode.specs]
    agent: Any = create_agent(model, tools, middleware=[Seam(SimulatedSession(harness), errors="shown")])
    request = {"messages": [HumanMessage(harness.episode.base.request)]}
    try:
        # LangGraph counts its own steps, several for each question; its limit must not end an episode before ours does.
        found = agent.invoke(request, {"recursion_limit": 6 * harness.max_steps + 10})
    except OutOfSteps:
        harness.recorder.finish("steps", detail=f"no answer within {harness.max_steps} steps")
        return
    harness.recorder.finish("answered", answer=str(found["messages"][-1].content))


def _tool(spec: ToolSpec) -> BaseTool:
    def body(**arguments: Any) -> None:
        raise AssertionError("the world answers in place of a tool's body")

    return StructuredTool.from_function(
        body, name=spec.name, description=spec.description or spec.name, args_schema=dict(spec.parameters)
    )
