"""The next act of a scripted agent, given a conversation of the suite: for `--model sealegs/planner` in Inspect.

Each request to a model holds the whole conversation, so the agent is made afresh and shown everything it saw.
The task is known by the request's text; the metadata of the user's message says where faults strike, for `oracle`
alone. When a review asks whether an answer is corrupt, each of them answers by the tool's declared invariants.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput

from sealegs.agents import SCRIPTED, ScriptedAgent
from sealegs.engines.inspect_turns import scripted_output
from sealegs.scenarios.scenario import SCENARIO_FACTS, Scenario
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.scenarios.wordings import all_phrasings
from sealegs.scoring.maze_metrics import CLEAN

REVIEWED_CALL = "asked"  # in the facts of a review's question: the call whose answer is shown, and that answer


def next_act(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ModelOutput:
    """The agent's next act.

    Args:
        name: the agent's.
        conversation: so far.
        about: the episode's facts, as the request holds them; none where it does not.

    Raises:
        ValueError: the request belongs to no task, or the suite has no such agent.
    """
    if REVIEWED_CALL in about:
        return ModelOutput.from_content(name, _declared_verdict(about[REVIEWED_CALL]))
    return scripted_output(name, _agent(name, conversation, about), conversation)


def _declared_verdict(reviewed: Mapping[str, Any]) -> str:
    """The verdict, as JSON, of code that knows only a tool's declarations: whether an answer breaks any of them."""
    specs = {spec.name: spec for spec in Scenario(reviewed["task"], CLEAN).specs}
    found = specs[reviewed["tool"]].violations(reviewed["arguments"], json.loads(reviewed["shown"]))
    return json.dumps({"corrupt": bool(found), "why": "; ".join(one.reason for one in found[:1])})


def _agent(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ScriptedAgent:
    request = next((m for m in conversation if isinstance(m, ChatMessageUser)), None)
    tasks = about.get("tasks", SHIPPED)
    task = _by_request(tasks).get(" ".join(request.text.split())) if request is not None else None
    if task is None:
        raise ValueError("a scripted agent plays only the tasks of maze; this request is not one of theirs")
    known = {name: about[name] for name in SCENARIO_FACTS if name in about}
    episode = Scenario(**{"mode": CLEAN, **known, "task": task})
    if name not in SCRIPTED:
        raise ValueError(f"maze has no scripted agent {name!r}; choose one of {', '.join(SCRIPTED)}")
    return SCRIPTED[name](episode.briefing)


@cache
def _by_request(tasks: str) -> dict[str, str]:
    own = {task.request: task.id for task in task_set(tasks).tasks.values()}
    if tasks != SHIPPED:
        return own
    others = [phrasing.requests.items() for phrasing in all_phrasings()]
    return {**own, **{worded.request: id for each in others for id, worded in each}}
