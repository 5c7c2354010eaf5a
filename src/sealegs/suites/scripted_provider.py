"""The scripted agents and backbones as models of Inspect: `--model sealegs/planner`, `sealegs/follower`.

What they play, the conversation's metadata says. Some names are both an agent's and a backbone's: in an episode of
`paladin` the backbone plays.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.agents import CODERS, SCRIPTED
from sealegs.agents.backbones import BACKBONES
from sealegs.engines.inspect_runner import METADATA


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
        known = dict.fromkeys([*SCRIPTED, *CODERS, *BACKBONES])
        if name not in known:
            raise ValueError(f"there is no scripted agent {name!r}; choose one of {', '.join(known)}")
        super().__init__(name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The agent's next act, given the conversation so far."""
        told = (message.metadata[METADATA] for message in input if message.metadata and METADATA in message.metadata)
        about: dict[str, Any] = next(told, {})
        if about.get("suite") == "paladin":
            from sealegs.suites.paladin.backbone_replies import next_reply

            output = next_reply(self.model_name, input, about, tools=bool(tools))
        elif about.get("suite") == "highwater":
            from sealegs.suites.highwater.coder_replies import next_message

            output = next_message(self.model_name, input, about)
        else:
            from sealegs.suites.maze.agent_replies import next_act

            output = next_act(self.model_name, input, about)
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        """As many as anyone likes: nothing is connected to."""
        return 1000
