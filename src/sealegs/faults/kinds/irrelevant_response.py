"""The answer is about another entity than the one asked for, and the answer itself shows it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar, Literal

from sealegs.faults.call import Call, Outcome, Wait
from sealegs.faults.corruption import Corruption, swap_answer
from sealegs.faults.fault import FaultSetting
from sealegs.faults.kinds.wrong_entity import dry_answer, shuffled_examples

ENOUGH = 3  # answers that are wrong here; of more than one, some may lack the keys or the change that is needed


class IrrelevantResponse(Corruption):
    """The tool's answer to another of its documented examples, which breaks an invariant for these arguments."""

    needs: ClassVar[tuple[str, ...]] = ("examples", "invariants")
    asks_dry: ClassVar[bool] = True
    kind: Literal["irrelevant_response"] = "irrelevant_response"

    def others(self, call: Call, setting: FaultSetting) -> Generator[Call | Wait, Outcome, list[Any]]:
        """Answers to other examples that are wrong for this call."""
        found: list[Any] = []
        for example in shuffled_examples(call, setting):
            answer = yield from dry_answer(call, example)
            if (
                answer is not None
                and setting.spec is not None
                and setting.spec.violations(call.arguments, answer.value)
            ):
                found.append(answer.value)
            if len(found) == ENOUGH:
                break
        return found

    def wrong(self, call: Call, output: Any, others: list[Any], setting: FaultSetting) -> Any:
        """The first of the others that is verified."""
        return None if setting.spec is None else swap_answer(setting.spec, call.arguments, output, others, self.rung)
