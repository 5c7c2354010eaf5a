"""The scripted agents as models of Inspect: `--model sealegs/planner`. What they play, the request's metadata says."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.agents import CODERS, SCRIPTED
from sealegs.suites.running.inspecting import METADATA


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
        known = dict.fromkeys([*SCRIPTED, *CODERS])
        if name not in known:
            raise ValueError(f"there is no scripted agent {name!r}; choose one of {', '.join(known)}")
        super().__init__(name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The agent's next act, given the conversation so far."""
        request = next((message for message in input if isinstance(message, ChatMessageUser)), None)
        about = (request.metadata or {}).get(METADATA, {}) if request is not None else {}
        if about.get("suite") == "highwater":
            from sealegs.suites.highwater.provider import next_message

            output = next_message(self.model_name, input, about)
        else:
            from sealegs.suites.maze.provider import next_act

            output = next_act(self.model_name, input, about)
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        """As many as anyone likes: nothing is connected to."""
        return 1000
