"""The tool does not answer in time."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import Call, Failure, Wait
from sealegs.faults.kinds.base import Fault, IgnoresCancel, Seconds, Setting, Steps


def timed_out(seconds: float) -> Failure:
    """What a caller with a timeout is left with after so many seconds."""
    message = f"The request timed out after {seconds:g} s."
    return Failure(message, type="TimeoutError", exception=TimeoutError(message))


class Timeout(Fault):
    """The tool is not run; the time passes, then the call fails. See `lost_ack` for a tool that did its work."""

    implicit: ClassVar[bool] = False
    kind: Literal["timeout"] = "timeout"
    seconds: Seconds = Field(default=30.0, description="Seconds that pass before the call fails.")
    ignores_cancel: IgnoresCancel = False

    def act(self, call: Call, setting: Setting) -> Steps:
        """Wait, then fail."""
        yield Wait(self.seconds, self.ignores_cancel)
        return timed_out(self.seconds)
