"""Reflect on a failing call and correct it."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.agents.arms import arm_prompts
from sealegs.agents.arms.arm_base import ArmContext, Message, ModelToolUse, ask_model, failure_symptom, shown_call
from sealegs.agents.arms.vanilla import More, Vanilla


@dataclass(frozen=True)
class ToolReflect(Vanilla):
    """The arm that asks the model after a failure what was wrong with its call, then for the corrected one.

    Attributes:
        attempts: reflections on the calls of one tool, until one works.
    """

    attempts: int = 3

    def after(
        self, call: ModelToolUse, text: str, talk: list[Message], context: ArmContext, attempts: dict[str, int]
    ) -> More:
        """Have the model reflect."""
        wrong = failure_symptom(text)
        if not wrong:
            attempts.pop(call.tool, None)
            return []
        attempts[call.tool] = attempts.get(call.tool, 0) + 1
        if attempts[call.tool] > self.attempts:
            return []
        question = Message("user", arm_prompts.REFLECT.format(call=shown_call(call), trouble=wrong))
        reply = yield from ask_model([*talk, question], tools=False)
        correction = arm_prompts.CORRECT.format(attempt=attempts[call.tool], attempts=self.attempts)
        return [question, Message("assistant", reply.text), Message("user", correction)]
