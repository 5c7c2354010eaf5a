"""The tool never answers."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import MOMENTS, Call, Failure, Moment, Wait
from sealegs.faults.fault import Fault, FaultSetting, IgnoresCancel, Seconds, Steps


class Hang(Fault):
    """No answer ever comes. Only a timeout of the caller's own ends it, unless `seconds` is given."""

    implicit: ClassVar[bool] = False
    instead: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS
    kind: Literal["hang"] = "hang"
    seconds: Seconds | None = Field(
        default=None, description="Seconds until the far side closes the connection; leave out for never."
    )
    ignores_cancel: IgnoresCancel = False

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Wait, perhaps forever; then the connection closes without an answer."""
        yield Wait(math.inf if self.seconds is None else self.seconds, self.ignores_cancel)
        message = "The connection was closed without an answer."
        return Failure(message, type="ConnectionAbortedError", exception=ConnectionAbortedError(message))
