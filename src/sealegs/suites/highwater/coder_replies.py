"""The next message of a scripted agent, given a conversation of the suite: for `--model sealegs/planner` in Inspect.

Each request to a model holds the whole conversation, so the agent is made again and shown everything it saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput

from sealegs.suites.highwater.code_writer import Writer
from sealegs.suites.highwater.coder_engine import agent_for
from sealegs.suites.highwater.problem_episodes import highwater_episode_from


def next_message(name: str, conversation: list[ChatMessage], about: Mapping[str, Any]) -> ModelOutput:
    """The agent's next message.

    Args:
        name: the agent's.
        conversation: so far.
        about: the episode's facts, as the request holds them.

    Raises:
        ValueError: the suite has no such agent.
    """
    writer = Writer(agent_for(name, highwater_episode_from(about)))
    message = writer.message()
    for observation in [one for one in conversation if isinstance(one, ChatMessageUser)][1:]:
        writer.observe(observation.text)
        message = writer.message()
    return ModelOutput.from_content(name, message)
