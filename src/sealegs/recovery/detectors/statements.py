# ruff: noqa: D102 - the methods are documented in the base class
"""Statements about a tool's answers that were true of every recorded one, as data.

Each says how far an answer breaks it: 0 is barely, 3 is by far. That an answer breaks a statement does not mean that it
is wrong; how often right answers do is counted on answers that were held out (`calibration`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from sealegs.faults.invariants.invariant import number
from sealegs.faults.problems import abbreviate
from sealegs.recovery.detectors.flat_call import ARGUMENT, FlatCall
from sealegs.recovery.detectors.text_forms import TextForms

Breach = tuple[int, str]  # how far, 0 to 3; what is wrong, in words
FAR = 3
STEPS = (0.5, 2.0, 8.0)  # widths beyond the bounds from which a number is 1, 2 or 3 off
SHARES = (0.02, 0.2, 1.0)  # of the greatest number, below 0 from which a number is 1, 2 or 3 off


@dataclass(frozen=True, slots=True)
class Statement(ABC):
    """One statement.

    `support` is how much of the record speaks for it, in the unit of its kind; `kind` names it in files.
    """

    kind: ClassVar[str]
    support: int

    @property
    @abstractmethod
    def family(self) -> str:
        """The family of corruption that breaks it."""

    @property
    def sort(self) -> str:
        """The kind more finely: statements of one sort are counted together."""
        return self.kind

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The paths that it speaks of."""

    @abstractmethod
    def breach(self, view: FlatCall) -> Breach | None:
        """The breach by an answer; None where the statement is true of it, or says nothing of it."""

    def applies(self, view: FlatCall) -> bool:
        """Return whether it says anything of this answer."""
        return all(name in view.values for name in self.names())


@dataclass(frozen=True, slots=True)
class Filled(Statement):
    """The field is there and not empty."""

    kind: ClassVar[str] = "filled"
    path: str
    listed: bool = False

    @property
    def family(self) -> str:
        return "missing_required_fields"

    @property
    def sort(self) -> str:
        return "filled in a list" if self.listed else "filled"

    def names(self) -> tuple[str, ...]:
        return (self.path,)

    def breach(self, view: FlatCall) -> Breach | None:
        found = view.values.get(self.path)
        if found is None:
            # A list may have no entries, and then none of their fields.
            return None if self.listed else (1, f"{self.path or 'the answer'} is missing, which it never was")
        if None in found or "" in found:
            return 0, f"{self.path or 'the answer'} is empty, which it never was"
        return None

    def applies(self, view: FlatCall) -> bool:
        return self.path in view.values or not self.listed


@dataclass(frozen=True, slots=True)
class OnlyKeys(Statement):
    """The answer has no other fields than these."""

    kind: ClassVar[str] = "keys"
    paths: frozenset[str]

    @property
    def family(self) -> str:
        return "malformed"

    def names(self) -> tuple[str, ...]:
        return ()

    def breach(self, view: FlatCall) -> Breach | None:
        new = [path for path in view.values if path not in self.paths and not path.startswith(ARGUMENT)]
        return (min(FAR, len(new) - 1), f"{', '.join(new[:3])} was never in an answer") if new else None


@dataclass(frozen=True, slots=True)
class Typed(Statement):
    """The field is a number, a text or a truth value."""

    kind: ClassVar[str] = "typed"
    path: str
    type: str

    @property
    def family(self) -> str:
        return "malformed"

    def names(self) -> tuple[str, ...]:
        return (self.path,)

    def breach(self, view: FlatCall) -> Breach | None:
        for value in view.values.get(self.path, ()):
            if value is not None and type_of(value) != self.type:
                return 0, f"{self.path or 'the answer'} is {abbreviate(value)}; it was always a {self.type}"
        return None


def type_of(value: Any) -> str:
    """A scalar's type in words."""
    if isinstance(value, bool):
        return "truth value"
    return "number" if number(value) else "text" if isinstance(value, str) else type(value).__name__


@dataclass(frozen=True, slots=True)
class KnownValues(Statement):
    """The field has one of a few values. Its support is how often each came on average."""

    kind: ClassVar[str] = "seen"
    path: str
    allowed: tuple[Any, ...]

    @property
    def family(self) -> str:
        return "logic_violation"

    def names(self) -> tuple[str, ...]:
        return (self.path,)

    def breach(self, view: FlatCall) -> Breach | None:
        for value in view.values.get(self.path, ()):
            if value not in self.allowed and value not in (None, ""):
                allowed = ", ".join(map(abbreviate, self.allowed[:6])) + (", ..." if len(self.allowed) > 6 else "")
                return 0, f"{self.path} is {abbreviate(value)}; it was always one of {allowed}"
        return None


@dataclass(frozen=True, slots=True)
class Formed(Statement):
    """The text has a form that was seen: that of a code, a date, a mail address, or prose of a usual length."""

    kind: ClassVar[str] = "formed"
    path: str
    forms: TextForms

    @property
    def family(self) -> str:
        return "malformed"

    @property
    def sort(self) -> str:
        return f"formed as {'prose' if self.forms.signs is not None else 'a code'}"

    def names(self) -> tuple[str, ...]:
        return (self.path,)

    def breach(self, view: FlatCall) -> Breach | None:
        for value in view.values.get(self.path, ()):
            if isinstance(value, str) and value:
                off = self.forms.off(value)
                if off:
                    return off - 1, f"{self.path} is {abbreviate(value)}; it was always like {self.forms.example!r}"
        return None


@dataclass(frozen=True, slots=True)
class NeverNegative(Statement):
    """The number is never negative; how far below counts in shares of the greatest one."""

    kind: ClassVar[str] = "signed"
    path: str
    greatest: float

    @property
    def family(self) -> str:
        return "physics_violation"

    def names(self) -> tuple[str, ...]:
        return (self.path,)

    def breach(self, view: FlatCall) -> Breach | None:
        for value in view.values.get(self.path, ()):
            if number(value) and value < 0:
                far = sum(-value > share * self.greatest for share in SHARES)
                return far, f"{self.path} is {value:g}; it was never negative"
        return None


@dataclass(frozen=True, slots=True)
class Within(Statement):
    """The number lies in the recorded range; how far outside counts in widths of it, of magnitudes where `log`.

    `where` narrows it to answers whose unit or currency is this one: (path, value).
    """

    kind: ClassVar[str] = "within"
    path: str
    low: float
    high: float
    log: bool = False
    where: tuple[str, str] | None = None

    @property
    def family(self) -> str:
        return "physics_violation"

    @property
    def sort(self) -> str:
        return f"within{' magnitudes' if self.log else ''}{' of a unit' if self.where is not None else ''}"

    def names(self) -> tuple[str, ...]:
        return (self.path,) if self.where is None else (self.path, self.where[0])

    def applies(self, view: FlatCall) -> bool:
        return self.path in view.values and (self.where is None or view.single(self.where[0]) == self.where[1])

    def breach(self, view: FlatCall) -> Breach | None:
        low, high = self.low, self.high
        if self.where is not None and view.single(self.where[0]) != self.where[1]:
            return None
        for value in view.values.get(self.path, ()):
            if number(value) and not low <= value <= high:
                beyond = self._beyond(value)
                unit = "" if self.where is None else f" where {self.where[0]} is {self.where[1]}"
                text = f"{self.path} is {value:g}; it was always from {low:g} to {high:g}{unit}"
                return sum(beyond > step for step in STEPS), text
        return None

    def _beyond(self, value: float) -> float:
        """The widths by which a value lies outside."""
        low, high = self.low, self.high
        if not self.log:
            # A range that is a single value has no width, so a tenth of it serves as one.
            return max(low - value, value - high) / max(high - low, 0.1 * max(abs(low), abs(high)), 1e-9)
        if value <= 0:
            return math.inf  # 0 and below have no magnitude
        return max(math.log(low / value), math.log(value / high)) / max(math.log(high / low), math.log(1.5))
