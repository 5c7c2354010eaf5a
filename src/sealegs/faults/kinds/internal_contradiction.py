"""Fields contradict one another."""

from __future__ import annotations

from typing import Literal

from sealegs.faults.corruption import Breaking


class InternalContradiction(Breaking):
    """A value differs from what follows from the other fields."""

    kind: Literal["internal_contradiction"] = "internal_contradiction"
