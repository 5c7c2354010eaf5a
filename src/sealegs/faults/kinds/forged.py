"""The answer is wrong, and right in itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, JsonValue

from sealegs.faults import paths
from sealegs.faults.call import MOMENTS, Call, Failure, Moment, Value
from sealegs.faults.fault import Fault, FaultSetting, Steps, Text
from sealegs.faults.rungs.forgery import forgeries, written_over
from sealegs.faults.spec import ToolSpec


class Forged(Fault):
    """The tool runs; its answer shows other values, and what follows from them follows.

    No rule finds it in this answer: only another answer tells. With `values` the plan says what is shown; without,
    code looks for an answer that keeps every statement that the tool declares, and shows the true one where there is
    none or nothing is declared.
    """

    implicit: ClassVar[bool] = True
    rewrites: ClassVar[bool] = True
    remembers: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS
    kind: Literal["forged"] = "forged"
    values: tuple[Mapping[Text, JsonValue], ...] = Field(
        default=(),
        description="What is written over the answer, by dotted path; each call gets the next set, in a circle.",
    )

    def misfit(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """The reason why it does not fit: without values, the declaration of the tool must be known."""
        if self.values or spec is None or spec.invariants or spec.returns:
            return ""
        return "it needs `values`, or ToolSpec.invariants or ToolSpec.returns, and the tool declares neither"

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool run and show its answer with other values."""
        truth = yield call
        if isinstance(truth, Failure):
            return truth
        wrong = self._wrong(call, truth.value, setting)
        return truth if wrong == truth.value else Value(wrong)

    def _wrong(self, call: Call, output: Any, setting: FaultSetting) -> Any:
        if self.values:
            edit = self.values[len(setting.earlier) % len(self.values)]
            there = {path: value for path, value in edit.items() if paths.values_at(output, path)}
            return written_over(output, there)
        if setting.spec is None or self.misfit(setting.spec):
            return output
        found = forgeries(setting.spec, call.arguments, output, (), setting.draw)
        return next((wrong for _, wrong in found), output)
