"""A business rule is broken."""

from __future__ import annotations

from typing import Literal

from sealegs.faults.corruption import Breaking


class LogicViolation(Breaking):
    """A state that the rules forbid: confirmed without an id, a status that does not exist."""

    kind: Literal["logic_violation"] = "logic_violation"
