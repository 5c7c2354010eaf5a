"""The answer trickles in."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import MORE_TO_COME, Call, Failure, Wait
from sealegs.faults.fault import Fault, FaultSetting, Seconds, Steps


class Drip(Fault):
    """The tool runs; each chunk of its answer is held back for a while, so that no single wait is long.

    Chunks pass one by one as the tool gives them; an answer without end trickles without end. A tool that answers in
    one chunk is late by as much as one. A failure of the tool's own comes after the chunks before it.
    """

    implicit: ClassVar[bool] = True
    streamed: ClassVar[bool] = True
    kind: Literal["drip"] = "drip"
    seconds: Seconds = Field(default=1.0, description="Seconds before each chunk.")

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool run, and show one chunk at a time."""
        chunks = None if call.buffered else call.chunks  # a fault outside this one may hold them back already
        truth = yield replace(call, chunks=chunks, buffered=chunks is not None)
        if isinstance(truth, Failure):
            return truth
        answer = yield Wait(self.seconds, chunks=0 if chunks is None else 1)
        while chunks is not None and answer is MORE_TO_COME:
            answer = yield Wait(self.seconds, chunks=1)
        return answer if truth is MORE_TO_COME else truth
