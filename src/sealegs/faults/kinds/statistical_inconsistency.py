"""An aggregate does not match its details."""

from __future__ import annotations

from typing import Literal

from sealegs.faults.corruption import Breaking


class StatisticalInconsistency(Breaking):
    """A sum, a mean or a count differs from what it is made of."""

    kind: Literal["statistical_inconsistency"] = "statistical_inconsistency"
