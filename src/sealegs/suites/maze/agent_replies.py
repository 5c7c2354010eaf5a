"""What a scripted agent does next, given a conversation of the suite: for `--model sealegs/planner` in Inspect.

A model is asked again with the whole conversation every time, so the agent is made anew and told everything it saw. The
task is known by the request's text; the metadata of the user's message says where faults strike, for `oracle` alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput

from sealegs.agents import SCRIPTED, Say, ScriptedAgent, UseTool
from sealegs.scenarios.moments import DRAW
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import SHIPPED, task_set


def next_act(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ModelOutput:
    """The agent's next act.

    Args:
        name: the agent's.
        conversation: so far.
        about: the episode's facts, as the request holds them; none where it does not.

    Raises:
        ValueError: the request is of no task, or the suite has no such agent.
    """
    agent = _agent(name, conversation, about)
    _replay(agent, conversation)
    act = agent.act()
    if isinstance(act, Say):
        return ModelOutput.from_content(name, act.text)
    return ModelOutput.for_tool_call(name, act.tool, dict(act.arguments), f"use-{len(conversation)}")


def _agent(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ScriptedAgent:
    request = next((m for m in conversation if isinstance(m, ChatMessageUser)), None)
    tasks = about.get("tasks", SHIPPED)
    task = _by_request(tasks).get(" ".join(request.text.split())) if request is not None else None
    if task is None:
        raise ValueError("a scripted agent plays only the tasks of maze; this request is none of theirs")
    mode, epoch, seed = about.get("mode", "NP"), about.get("epoch", 1), about.get("seed", 0)
    episode = Scenario(task, mode, epoch, seed, about.get("own", ""), tasks, about.get("moment", DRAW))
    if name not in SCRIPTED:
        raise ValueError(f"maze has no scripted agent {name!r}; choose one of {', '.join(SCRIPTED)}")
    return SCRIPTED[name](episode.briefing)


@cache
def _by_request(tasks: str) -> dict[str, str]:
    return {task.request: task.id for task in task_set(tasks).tasks.values()}


def _replay(agent: ScriptedAgent, conversation: list[ChatMessage]) -> None:
    calls: dict[str, UseTool] = {}
    for message in conversation:
        if isinstance(message, ChatMessageAssistant):
            calls |= {call.id: UseTool(call.function, call.arguments) for call in message.tool_calls or []}
        elif isinstance(message, ChatMessageTool):
            text = message.text if message.error is None else json.dumps({"error": {"message": message.error.message}})
            agent.observe(calls[message.tool_call_id or ""], text)
