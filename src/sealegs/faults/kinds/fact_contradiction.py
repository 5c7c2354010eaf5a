"""The answer contradicts common knowledge."""

from __future__ import annotations

from typing import Literal

from sealegs.faults.corruption import Breaking


class FactContradiction(Breaking):
    """A field differs from what everybody knows: Beijing at UTC+5."""

    kind: Literal["fact_contradiction"] = "fact_contradiction"
