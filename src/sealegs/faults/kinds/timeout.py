"""The tool does not answer in time."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import MOMENTS, Call, Failure, Moment, Wait
from sealegs.faults.fault import Fault, FaultSetting, IgnoresCancel, Seconds, Steps


def timed_out(seconds: float) -> Failure:
    """The failure that a caller with a timeout is left with after so many seconds."""
    message = f"The request timed out after {seconds:g} s."
    return Failure(message, type="TimeoutError", exception=TimeoutError(message))


class Timeout(Fault):
    """No answer comes in time: the seconds pass, then the call fails."""

    implicit: ClassVar[bool] = False
    instead: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS
    kind: Literal["timeout"] = "timeout"
    seconds: Seconds = Field(default=30.0, description="Seconds that pass before the call fails.")
    ignores_cancel: IgnoresCancel = False

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Wait, then fail."""
        yield Wait(self.seconds, self.ignores_cancel)
        return timed_out(self.seconds)
