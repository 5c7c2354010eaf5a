"""The effect happens twice."""

from __future__ import annotations

from typing import ClassVar, Literal

from sealegs.faults.call import Call, Failure
from sealegs.faults.fault import Fault, FaultSetting, Steps
from sealegs.faults.spec import ToolSpec


class Duplicate(Fault):
    """The tool runs twice and the agent sees the first answer, as where a network repeats a request.

    A tool that fails is not run again.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["duplicate"] = "duplicate"

    def misfit(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """A tool without effects does nothing twice."""
        if spec is not None and spec.effects is False:
            return "it repeats an effect, and the tool has none (effects=False)"
        return super().misfit(spec, dry)

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool run twice."""
        answer = yield call
        if not isinstance(answer, Failure):
            yield call
        return answer
