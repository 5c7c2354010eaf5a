"""The calls of an eval's own solution, and how they are made: once each, or again where that does no harm.

A call is made by Inspect's own `execute_tools`, as an agent's is. Only one call is made at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sealegs.faults.call import Call
from sealegs.recovery.failure_category import FailureCategory, categorize_failure
from sealegs.recovery.forms.failure_reading import read_failure
from sealegs.recovery.policies.completion_check import Unclear
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, ToolKnowledge
from sealegs.suites.inspect_eval.knowledge_answers import read_answer

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.tool import Tool

FURTHER_TRIES = 3
STOPPED = "I have to stop here: {tool} cannot be used now ({why}), so the task is not completed."


@dataclass(frozen=True)
class ReferenceCall:
    """A call of a solution; `by` says whose it is."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    by: Literal["agent", "user"] = "agent"


@dataclass(frozen=True)
class ServiceFailure:
    """The error of a tool that failed as a service and did not refuse the call; `category` as recovery sees it."""

    text: str
    category: FailureCategory


class ReferenceCaller:
    """Makes each call once.

    Attributes:
        made: the messages of all calls, for the conversation.
    """

    def __init__(self) -> None:
        self._count = 0

    async def call(
        self, wanted: ReferenceCall, tools: Sequence[Tool], messages: list[ChatMessage]
    ) -> ServiceFailure | None:
        """Make a call, and note it in the conversation.

        Returns:
            The failure that the agent cannot pass over; None where there is none.
        """
        return service_failure(await self._make(wanted.tool, wanted.arguments, tools, messages))

    async def _make(
        self, tool: str, arguments: Mapping[str, Any], tools: Sequence[Tool], messages: list[ChatMessage]
    ) -> ChatMessageTool:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, execute_tools
        from inspect_ai.tool import ToolCall

        self._count += 1
        request = ToolCall(id=f"reference_{self._count}", function=tool, arguments=dict(arguments))
        message = ChatMessageAssistant(content=f"I call {tool}.", tool_calls=[request], source="generate")
        messages.append(message)
        done = (await execute_tools([*messages], list(tools))).messages
        messages.extend(done)
        return next(one for one in done if isinstance(one, ChatMessageTool))


class CarefulCaller(ReferenceCaller):
    """Makes a call again after a transient failure, where what is known of its tool says that this does no harm."""

    def __init__(self, known: EvalKnowledge) -> None:
        super().__init__()
        self._known = known

    async def call(
        self, wanted: ReferenceCall, tools: Sequence[Tool], messages: list[ChatMessage]
    ) -> ServiceFailure | None:
        """Make a call, and again after a transient failure if it may be repeated."""
        tool = self._known.everyone.get(wanted.tool, ToolKnowledge())
        failure = await super().call(wanted, tools, messages)
        for _ in range(FURTHER_TRIES):
            if failure is None or failure.category != "transient":
                return failure
            # A look decides where it can; only where it does not tell must a second call do no harm by itself.
            if tool.acts is not False and tool.shown_by is not None:
                done = await self._was_done(wanted, tool, tools, messages)
                if done:
                    return None
                if done is None and not tool.harmless_again:
                    return failure
            elif not tool.harmless_again:
                return failure
            failure = await super().call(wanted, tools, messages)
        return failure

    async def _was_done(
        self, wanted: ReferenceCall, tool: ToolKnowledge, tools: Sequence[Tool], messages: list[ChatMessage]
    ) -> bool | None:
        """Return whether the look shows that a call was done; None where it does not tell."""
        assert tool.shown_by is not None
        check = tool.shown_by.check()
        call = Call(wanted.tool, wanted.arguments)
        for _ in range(1 + FURTHER_TRIES):
            looked = await self._make(check.tool, check.look_arguments(call), tools, messages)
            failure = service_failure(looked)
            if failure is None:
                break
            if failure.category != "transient":
                return None
        else:
            return None
        if looked.error is not None:
            return None
        try:
            seen = check.seen(read_answer(looked.text, self._known.answers), call)
        except Unclear:
            return None
        # Half done is neither: not to be repeated as if nothing had happened, nor to be passed over.
        return None if seen.state == "partial" else seen.state == "done"


def service_failure(message: ChatMessageTool) -> ServiceFailure | None:
    """The failure of a tool's service that a message tells of; None for an answer, and for a tool's own refusal.

    A refusal is a bare sentence of the tool. A service that fails has a status, or is late.
    """
    if message.error is None:
        return None
    found = read_failure(message.error.message or message.error.type).signature
    if found is not None and found.status is not None:
        return ServiceFailure(message.error.message, categorize_failure(found))
    return ServiceFailure(message.error.message, "transient") if message.error.type == "timeout" else None
