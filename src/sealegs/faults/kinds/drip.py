"""The answer trickles in."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import ALL, Call, Failure, Value, Wait
from sealegs.faults.kinds.base import Fault, Seconds, Setting, Steps


class Drip(Fault):
    """The tool runs; each piece of its answer is held back for a while, so that no single wait is long.

    The pieces are gathered first: an answer without end never begins. A tool that answers in one piece is late by as
    much as one. A failure of the tool's own passes unchanged.
    """

    implicit: ClassVar[bool] = True
    piecewise: ClassVar[bool] = True
    kind: Literal["drip"] = "drip"
    seconds: Seconds = Field(default=1.0, description="Seconds before each piece.")

    def act(self, call: Call, setting: Setting) -> Steps:
        """Have the tool run, then show one piece at a time."""
        if call.pieces not in (None, ALL):  # a fault outside this one breaks the answer off
            return (yield call)
        truth = yield Call(call.tool, call.arguments, call.id, call.nth, call.dry)
        if isinstance(truth, Failure):
            return truth
        left = yield Wait(self.seconds, pieces=1)
        while call.pieces is not None and isinstance(left, Value) and left.value:
            left = yield Wait(self.seconds, pieces=1)
        return truth
