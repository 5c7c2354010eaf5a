"""The scripted agents of all suites as models of Inspect: `--model sealegs/planner`, `sealegs/follower`.

The conversation's metadata names the suite, which says who plays under a name: one name may be an agent of several.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from sealegs.engines.inspect_turns import METADATA
from sealegs.suites.suite import suite_named, suites

USUAL = "maze"  # whose agents play a conversation that names no suite


def _known() -> list[str]:
    """The names of all scripted agents, those of installed suites included."""
    return list(dict.fromkeys(name for suite in suites().values() for name in suite.scripted_names()))


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
        abouts = (message.metadata[METADATA] for message in input if message.metadata and METADATA in message.metadata)
        about: dict[str, Any] = next(abouts, {})
        suite = suite_named(about.get("suite", USUAL))
        output = suite.scripted_reply(self.model_name, input, about, tools=bool(tools))
        output.usage = ModelUsage()
        return output

    def max_connections(self) -> int:
        """No limit worth the name: there are no connections."""
        return 1000
