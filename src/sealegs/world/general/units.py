"""Units by symbol: each is so many of its dimension's base unit (SI, or the customary one).

Temperature scales, which do not share a zero, are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit: 1 of it is `scale` of the base unit."""

    symbol: str
    dimension: str
    scale: float


_ROWS = (
    MeasureUnit("mm", "length", 0.001),
    MeasureUnit("cm", "length", 0.01),
    MeasureUnit("m", "length", 1),
    MeasureUnit("km", "length", 1000),
    MeasureUnit("in", "length", 0.0254),
    MeasureUnit("ft", "length", 0.3048),
    MeasureUnit("yd", "length", 0.9144),
    MeasureUnit("mi", "length", 1609.344),
    MeasureUnit("nmi", "length", 1852),
    MeasureUnit("g", "mass", 0.001),
    MeasureUnit("kg", "mass", 1),
    MeasureUnit("t", "mass", 1000),
    MeasureUnit("oz", "mass", 0.028349523125),
    MeasureUnit("lb", "mass", 0.45359237),
    MeasureUnit("ml", "volume", 0.001),
    MeasureUnit("l", "volume", 1),
    MeasureUnit("m3", "volume", 1000),
    MeasureUnit("gal", "volume", 3.785411784),
    MeasureUnit("m/s", "speed", 1),
    MeasureUnit("km/h", "speed", 1 / 3.6),
    MeasureUnit("mph", "speed", 0.44704),
    MeasureUnit("kn", "speed", 1852 / 3600),
    MeasureUnit("min", "duration", 1),
    MeasureUnit("h", "duration", 60),
    MeasureUnit("d", "duration", 1440),
)
UNITS = {unit.symbol: unit for unit in _ROWS}
DIMENSIONS = {unit.symbol: unit.dimension for unit in _ROWS}


def factor(start: MeasureUnit, end: MeasureUnit) -> float:
    """The factor by which a value in `start` is multiplied to be in `end`."""
    return start.scale / end.scale


FACTORS = {
    f"{start.symbol}>{end.symbol}": factor(start, end)
    for start in _ROWS
    for end in _ROWS
    if start.dimension == end.dimension
}
