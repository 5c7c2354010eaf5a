"""The reply of a scripted backbone, given a conversation of the suite: for `--model sealegs/follower` in Inspect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput
from inspect_ai.tool import ToolCall

from sealegs.agents.arms import AwaitModel, Message, ModelToolUse
from sealegs.agents.backbones import BACKBONES, backbone_reply
from sealegs.suites.paladin.paladin_logs import paladin_episode_from


def next_reply(name: str, conversation: list[ChatMessage], about: Mapping[str, Any], *, tools: bool) -> ModelOutput:
    """The backbone's reply.

    Args:
        name: the backbone's.
        conversation: so far.
        about: the episode's facts, as the system's message holds them.
        tools: whether it may call tools in its own way of calling them.

    Raises:
        ValueError: the suite has no such backbone.
    """
    if name not in BACKBONES:
        raise ValueError(f"paladin has no scripted backbone {name!r}; choose one of {', '.join(BACKBONES)}")
    question = AwaitModel(tuple(arm_message(message) for message in conversation), tools)
    reply = backbone_reply(name, paladin_episode_from(about).briefing, question)
    output = ModelOutput.from_content(name, reply.text)
    if reply.calls:
        output.choices[0].message.tool_calls = [
            ToolCall(id=call.id, function=call.tool, arguments=dict(call.arguments)) for call in reply.calls
        ]
        output.choices[0].stop_reason = "tool_calls"
    return output


def arm_message(message: ChatMessage) -> Message:
    """A message of Inspect's as an arm's."""
    if isinstance(message, ChatMessageTool):
        return Message("tool", message.text, answers=message.tool_call_id or "")
    if isinstance(message, ChatMessageAssistant):
        return Message("assistant", message.text, uses_in(message))
    return Message("user" if isinstance(message, ChatMessageUser) else "system", message.text)


def uses_in(message: ChatMessageAssistant) -> tuple[ModelToolUse, ...]:
    """The calls of an assistant's message."""
    return tuple(
        ModelToolUse(call.function, call.arguments, call.id, call.parse_error or "")
        for call in message.tool_calls or ()
    )
