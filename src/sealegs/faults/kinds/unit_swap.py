"""A value is given in another unit than its label says."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from sealegs.faults import paths
from sealegs.faults.fault import FaultSetting, Rewrite, Text, problem
from sealegs.faults.invariants import touches
from sealegs.faults.invariants.invariant import number


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and what its values become: `value * factor + shift` in the other unit.

    Attributes:
        name: what a plan calls it.
        other: the unit that the value is given in.
        factor, shift: from this unit to the other; exact by definition, or to six digits.
        labels: how an answer's unit field writes it, in lower case.
        endings: the last words of field names that mean it (`distance_km`).
    """

    name: str
    other: str
    factor: float
    shift: float = 0.0
    labels: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()


UNITS = (
    Unit("km", "mi", 1 / 1.609344, labels=("km", "kilometers", "kilometres"), endings=("km",)),
    Unit("mi", "km", 1.609344, labels=("mi", "miles"), endings=("mi", "miles")),
    Unit("m", "ft", 1 / 0.3048, labels=("m", "meters", "metres"), endings=("m", "meters", "metres")),
    Unit("ft", "m", 0.3048, labels=("ft", "feet"), endings=("ft", "feet")),
    Unit("cm", "inch", 1 / 2.54, labels=("cm",), endings=("cm",)),
    Unit("inch", "cm", 2.54, labels=("in", "inch", "inches"), endings=("inch", "inches")),
    Unit("kmh", "mph", 1 / 1.609344, labels=("km/h", "kmh", "kph"), endings=("kmh", "kph")),
    Unit("mph", "kmh", 1.609344, labels=("mph",), endings=("mph",)),
    Unit("kg", "lb", 1 / 0.45359237, labels=("kg", "kilograms"), endings=("kg",)),
    Unit("lb", "kg", 0.45359237, labels=("lb", "lbs", "pounds"), endings=("lb", "lbs")),
    Unit("g", "oz", 1 / 28.349523125, labels=("g", "grams"), endings=("g", "grams")),
    Unit("oz", "g", 28.349523125, labels=("oz", "ounces"), endings=("oz",)),
    Unit("l", "gal", 1 / 3.785411784, labels=("l", "liters", "litres"), endings=("l", "liters", "litres")),
    Unit("gal", "l", 3.785411784, labels=("gal", "gallons"), endings=("gal", "gallons")),
    Unit("c", "f", 1.8, 32.0, labels=("c", "°c", "celsius"), endings=("c", "celsius")),
    Unit("f", "c", 1 / 1.8, -32 / 1.8, labels=("f", "°f", "fahrenheit"), endings=("f", "fahrenheit")),
    Unit("hours", "minutes", 60.0, labels=("h", "hours"), endings=("hours",)),
    Unit("minutes", "hours", 1 / 60, labels=("min", "minutes"), endings=("minutes", "mins")),
    Unit("seconds", "milliseconds", 1000.0, labels=("s", "seconds"), endings=("seconds", "secs")),
    Unit("money", "cents", 100.0, labels=("usd", "eur", "gbp", "cad", "aud", "chf"), endings=("usd", "eur", "gbp")),
)
BY_NAME = {unit.name: unit for unit in UNITS}
BY_LABEL = {label: unit for unit in UNITS for label in unit.labels}
BY_ENDING = {ending: unit for unit in UNITS for ending in unit.endings}
MONEY = frozenset({"price", "amount", "total", "subtotal", "cost", "fee", "fare", "balance", "budget", "tax", "salary"})
MEASURED = frozenset(
    {"value", "amount", "quantity", "reading", "temperature", "distance", "weight", "speed", "duration"}
)


class UnitSwap(Rewrite):
    """The tool runs; the agent sees all values of one unit in another, while names and labels stay.

    A value's unit is known by the end of its field's name (`distance_km`), by a unit field beside it (`unit`,
    `currency`, `distance_unit`), or by what it is called (`price`, then dollars become cents). Integers stay integers.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["unit_swap"] = "unit_swap"
    field: Text | None = Field(
        default=None, description="Dotted path of the value; else all values of one unit, in preference a used one."
    )
    unit: str | None = Field(default=None, description="The unit that the value is in; else found by the rules above.")

    @field_validator("unit")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is None or name in BY_NAME:
            return name
        near = difflib.get_close_matches(name, BY_NAME, n=1)
        raise problem(
            "is not a known unit", f"Did you mean {near[0]}?" if near else f"Give one of {', '.join(BY_NAME)}."
        )

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer with its values in another unit."""
        if self.field is not None and self.unit is not None:
            return paths.replace_values(value, self.field, lambda old: _converted(old, BY_NAME[self.unit or ""]))
        found = [(path, unit) for path, unit in values_with_units(value) if self.unit in (None, unit.name)]
        if self.field is not None:
            found = [(path, unit) for path, unit in found if touches(path, (self.field,))]
        used = setting.spec.used if setting.spec is not None else ()
        # Units of fields that later steps use come first: a swap that nobody reads on would harm nothing. Sorted for
        # the draw.
        units = sorted({unit.name for path, unit in found if touches(path, used)} or {unit.name for _, unit in found})
        if not units:
            return value
        unit = BY_NAME[setting.draw.choice(units)]
        # All values of the unit together, since one alone would contradict the others of the answer.
        for path, own in found:
            if own is unit:
                value = paths.replace_values(value, path, lambda old: _converted(old, unit))
        return value


def values_with_units(data: Any, prefix: str = "") -> Iterator[tuple[str, Unit]]:
    """The path of each number of an answer whose unit is known, with the unit."""
    items = enumerate(data) if isinstance(data, (list, tuple)) else data.items() if isinstance(data, Mapping) else ()
    for key, value in items:
        path = f"{prefix}.{key}" if prefix else str(key)
        # A number in a list has no name that could tell its unit.
        if number(value) and isinstance(data, Mapping):
            unit = _unit(str(key), data)
            if unit is not None:
                yield path, unit
        else:
            yield from values_with_units(value, path)


def _unit(name: str, beside: Mapping[str, Any]) -> Unit | None:
    words = name.lower().split("_")
    own = _labelled(beside.get(f"{name}_unit")) or (BY_ENDING.get(words[-1]) if len(words) > 1 else None)
    if own is not None:
        return own
    # A `unit` beside it may name the currency, or what the price is for; then the name alone decides nothing.
    if _is_money(words) and not isinstance(beside.get("unit", beside.get("units")), str):
        return BY_NAME["money"]
    alone = sum(map(number, beside.values())) == 1
    return _labelled(beside.get("unit", beside.get("units"))) if alone or words[-1] in MEASURED else None


def _is_money(words: list[str]) -> bool:
    """`grand_total` and `price_per_night` are, `total_nights` is not."""
    return words[-1] in MONEY or words[0] in MONEY - {"total"}


def _labelled(label: Any) -> Unit | None:
    return BY_LABEL.get(label.strip().lower()) if isinstance(label, str) else None


def _converted(value: Any, unit: Unit) -> Any:
    if not number(value):
        return value
    other = value * unit.factor + unit.shift
    return round(other) if isinstance(value, int) else round(other, 2)
