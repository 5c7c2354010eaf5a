# ruff: noqa: D102 - the methods are documented in the base class
"""Statements about a tool's fields and arguments together: repeated, computed, in order, decided by another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sealegs.faults.invariants.invariant import describe_path, number, roughly_equal
from sealegs.faults.problems import abbreviate
from sealegs.recovery.detectors.flat_call import ARGUMENT, FlatCall, last_key
from sealegs.recovery.detectors.statements import Breach, Statement

CENT = 0.011  # cents rounded twice
ROUNDED = 5e-4  # a share: how far a result of rounded numbers may be off


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
        argument, value = view.single(self.name), view.single(self.path)
        if argument is None or value is None or repeats_value(self.mode, argument, value):
            return None
        expected = f"it always {LIKENESS[self.mode]} {describe_path(self.name)}, here {abbreviate(argument)}"
        return 0, f"{self.path} is {abbreviate(value)}; {expected}"


LIKENESS = {"same": "repeated", "opens": "began with", "tail": "ended as", "day": "was on the day of"}


def repeats_value(mode: str, argument: Any, value: Any) -> bool:
    """Return whether `value` repeats `argument` in this mode."""
    if mode == "same":
        return roughly_equal(argument, value, 1e-9)
    if not (isinstance(argument, str) and isinstance(value, str)):
        return False
    if mode == "opens":
        # One letter begins many texts.
        return len(argument) >= 2 and value != argument and value.startswith(argument)
    if mode == "day":
        return (
            len(argument) >= 10
            and len(value) >= 10
            and argument[4:5] == "-" == argument[7:8]
            and value[:10] == argument[:10]
        )
    tails = argument.rpartition("-"), value.rpartition("-")
    # Short tails agree by chance.
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
        value = view.number(self.target)
        values = [view.number(name) for name in self.inputs]
        if value is None or None in values:
            return None
        right = equation_result(self.op, values, self.constants)  # type: ignore[arg-type]
        if equals_rounded(value, right):
            return None
        off = abs(value - right) / max(abs(value), abs(right), CENT)
        how = self.text()
        return (0 if off < 0.05 else 1), f"{self.target} is {value:g}; it was always {how}, here {right:g}"

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
    """The value of an equation's right side."""
    if op == "sum":
        return sum(values)
    if op == "product":
        return values[0] * values[1]
    if op == "percent":
        return values[0] * values[1] / 100
    if op == "after":
        return values[1] * (1 - values[0] / 100)
    return constants[0] * values[0] + constants[1]


def equals_rounded(value: float, right: float) -> bool:
    """Return whether a number is this result, but for rounding."""
    # For small numbers a whole cent would be too much to allow.
    return abs(value - right) <= max(CENT if abs(value) >= 2 else CENT * abs(value) / 2, ROUNDED * abs(value))


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
    """Return whether a time is not after another; what one of them leaves open (the hour) decides nothing."""
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
        key, value = view.single(self.key), view.single(self.path)
        if key is None or value is None:
            return None
        right = self.table.get(str(key))
        if right is None or roughly_equal(value, right, 1e-9):
            return None
        always = f"for {describe_path(self.key)} {abbreviate(key)} it was always {abbreviate(right)}"
        return 0, f"{self.path} is {abbreviate(value)}; {always}"
