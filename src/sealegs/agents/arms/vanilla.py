"""The model with its tools, and nothing else. The other arms that call tools so are made from it."""

from __future__ import annotations

from collections.abc import Generator

from sealegs.agents.arms import arm_prompts
from sealegs.agents.arms.arm_base import (
    Arm,
    ArmContext,
    AwaitModel,
    Message,
    ModelReply,
    ModelToolUse,
    Steps,
    ask_model,
    use_tool,
)

More = Generator[AwaitModel | ModelToolUse, ModelReply | str, list[Message]]


class Vanilla(Arm):
    """Model and tools in turns, until an answer without calls."""

    prompt = arm_prompts.TASK

    def converse(self, context: ArmContext) -> Steps:
        """Carry out the request."""
        talk = [Message("system", f"{self.prompt}\n{context.form}".strip()), Message("user", context.request)]
        attempts: dict[str, int] = {}
        while True:
            reply = yield from ask_model(talk)
            talk.append(Message("assistant", reply.text, reply.calls))
            if not reply.calls:
                return reply.text
            texts = []
            for call in reply.calls:
                text = yield from use_tool(call)
                talk.append(Message("tool", text, answers=call.id))
                texts.append(text)
            for call, text in zip(reply.calls, texts, strict=True):
                talk += yield from self.after(call, text, talk, context, attempts)

    def after(
        self, call: ModelToolUse, text: str, talk: list[Message], context: ArmContext, attempts: dict[str, int]
    ) -> More:
        """Messages that follow a tool's answer: none.

        Args:
            call, text: the call and the answer.
            talk: the conversation so far.
            context: the episode.
            attempts: failed attempts by tool, kept by the arm.
        """
        yield from ()
        return []
