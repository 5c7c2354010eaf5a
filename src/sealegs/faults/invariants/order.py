# ruff: noqa: D102 - the methods are documented in the base class
"""Things that come one after the other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import Data, Invariant, describe_path, focused_fields, look_up


@dataclass(frozen=True, slots=True)
class Ordered(Invariant):
    """The time at `earlier` is not after the time at `later`.

    Both are ISO 8601 dates or date-times, or times of a day (`09:30`); either may be `argument:NAME`.
    """

    family: ClassVar[str] = "temporal_contradiction"
    earlier: str
    later: str

    def fields(self) -> tuple[str, ...]:
        return tuple(name for name in (self.later, self.earlier) if not name.startswith("argument:"))

    def holds(self, arguments: Data, output: Data) -> bool:
        starts = look_up(self.earlier, arguments, output)
        ends = look_up(self.later, arguments, output)
        pairs = zip(starts, ends, strict=True) if len(starts) == len(ends) else ((s, e) for s in starts for e in ends)
        return all(_not_after(start, end) for start, end in pairs)

    def says(self) -> str:
        return f"{describe_path(self.earlier)} is not after {describe_path(self.later)}"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        days = draw.randrange(20, 400)
        candidates = (self._moved(arguments, output, field, days) for field in focused_fields(self.fields(), focus))
        return self.first_false(arguments, output, candidates)

    def _moved(self, arguments: Data, output: Data, field: str, days: int) -> Data:
        late = field == self.earlier
        limits = look_up(self.later if late else self.earlier, arguments, output)
        shift = days if late else -days
        changed: Data = paths.replace_values(output, field, lambda value: _shifted(value, limits, shift))
        return changed


def _not_after(start: Any, end: Any) -> bool:
    if not (isinstance(start, str) and isinstance(end, str)):
        return True
    size = min(len(start), len(end))  # what one of them leaves open (the hour, the second) decides nothing
    return start[:size].replace("T", " ") <= end[:size].replace("T", " ")


def _shifted(value: Any, limits: tuple[Any, ...], days: int) -> Any:
    """A time of the value's own form beyond all the limits, on the wrong side."""
    if not isinstance(value, str):
        return value
    # A time without a date cannot be moved by days; the ends of the day are as far as it can be moved.
    if len(value) == 5 and value[2] == ":":
        return "23:59" if days > 0 else "00:00"
    edges = [limit for limit in limits if isinstance(limit, str) and len(limit) >= 10]
    if not edges:
        return value
    edge = (max if days > 0 else min)(edges)
    try:
        if len(value) == 10:
            return (date.fromisoformat(edge[:10]) + timedelta(days=days)).isoformat()
        if len(value) < 10:
            return value
        moved = datetime.fromisoformat(edge.removesuffix("Z")) + timedelta(days=days)
        # In the form of the value: its separator, its precision and its Z. Another form would itself give the fault
        # away.
        return moved.isoformat(value[10])[: len(value.removesuffix("Z"))] + "Z" * value.endswith("Z")
    except (ValueError, OverflowError):
        return value
