"""The scripted agents as models of Inspect: `--model sealegs/planner`.

A model is asked again with the whole conversation every time, so the agent is made anew and told everything it saw. The
task is known by the request's text; the metadata of the user's message says where faults strike, for `oracle` alone.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.agents import SCRIPTED, Say, ScriptedAgent, Use
from sealegs.suites.maze.episodes import Episode
from sealegs.suites.maze.task_sets import SHIPPED, task_set

METADATA = "sealegs"


class ScriptedModel(ModelAPI):
    """A scripted agent that answers as a model would."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        name = model_name.split("/")[-1]
        if name not in SCRIPTED:
            raise ValueError(f"there is no scripted agent {name!r}; choose one of {', '.join(SCRIPTED)}")
        super().__init__(name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The agent's next act, given the conversation so far."""
        agent = _agent(self.model_name, input)
        _replay(agent, input)
        act = agent.act()
        if isinstance(act, Say):
            output = ModelOutput.from_content(self.model_name, act.text)
        else:
            output = ModelOutput.for_tool_call(self.model_name, act.tool, dict(act.arguments), f"use-{len(input)}")
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        """As many as anyone likes: nothing is connected to."""
        return 1000


def _agent(name: str, conversation: list[ChatMessage]) -> ScriptedAgent:
    request = next((m for m in conversation if isinstance(m, ChatMessageUser)), None)
    about = (request.metadata or {}).get(METADATA, {}) if request is not None else {}
    tasks = about.get("tasks", SHIPPED)
    task = _by_request(tasks).get(" ".join(request.text.split())) if request is not None else None
    if task is None:
        raise ValueError("a scripted agent plays only the tasks of maze; this request is none of theirs")
    mode, epoch, seed = about.get("mode", "NP"), about.get("epoch", 1), about.get("seed", 0)
    episode = Episode(task, mode, epoch, seed, about.get("own", ""), tasks)
    return SCRIPTED[name](episode.briefing)


@cache
def _by_request(tasks: str) -> dict[str, str]:
    return {task.request: task.id for task in task_set(tasks).tasks.values()}


def _replay(agent: ScriptedAgent, conversation: list[ChatMessage]) -> None:
    calls: dict[str, Use] = {}
    for message in conversation:
        if isinstance(message, ChatMessageAssistant):
            calls |= {call.id: Use(call.function, call.arguments) for call in message.tool_calls or []}
        elif isinstance(message, ChatMessageTool):
            text = message.text if message.error is None else json.dumps({"error": {"message": message.error.message}})
            agent.observe(calls[message.tool_call_id or ""], text)
