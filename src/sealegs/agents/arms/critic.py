"""A critic looks at every answer, and recommends what to do about those that it holds for failures.

The critic is the same model, asked apart. Its menu is an oracle's: one of the options is known to be right, and is the
one that it recommends, or, in a variant, with a given probability. So the arm is an upper bound on what criticism can
do, and not a method that could be used where the truth is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sealegs.agents.arms import arm_prompts
from sealegs.agents.arms.arm_base import ArmContext, Menu, Message, ModelToolUse, ask_model, shown_call
from sealegs.agents.arms.vanilla import More, Vanilla

WRONG = re.compile(r"verdict\W+wrong\W*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Critic(Vanilla):
    """A critic after each call.

    Attributes:
        right: probability that the recommended option is the right one.
        attempts: recommendations on the calls of one tool, until one works.
    """

    right: float = 1.0
    attempts: int = 3

    def after(
        self, call: ModelToolUse, text: str, talk: list[Message], context: ArmContext, attempts: dict[str, int]
    ) -> More:
        """Have the critic judge, and recommend."""
        case = arm_prompts.CASE.format(request=context.request, call=shown_call(call), text=text)
        reply = yield from ask_model([Message("system", arm_prompts.CRITICISE), Message("user", case)], tools=False)
        found = WRONG.search(reply.text)
        if found is None:
            attempts.pop(call.tool, None)
            return []
        attempts[call.tool] = attempts.get(call.tool, 0) + 1
        if attempts[call.tool] > self.attempts:
            return []
        menu = context.menu(call.tool)
        offered = arm_prompts.MENU.format(
            call=shown_call(call),
            verdict=" ".join(found[1].split()) or "it failed",
            options=" ".join(f"({place}) {option}" for place, option in enumerate(menu.options, 1)),
            choice=menu.options[self._chosen(menu, context, f"{call.tool} {attempts[call.tool]}")],
            attempt=attempts[call.tool],
            attempts=self.attempts,
        )
        return [Message("user", offered)]

    def _chosen(self, menu: Menu, context: ArmContext, word: str) -> int:
        """The place of the recommended option."""
        if context.draw(f"{word} right") < self.right:
            return menu.right
        others = [place for place in range(len(menu.options)) if place != menu.right]
        return others[int(context.draw(f"{word} other") * len(others))]
