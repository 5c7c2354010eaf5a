# ruff: noqa: D102 - the methods are documented in the base class
"""Statements about a tool's answers that were true of every recorded one, as data.

Each says how far an answer breaks it: 0 is just so, 3 is by far. What it does not cover: whether breaking it means
that the answer is wrong; how often right answers do is counted on answers that were held out (`calibration`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sealegs.faults.invariants.invariant import describe_path, number, roughly_equal
from sealegs.faults.problems import abbreviate
from sealegs.recovery.detectors.flat_call import ARGUMENT, FlatCall, last_key
from sealegs.recovery.detectors.text_forms import TextForms

Breach = tuple[int, str]  # how far, 0 to 3; what is wrong, in words
FAR = 3
STEPS = (0.5, 2.0, 8.0)  # widths beyond the bounds from which a number is 1, 2 or 3 off
SHARES = (0.02, 0.2, 1.0)  # of the greatest number, below 0 from which a number is 1, 2 or 3 off
CENT = 0.011  # cents rounded twice
ROUNDED = 5e-4  # a share: how far a result of rounded numbers may be off


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
        """How an answer breaks it; None where it is true, or says nothing of this answer."""

    def applies(self, view: FlatCall) -> bool:
        """Whether it says anything of this answer."""
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
                told = ", ".join(map(abbreviate, self.allowed[:6])) + (", ..." if len(self.allowed) > 6 else "")
                return 0, f"{self.path} is {abbreviate(value)}; it was always one of {told}"
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
                said = f"{self.path} is {value:g}; it was always from {low:g} to {high:g}{unit}"
                return sum(beyond > step for step in STEPS), said
        return None

    def _beyond(self, value: float) -> float:
        """How many widths a value lies outside."""
        low, high = self.low, self.high
        if not self.log:
            return max(low - value, value - high) / max(high - low, 0.1 * max(abs(low), abs(high)), 1e-9)
        if value <= 0:
            return math.inf
        return max(math.log(low / value), math.log(value / high)) / max(math.log(high / low), math.log(1.5))


@dataclass(frozen=True, slots=True)
class Echoes(Statement):
    """The field repeats another, or an argument: wholly (`same`), or as `LIKENESS` says of the mode."""

    kind: ClassVar[str] = "echoes"
    name: str
    path: str
    mode: str = "same"

    @property
    def family(self) -> str:
        return "irrelevant_response" if self.name.startswith(ARGUMENT) else "internal_contradiction"

    @property
    def sort(self) -> str:
        if not self.name.startswith(ARGUMENT):
            return f"echoes a field: {self.mode}"
        named = last_key(self.name) == last_key(self.path)
        return f"echoes an argument{' of its name' if named else ''}: {self.mode}"

    def names(self) -> tuple[str, ...]:
        return (self.name, self.path)

    def applies(self, view: FlatCall) -> bool:
        return view.single(self.name) is not None and view.single(self.path) is not None

    def breach(self, view: FlatCall) -> Breach | None:
        asked, told = view.single(self.name), view.single(self.path)
        if asked is None or told is None or repeats_value(self.mode, asked, told):
            return None
        expected = f"it always {LIKENESS[self.mode]} {describe_path(self.name)}, here {abbreviate(asked)}"
        return 0, f"{self.path} is {abbreviate(told)}; {expected}"


LIKENESS = {"same": "repeated", "opens": "began with", "tail": "ended as", "day": "was on the day of"}


def repeats_value(mode: str, asked: Any, told: Any) -> bool:
    """Whether `told` repeats `asked` in this mode."""
    if mode == "same":
        return roughly_equal(asked, told, 1e-9)
    if not (isinstance(asked, str) and isinstance(told, str)):
        return False
    if mode == "opens":
        return len(asked) >= 2 and told != asked and told.startswith(asked)
    if mode == "day":
        return len(asked) >= 10 and len(told) >= 10 and asked[4:5] == "-" == asked[7:8] and told[:10] == asked[:10]
    tails = asked.rpartition("-"), told.rpartition("-")
    return len(tails[0][2]) >= 4 and tails[0][1] == "-" == tails[1][1] and tails[0][2] == tails[1][2]


@dataclass(frozen=True, slots=True)
class Equation(Statement):
    """A number follows from others: `sum`, `product`, `percent` (a of b), `after` (b less a %), or `line` (k a + c)."""

    kind: ClassVar[str] = "equation"
    target: str
    op: str
    inputs: tuple[str, ...]
    constants: tuple[float, float] = (1.0, 0.0)

    @property
    def family(self) -> str:
        return "statistical_inconsistency" if self._of_list() or self.op == "sum" else "internal_contradiction"

    @property
    def sort(self) -> str:
        listed = ", of a list" if self._of_list() else ""
        whole = "" if self.op != "line" else " of a constant" if self.constants[1] else " of a factor"
        return f"equation: {self.op}{whole}{listed} of {len(self.inputs)}"

    def names(self) -> tuple[str, ...]:
        return (self.target, *self.inputs)

    def applies(self, view: FlatCall) -> bool:
        return all(view.number(name) is not None for name in self.names())

    def breach(self, view: FlatCall) -> Breach | None:
        told = view.number(self.target)
        values = [view.number(name) for name in self.inputs]
        if told is None or None in values:
            return None
        right = equation_result(self.op, values, self.constants)  # type: ignore[arg-type]
        if equals_rounded(told, right):
            return None
        off = abs(told - right) / max(abs(told), abs(right), CENT)
        how = self.text()
        return (0 if off < 0.05 else 1), f"{self.target} is {told:g}; it was always {how}, here {right:g}"

    def text(self) -> str:
        """The right side, in words."""
        names = [describe_path(name) for name in self.inputs]
        if self.op == "percent":
            return f"{names[0]} % of {names[1]}"
        if self.op == "line":
            k, c = self.constants
            factor = names[0] if k == 1 else f"{k:.6g} x {names[0]}"
            return factor + (f" {'+' if c > 0 else '-'} {abs(c):.6g}" if c else "")
        return {"sum": " + ", "product": " x ", "after": " % off "}[self.op].join(names)

    def _of_list(self) -> bool:
        return any(" of " in name for name in self.names())


def equation_result(op: str, values: list[float], constants: tuple[float, float] = (1.0, 0.0)) -> float:
    """What the right side of an equation comes to."""
    if op == "sum":
        return sum(values)
    if op == "product":
        return values[0] * values[1]
    if op == "percent":
        return values[0] * values[1] / 100
    if op == "after":
        return values[1] * (1 - values[0] / 100)
    return constants[0] * values[0] + constants[1]


def equals_rounded(told: float, right: float) -> bool:
    """Whether a number is this result, but for rounding."""
    return abs(told - right) <= max(CENT if abs(told) >= 2 else CENT * abs(told) / 2, ROUNDED * abs(told))


@dataclass(frozen=True, slots=True)
class Before(Statement):
    """One time is not after another, or one number not above another."""

    kind: ClassVar[str] = "before"
    earlier: str
    later: str
    times: bool = True

    @property
    def family(self) -> str:
        return "temporal_contradiction" if self.times else "internal_contradiction"

    @property
    def sort(self) -> str:
        given = any(name.startswith(ARGUMENT) for name in self.names())
        return f"before: {'times' if self.times else 'numbers'}{' and an argument' if given else ''}"

    def names(self) -> tuple[str, ...]:
        return (self.earlier, self.later)

    def applies(self, view: FlatCall) -> bool:
        return view.single(self.earlier) is not None and view.single(self.later) is not None

    def breach(self, view: FlatCall) -> Breach | None:
        start, end = view.single(self.earlier), view.single(self.later)
        right = not_after(start, end) if self.times else (not (number(start) and number(end)) or start <= end)
        if right:
            return None
        word = "after" if self.times else "above"
        earlier, later = describe_path(self.earlier), describe_path(self.later)
        return 0, f"{earlier} is {abbreviate(start)}, {word} {later}, {abbreviate(end)}; it never was"


def not_after(start: Any, end: Any) -> bool:
    """Whether a time is not after another; what one of them leaves open (the hour) decides nothing."""
    if not (isinstance(start, str) and isinstance(end, str)):
        return True
    size = min(len(start), len(end))
    return start[:size].replace("T", " ") <= end[:size].replace("T", " ")


@dataclass(frozen=True, slots=True)
class Determined(Statement):
    """The field follows from another as recorded: the city's country. Its support is how often a pair came again."""

    kind: ClassVar[str] = "determined"
    key: str
    path: str
    table: Mapping[str, Any] = field(hash=False)

    @property
    def family(self) -> str:
        return "fact_contradiction"

    @property
    def sort(self) -> str:
        return "determined by an argument" if self.key.startswith(ARGUMENT) else "determined"

    def names(self) -> tuple[str, ...]:
        return (self.key, self.path)

    def applies(self, view: FlatCall) -> bool:
        return view.single(self.path) is not None and str(view.single(self.key)) in self.table

    def breach(self, view: FlatCall) -> Breach | None:
        key, told = view.single(self.key), view.single(self.path)
        if key is None or told is None:
            return None
        right = self.table.get(str(key))
        if right is None or roughly_equal(told, right, 1e-9):
            return None
        always = f"for {describe_path(self.key)} {abbreviate(key)} it was always {abbreviate(right)}"
        return 0, f"{self.path} is {abbreviate(told)}; {always}"


KINDS: dict[str, type[Statement]] = {
    kind.kind: kind
    for kind in (
        Filled,
        OnlyKeys,
        Typed,
        KnownValues,
        Formed,
        NeverNegative,
        Within,
        Echoes,
        Equation,
        Before,
        Determined,
    )
}
