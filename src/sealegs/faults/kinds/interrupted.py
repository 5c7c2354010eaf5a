"""The answer breaks off in the middle."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import ALL, Call, Failure, Wait
from sealegs.faults.chunks import run_to_chunk
from sealegs.faults.fault import Count, Fault, FaultSetting, Steps
from sealegs.faults.kinds.connection import unreachable
from sealegs.faults.spec import ToolSpec

MOST_UNDECLARED = 1000  # further chunks that are taken of a tool which may have effects and may never end


class Interrupted(Fault):
    """The tool runs; the connection is lost, or falls silent, when some chunks of its answer have arrived.

    The tool does its work all the same: where it runs only as far as its chunks are taken, the rest of them is taken
    and not shown, of a tool that nobody declared no more than a thousand.

    An answer of no more chunks passes unchanged. Of a tool that answers in one chunk nothing arrives, though it did its
    work. A failure of the tool's own passes unchanged. For an answer that ends too soon and seems complete, see
    `partial` and `malformed`.
    """

    implicit: ClassVar[bool] = False
    streamed: ClassVar[bool] = True
    kind: Literal["interrupted"] = "interrupted"
    after: Count = Field(default=1, description="Chunks that arrive before it.")
    mode: Literal["reset", "closed", "hang"] = Field(
        default="reset",
        description="reset: the connection is lost; closed: the far side ends it too soon; hang: nothing more comes.",
    )

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Have the tool give so many chunks, then break off."""
        shown = yield from run_to_chunk(call, self.after, _most_beyond(setting.spec))
        if shown is not None:
            return shown
        if self.mode == "hang":
            yield Wait(math.inf)
        if self.mode == "closed":
            message = "The connection was closed before the answer was complete."
            return Failure(message, type="ConnectionAbortedError", exception=ConnectionAbortedError(message))
        return unreachable("reset")


def _most_beyond(spec: ToolSpec | None) -> int:
    """The number of chunks that may be taken of a tool after those that are shown: its work depends on them."""
    if spec is None or spec.effects is None:
        return MOST_UNDECLARED
    return ALL if spec.effects else 0
