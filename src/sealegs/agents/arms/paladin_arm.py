"""Detect, diagnose, repair: the model learns of the failure and has to give a diagnosis before it continues.

The exemplar comes from the seam, inside the tool's message, where retrieval is on. Without it the arm is its prompt and
its question alone.
"""

from __future__ import annotations

from sealegs.agents.arms import arm_prompts
from sealegs.agents.arms.arm_base import ArmContext, Message, ModelToolUse, advice_in, failure_symptom, shown_call
from sealegs.agents.arms.vanilla import More, Vanilla


class Paladin(Vanilla):
    """Asks for a diagnosis after each failure, with the retrieved exemplar in view."""

    prompt = f"{arm_prompts.TASK}\n{arm_prompts.RECOVER}"

    def after(
        self, call: ModelToolUse, text: str, talk: list[Message], context: ArmContext, attempts: dict[str, int]
    ) -> More:
        """Ask for a diagnosis."""
        yield from ()
        wrong = failure_symptom(text)
        if not wrong:
            return []
        advice = " What helped in the nearest known case stands in the tool's answer." if advice_in(text) else ""
        return [Message("user", arm_prompts.DIAGNOSE.format(call=shown_call(call), trouble=wrong, advice=advice))]
