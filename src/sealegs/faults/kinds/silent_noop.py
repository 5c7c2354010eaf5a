"""The tool says that it is done and did nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from sealegs.faults.call import Call, Failure
from sealegs.faults.kinds.fault import Fault, FaultSetting, Steps
from sealegs.faults.moment import Moment


class SilentNoop(Fault):
    """The tool runs dry: the answer is that of a success, the world stays as it was.

    A tool that is known to have no effects runs as usual, and so does one that refuses: there is nothing to leave out.
    """

    implicit: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = ("before",)
    kind: Literal["silent_noop"] = "silent_noop"

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Ask for the answer without the effect."""
        if setting.spec is not None and setting.spec.effects is False:
            return (yield call)
        answer = yield replace(call, dry=True)
        return (yield call) if isinstance(answer, Failure) else answer
