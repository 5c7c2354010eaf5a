"""The scripted backbones as models of Inspect: `--model sealegs-backbone/follower`."""

from __future__ import annotations

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
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from sealegs.agents.arms import Ask, Message, ToolUse
from sealegs.agents.backbones import BACKBONES, answer
from sealegs.suites.paladin.logs import episode_from

METADATA = "sealegs"


class BackboneModel(ModelAPI):
    """A scripted backbone that answers as a model would. The metadata of the user's message names the episode."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        name = model_name.split("/")[-1]
        if name not in BACKBONES:
            raise ValueError(f"there is no scripted backbone {name!r}; choose one of {', '.join(BACKBONES)}")
        super().__init__(name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The backbone's reply to the conversation so far."""
        about = next((m.metadata[METADATA] for m in input if m.metadata and METADATA in m.metadata), None)
        if about is None:
            raise ValueError(
                "a scripted backbone plays only the episodes of paladin; this conversation is none of them"
            )
        question = Ask(tuple(message_of(message) for message in input), bool(tools))
        reply = answer(self.model_name, episode_from(about).briefing, question)
        output = ModelOutput.from_content(self.model_name, reply.text)
        if reply.calls:
            output.choices[0].message.tool_calls = [
                ToolCall(id=call.id, function=call.tool, arguments=dict(call.arguments)) for call in reply.calls
            ]
            output.choices[0].stop_reason = "tool_calls"
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        """As many as anyone likes: nothing is connected to."""
        return 1000


def message_of(message: ChatMessage) -> Message:
    """A message of Inspect's as an arm's."""
    if isinstance(message, ChatMessageTool):
        return Message("tool", message.text, answers=message.tool_call_id or "")
    if isinstance(message, ChatMessageAssistant):
        return Message("assistant", message.text, uses_in(message))
    return Message("user" if isinstance(message, ChatMessageUser) else "system", message.text)


def uses_in(message: ChatMessageAssistant) -> tuple[ToolUse, ...]:
    """The calls of an assistant's message."""
    return tuple(
        ToolUse(call.function, call.arguments, call.id, call.parse_error or "") for call in message.tool_calls or ()
    )
