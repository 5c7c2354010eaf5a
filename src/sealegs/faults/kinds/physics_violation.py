"""A value that no physical or commercial process gives."""

from __future__ import annotations

from typing import Literal

from sealegs.faults.corruption import Breaking


class PhysicsViolation(Breaking):
    """A number leaves its bounds: a negative price, -50 C in summer, 150 %."""

    kind: Literal["physics_violation"] = "physics_violation"
