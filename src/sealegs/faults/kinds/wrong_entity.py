"""The answer is about something else."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, ClassVar, Literal

from sealegs.faults.call import MOMENTS, Call, Failure, Moment, Outcome, Value, Wait
from sealegs.faults.fault import Fault, FaultSetting, Steps


class WrongEntity(Fault):
    """The tool runs; the agent sees its answer to other arguments, taken from the tool's documented examples.

    Without an example whose answer differs nothing changes.
    """

    implicit: ClassVar[bool] = True
    rewrites: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS
    needs: ClassVar[tuple[str, ...]] = ("examples",)
    asks_dry: ClassVar[bool] = True
    kind: Literal["wrong_entity"] = "wrong_entity"

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Ask about others without effect, then for the truth."""
        others: list[Any] = []
        for example in shuffled_examples(call, setting):
            answer = yield from dry_answer(call, example)
            if answer is not None and answer.value not in others:
                others.append(answer.value)
            if len(others) == 2:  # of two that differ, one differs from the truth
                break
        truth = yield call
        if isinstance(truth, Failure):
            return truth
        return next((Value(other) for other in others if other != truth.value), truth)


def shuffled_examples(call: Call, setting: FaultSetting) -> list[dict[str, Any]]:
    """The tool's documented arguments other than the call's own, in a drawn order."""
    examples = setting.spec.examples if setting.spec is not None else ()
    others = [dict(example) for example in examples if dict(example) != dict(call.arguments)]
    setting.draw.shuffle(others)
    return others


def dry_answer(call: Call, arguments: dict[str, Any]) -> Generator[Call | Wait, Outcome, Value | None]:
    """The tool's answer to other arguments, asked for without effect; None where it refuses."""
    outcome = yield replace(call, arguments=arguments, dry=True)
    return None if isinstance(outcome, Failure) else outcome
