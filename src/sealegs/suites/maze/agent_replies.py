"""What a scripted agent does next, given a conversation of the suite: for `--model sealegs/planner` in Inspect.

A model is asked again with the whole conversation every time, so the agent is made afresh and told everything it saw.
The task is known by the request's text; the metadata of the user's message says where faults strike, for `oracle`
alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput

from sealegs.agents import SCRIPTED, ScriptedAgent
from sealegs.engines.inspect_turns import scripted_output
from sealegs.scenarios.moments import DRAW
from sealegs.scenarios.perturbation import LADDER
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import SHIPPED, task_set


def next_act(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ModelOutput:
    """The agent's next act.

    Args:
        name: the agent's.
        conversation: so far.
        about: the episode's facts, as the request holds them; none where it does not.

    Raises:
        ValueError: the request belongs to no task, or the suite has no such agent.
    """
    return scripted_output(name, _agent(name, conversation, about), conversation)


def _agent(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ScriptedAgent:
    request = next((m for m in conversation if isinstance(m, ChatMessageUser)), None)
    tasks = about.get("tasks", SHIPPED)
    task = _by_request(tasks).get(" ".join(request.text.split())) if request is not None else None
    if task is None:
        raise ValueError("a scripted agent plays only the tasks of maze; this request is not one of theirs")
    mode, epoch, seed = about.get("mode", "NP"), about.get("epoch", 1), about.get("seed", 0)
    moment, implicit = about.get("moment", DRAW), about.get("implicit", LADDER)
    episode = Scenario(task, mode, epoch, seed, about.get("own", ""), tasks, moment, implicit)
    if name not in SCRIPTED:
        raise ValueError(f"maze has no scripted agent {name!r}; choose one of {', '.join(SCRIPTED)}")
    return SCRIPTED[name](episode.briefing)


@cache
def _by_request(tasks: str) -> dict[str, str]:
    return {task.request: task.id for task in task_set(tasks).tasks.values()}
