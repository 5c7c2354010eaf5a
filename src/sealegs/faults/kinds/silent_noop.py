"""The tool says that it is done and did nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from sealegs.faults.call import Call, Failure, Moment
from sealegs.faults.fault import Fault, FaultSetting, Steps
from sealegs.faults.spec import ToolSpec


class SilentNoop(Fault):
    """The tool runs dry: the answer is that of a success, the world stays as it was.

    A tool that is known to have no effects runs as usual, and so does one that refuses: there is nothing to leave out.
    """

    implicit: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = ("before",)
    asks_dry: ClassVar[bool] = True
    kind: Literal["silent_noop"] = "silent_noop"

    def misfit(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """A tool without effects leaves nothing to omit."""
        if spec is not None and spec.effects is False:
            return "it leaves an effect out, and the tool has none (effects=False)"
        return super().misfit(spec, dry)

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Ask for the answer without the effect."""
        if setting.spec is not None and setting.spec.effects is False:
            return (yield call)
        answer = yield replace(call, dry=True)
        return (yield call) if isinstance(answer, Failure) else answer
