"""Times are impossible."""

from __future__ import annotations

from typing import Literal

from sealegs.faults.corruption import Breaking


class TemporalContradiction(Breaking):
    """A time is later than one that must follow it: updated before created, arrival before departure."""

    kind: Literal["temporal_contradiction"] = "temporal_contradiction"
