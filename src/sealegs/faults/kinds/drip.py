"""The answer trickles in."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import MORE_TO_COME, Call, Failure, Wait
from sealegs.faults.fault import Fault, FaultSetting, Seconds, Steps


class Drip(Fault):
    """The tool runs; each piece of its answer is held back for a while, so that no single wait is long.

    Pieces pass one by one as the tool gives them; an answer without end trickles without end. A tool that answers in
    one piece is late by as much as one. A failure of the tool's own comes after the pieces before it.
    """

    implicit: ClassVar[bool] = True
    piecewise: ClassVar[bool] = True
    kind: Literal["drip"] = "drip"
    seconds: Seconds = Field(default=1.0, description="Seconds before each piece.")

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool run, and show one piece at a time."""
        pieces = None if call.held else call.pieces  # a fault outside this one may hold them back already
        truth = yield replace(call, pieces=pieces, held=pieces is not None)
        if isinstance(truth, Failure):
            return truth
        answer = yield Wait(self.seconds, pieces=0 if pieces is None else 1)
        while pieces is not None and answer is MORE_TO_COME:
            answer = yield Wait(self.seconds, pieces=1)
        return answer if truth is MORE_TO_COME else truth
