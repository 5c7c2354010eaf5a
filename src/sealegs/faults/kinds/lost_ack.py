"""The tool does its work and its answer is lost."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import Call, Failure, Wait
from sealegs.faults.fault import Fault, FaultSetting, IgnoresCancel, Seconds, Steps
from sealegs.faults.kinds.connection import unreachable
from sealegs.faults.kinds.timeout import timed_out


class LostAck(Fault):
    """The tool really runs, then the agent sees a timeout or a cut connection: that does not say whether it ran.

    A tool that fails by itself did nothing that could be lost: its failure passes unchanged.
    """

    implicit: ClassVar[bool] = False
    kind: Literal["lost_ack"] = "lost_ack"
    mode: Literal["timeout", "connection"] = Field(
        default="timeout", description="What the agent sees in place of the answer."
    )
    seconds: Seconds = Field(default=30.0, description="Seconds before the timeout (mode timeout only).")
    ignores_cancel: IgnoresCancel = False

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool run, then fail."""
        truth = yield call
        if isinstance(truth, Failure):
            return truth
        if self.mode == "connection":
            return unreachable("reset")
        yield Wait(self.seconds, self.ignores_cancel)
        return timed_out(self.seconds)
