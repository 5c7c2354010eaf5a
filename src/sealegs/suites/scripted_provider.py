"""The scripted agents and backbones as models of Inspect: `--model sealegs/planner`, `sealegs/follower`.

The conversation's metadata says what they play. Some names are both an agent's and a backbone's: in an episode of
`paladin` the backbone plays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.agents import CODERS, SCRIPTED
from sealegs.agents.backbones import BACKBONES
from sealegs.engines.inspect_runner import METADATA
from sealegs.suites.suite import suites
from sealegs.suites.tool_suite import ToolSuite

Player = Callable[[str, list[ChatMessage], dict[str, Any], bool], ModelOutput]


def _player(about: Mapping[str, Any]) -> Player:
    """Who plays the episodes of a suite; without one, those of maze."""
    match about.get("suite", "maze"):
        case "paladin":
            from sealegs.suites.paladin.backbone_replies import next_reply

            return lambda name, conversation, about, tools: next_reply(name, conversation, about, tools=tools)
        case "highwater":
            from sealegs.suites.highwater.coder_replies import next_message

            return lambda name, conversation, about, _: next_message(name, conversation, about)
        case "maze":
            from sealegs.suites.maze.agent_replies import next_act

            return lambda name, conversation, about, _: next_act(name, conversation, about)
        case _:
            from sealegs.suites.tool_suite_task import scripted_reply

            return lambda name, conversation, about, _: scripted_reply(name, conversation, about)


def _known() -> list[str]:
    """The names of all scripted agents, those of installed suites included."""
    own = [name for suite in suites().values() if isinstance(suite, ToolSuite) for name in suite.agents]
    return list(dict.fromkeys([*SCRIPTED, *CODERS, *BACKBONES, *own]))


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
        known = _known()
        if name not in known:
            raise ValueError(f"there is no scripted agent {name!r}; choose one of {', '.join(known)}")
        super().__init__(name, base_url, api_key, [], config or GenerateConfig())

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The agent's next act, given the conversation so far."""
        told = (message.metadata[METADATA] for message in input if message.metadata and METADATA in message.metadata)
        about: dict[str, Any] = next(told, {})
        output = _player(about)(self.model_name, input, about, bool(tools))
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        """As many as anyone likes: there are no connections."""
        return 1000
